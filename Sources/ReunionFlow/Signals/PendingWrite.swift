/// A variable's write that waits for the end of its transaction.
protocol PendingWrite: AnyObject, Sendable {
  /// The variable's node.
  var target: Node { get }
  /// Computes the value on top of the variable's newest one, outside the lock.
  func replay()
  /// True when nobody wrote the variable since the replay; under the turns' lock.
  var isCurrent: Bool { get }
  /// Makes the value the newest one; under the turns' lock.
  func assign()
  /// Gives the value to the turn.
  func publish(_ turn: inout Turn)
}

/// A change of a value.
struct ValueChange<Value>: Sendable {
  let change: @Sendable (inout Value) -> Void
}

/// The changes of one variable in one transaction; one thread at a time uses it.
final class VariableWrite<Value: Sendable>: PendingWrite, @unchecked Sendable {
  let node: SourceNode<Value>
  var changes: [ValueChange<Value>]
  private(set) var result: Value?
  private var base: UInt64 = 0
  private var released: Value?

  init(_ node: SourceNode<Value>, _ change: ValueChange<Value>) {
    self.node = node
    changes = [change]
  }

  var target: Node { node }

  func replay() {
    var (value, writes) = node.turns.locked { _ in (node.latest, node.writes) }
    for change in changes { change.change(&value) }
    result = value
    base = writes
  }

  var isCurrent: Bool { node.writes == base }

  func assign() {
    guard let result else { return }
    released = node.latest
    node.latest = result
    node.writes += 1
  }

  func publish(_ turn: inout Turn) {
    guard let result else { return }
    node.set(result, in: &turn)
  }
}
