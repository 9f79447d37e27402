/// A value that changes over time: hot, always there, read-only, free of glitches.
///
/// ```swift
/// let width = Variable(3)
/// let height = Variable(4)
/// let area = combineLatest(width.signal, height.signal).map { $0 * $1 }
/// let showing = area.observe { print("\($0) m²") }    // 12 m², now
/// width.value = 5                                     // 20 m²
/// print(area.value)
/// ```
///
/// Changes come in **turns**. All writes of one turn publish together: whoever reads or observes
/// sees the state before the turn or after it, never a mixture, and each observer runs at most once
/// a turn. A write that an observer makes waits for the next turn, in order.
///
/// *Thread*: any. A turn belongs to the thread that started it; what other threads write meanwhile
/// is queued and run by it too, so an observer may run on any thread that writes, one at a time. No
/// lock is held while transforms and observers run. Transforms must be pure.
/// *Lifetime*: a derived signal holds its sources; its sources do not hold it.
public struct Signal<Value: Sendable>: Sendable {
  let node: ValueNode<Value>
  /// Keeps the node in the graph; a variable's needs none.
  let anchor: Anchor?

  init(_ node: ValueNode<Value>, _ anchor: Anchor?) {
    self.node = node
    self.anchor = anchor
  }

  var upstream: Upstream { Upstream(node: node, anchor: anchor) }

  /// The value after the last turn that has been published. What a transaction that is under way
  /// has set is not in it: `Variable.value` reads that.
  public var value: Value { node.snapshot }

  /// Calls a closure with the present value and then with each change, until the result is
  /// released.
  ///
  /// The first call is over when this returns, unless a turn is under way: then it comes after it.
  /// One that blocks for a second is named on standard error by `file` and `line`: its turn waits
  /// for it. *Cost*: O(1), also to cancel, however many observers there are.
  public func observe(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Value) -> Void
  ) -> SignalSubscription {
    node.observe(anchor, CallSite(file, line), body)
  }
}
