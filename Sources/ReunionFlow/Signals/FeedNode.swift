import Synchronization

/// Hands what a signal publishes on to a node that publishes it in a later turn.
///
/// So that a value cannot come back to where it came from, for ever, the graph knows of the target.
final class FeedNode<Value: Sendable>: Node, Ending, @unchecked Sendable {
  private let source: Signal<Value>
  private let target: Node
  private let body: @Sendable (Value) -> Void
  private let hasEnded = Atomic(false)

  private init(
    _ source: Signal<Value>, into target: Node, _ body: @escaping @Sendable (Value) -> Void
  ) {
    self.source = source
    self.target = target
    self.body = body
    super.init(turns: source.node.turns)
  }

  override var followers: [Node] { [target] }

  override func deliver() {
    if !hasEnded.load(ordering: .acquiring) { body(source.node.published.pointee) }
  }

  func end() {
    hasEnded.store(true, ordering: .releasing)
    turns.submit { [self] _ in detach() }
  }

  /// Starts to hand on each change, after `version` or, without one, beginning with what is there.
  static func start(
    _ source: Signal<Value>, into target: Node, after version: UInt64? = nil,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> FeedNode {
    Turns.merge(source.node.turns, target.turns)
    let feed = FeedNode(source, into: target, body)
    feed.turns.submit { _ in
      precondition(!target.leads(to: source.node), "A value would be fed back to its own source.")
      feed.attach(to: source.node)
      if version != source.node.version { feed.deliver() }
    }
    return feed
  }
}
