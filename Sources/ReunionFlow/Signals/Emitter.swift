/// Where events come from: what a `Variable` is to a signal, an emitter is to occurrences.
///
/// *Thread*: any thread may send. A send is one turn, or part of its transaction's turn.
public final class Emitter<Value: Sendable>: Sendable {
  private let node: EventNode<Value>

  /// Makes an emitter that nobody observes yet.
  public init() { node = EventNode(turns: Turns(), rank: 0) }

  /// The events that this emitter sends.
  public var occurrences: Occurrences<Value> { Occurrences(node) }

  /// Delivers an event to all observers; during a turn it waits for its own, in order.
  public func send(_ event: Value) {
    let work: Turns.Work = { [node] turn in
      node.events.append(event)
      turn.mark(node)
    }
    if let transaction = Transaction.current, transaction.add(to: node.turns, work) { return }
    node.turns.submit(work)
  }
}
