/// What keeps a derived node in the graph: with its last holder the node leaves its sources.
///
/// Signals hold the anchors of what they follow from; nodes do not. *Thread*: any.
final class Anchor: Sendable {
  private let node: Node
  private let sources: [Anchor]
  private let held: (any AnyObject & Sendable)?

  init(_ node: Node, sources: [Anchor] = [], holding held: (any AnyObject & Sendable)? = nil) {
    self.node = node
    self.sources = sources
    self.held = held
  }

  deinit { node.turns.submit { [node] _ in node.detach() } }
}

/// What a derived node follows from.
struct Upstream {
  let node: Node
  let anchor: Anchor?
}
