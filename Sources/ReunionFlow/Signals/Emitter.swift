/// Where events come from: what a `Variable` is to a signal, an emitter is to occurrences.
///
/// *Thread*: any thread may send. A send is one turn, or part of its transaction's turn.
public final class Emitter<Value: Sendable>: Sendable {
  private let node = EventNode<Value>(turns: Turns())

  /// Makes an emitter that nobody observes yet.
  public init() {}

  /// The events that this emitter sends.
  public var occurrences: Occurrences<Value> { Occurrences(node, nil) }

  /// Delivers an event to all observers; during a turn it waits for its own, in order.
  public func send(_ event: Value) { node.emit(event) }
}
