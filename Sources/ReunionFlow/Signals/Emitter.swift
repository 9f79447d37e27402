/// Where events come from: what a `Variable` is to a signal, an emitter is to occurrences.
///
/// ```swift
/// final class Scanner: Sendable {
///   private let found = Emitter<String>()
///   var codes: Occurrences<String> { found.occurrences }    // others read, and cannot send
///   func took(_ picture: [UInt8]) { found.send("\(picture.count) bytes") }
/// }
/// ```
///
/// An event that nobody observes is gone: what must be known later is state, and belongs in a
/// variable.
///
/// *Thread*: any thread may send. A send is one turn, or part of its transaction's turn.
public final class Emitter<Value: Sendable>: Sendable {
  private let node = EventNode<Value>(turns: Turns())

  /// Makes an emitter that nobody observes yet.
  public init() {}

  /// The events that this emitter sends.
  public var occurrences: Occurrences<Value> { Occurrences(node, nil) }

  /// Delivers an event to all observers before it returns. During a turn the event waits for its
  /// own, in order, and in a transaction for that one's end.
  public func send(_ event: Value) { node.emit(event) }
}
