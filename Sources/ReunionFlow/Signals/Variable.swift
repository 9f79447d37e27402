/// A value that can be set, and the signal of its changes: the one source of truth for one fact.
///
/// ```swift
/// let name = Variable("Ann")
/// let greeting = name.signal.map { "Hello, \($0)!" }
/// let showing = greeting.observe { print($0) }    // Hello, Ann!
/// name.value = "Bo"                               // Hello, Bo!
/// ```
///
/// Keep it private to what owns the fact, and show others its `signal`, which they cannot set.
///
/// *Thread*: any thread may read and write. A write is one turn; see `Signal`.
public final class Variable<Value: Sendable>: Sendable {
  let node: SourceNode<Value>

  /// Makes a variable with a first value.
  public init(_ value: Value) { node = SourceNode(value) }

  /// The signal of this variable's values, for all who may read and not write.
  public var signal: Signal<Value> { Signal(node, nil) }

  /// The newest value.
  ///
  /// Setting it publishes to all observers before it returns, unless a turn is under way: then the
  /// value waits for its own turn, in order, and is run by that turn's owner. Reading it gives the
  /// newest write, even one that waits; in a transaction also that transaction's own.
  ///
  /// An equal value is published like any other. `value += 1` is a read and then a write, between
  /// which another thread's write gets lost: `update` loses none.
  public var value: Value {
    get {
      if let value = Transaction.current?.value(of: node) { return value }
      return node.turns.locked { _ in node.latest }
    }
    set {
      if let transaction = Transaction.current {
        transaction.add(to: node, ValueChange(change: { $0 = newValue }))
      } else {
        node.write(newValue)
      }
    }
  }

  /// Changes the value depending on what it is; no write of another thread gets lost.
  ///
  /// ```swift
  /// let names = Variable<Set<String>>([])
  /// names.update { $0.insert("harbour.jpg") }
  /// ```
  ///
  /// The closure may run more than once, on fresh copies, when threads write at the same time or a
  /// transaction reads the value: it must do nothing but change the value.
  public func update(_ change: @escaping @Sendable (inout Value) -> Void) {
    transaction { Transaction.current?.add(to: node, ValueChange(change: change)) }
  }
}
