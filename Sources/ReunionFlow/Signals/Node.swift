/// A vertex of the graph of signals.
///
/// *Thread*: all of it is the turn owner's, except where it says otherwise; that is why this class
/// may promise to be Sendable.
/// *Lifetime*: a source holds its dependents until they detach, which is a step between turns; so
/// no node goes away while a turn is under way, and turns need not count references.
class Node: @unchecked Sendable {
  /// What a node tells after it was brought up to date; `later` when it must wait for another one.
  enum Outcome { case same, changed, later }

  let turns: Turns
  /// Greater than the rank of every source.
  @exclusivity(unchecked) final var rank = 0
  /// True while the node waits in a turn.
  @exclusivity(unchecked) final var isMarked = false
  /// The next node in the chain that this one is in.
  @exclusivity(unchecked) final var link: Unmanaged<Node>?
  /// How often the node has published; any thread may read it under the turns' lock.
  @exclusivity(unchecked) final var version: UInt64 = 0
  /// The edges to the nodes that depend on this one.
  @exclusivity(unchecked) final var dependents = Roster()
  /// The edges from the sources, none before it is attached and after it was detached.
  @exclusivity(unchecked) private final var edges: [Edge] = []

  init(turns: Turns) { self.turns = turns }

  /// Computes what is new in this turn.
  func refresh(_ turn: inout Turn) -> Outcome { .changed }
  /// Makes it visible to all threads; called under the turns' lock, so it releases nothing.
  func publish() {}
  /// Calls the observers, and releases what the turn no longer needs.
  func deliver() {}
  /// The nodes that change when this one does, in the same turn or because of it.
  var followers: [Node] {
    var followers: [Node] = []
    dependents.forEach(Edge.self) { followers.append($0.dependent) }
    return followers
  }

  /// Makes this node depend on another one as well.
  final func attach(to source: Node) {
    let edge = Edge(from: source, to: self)
    edges.append(edge)
    source.dependents.insert(edge)
    raise(to: source.rank + 1)
  }

  /// Makes this node depend on nothing any more; what depends on it stays as it is.
  final func detach() {
    for edge in edges { edge.source.dependents.remove(edge) }
    edges = []
  }

  /// Ends the dependence on one source.
  final func detach(from source: Node) {
    guard let index = edges.lastIndex(where: { $0.source === source }) else { return }
    source.dependents.remove(edges.remove(at: index))
  }

  /// True when a change of this node can bring about a change of another one.
  final func leads(to target: Node) -> Bool {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    var stack: [Node] = [self]
    while let node = stack.popLast() {
      if node === target { return true }
      for follower in node.followers where seen.insert(ObjectIdentifier(follower)).inserted {
        stack.append(follower)
      }
    }
    return false
  }

  /// Gives this node at least a rank, and all that depend on it greater ones.
  private func raise(to rank: Int) {
    var stack: [(node: Node, rank: Int)] = [(self, rank)]
    while let (node, rank) = stack.popLast() {
      guard node.rank < rank else { continue }
      node.rank = rank
      node.dependents.forEach(Edge.self) { stack.append(($0.dependent, rank + 1)) }
    }
  }
}

/// That one node depends on another.
final class Edge: Seat, @unchecked Sendable {
  let source: Node
  let dependent: Node

  init(from source: Node, to dependent: Node) {
    self.source = source
    self.dependent = dependent
  }
}

/// Nodes in a row, linked through themselves, so that the row needs no memory.
///
/// It holds no node and counts no references: the graph holds them until the turn is over.
struct NodeChain {
  private var first: Unmanaged<Node>?
  private var last: Unmanaged<Node>?

  @inline(__always) var isEmpty: Bool { first == nil }

  @inline(__always)
  mutating func append(_ node: Node) {
    let node = Unmanaged.passUnretained(node)
    if let last { last._withUnsafeGuaranteedRef { $0.link = node } } else { first = node }
    last = node
  }

  @inline(__always)
  mutating func popFirst() -> Unmanaged<Node>? {
    guard let node = first else { return nil }
    first = node._withUnsafeGuaranteedRef { $0.link.take() }
    if first == nil { last = nil }
    return node
  }

  @inline(__always)
  func forEach(_ body: (Node) -> Void) {
    var next = first
    while let node = next {
      next = node._withUnsafeGuaranteedRef { node in
        body(node)
        return node.link
      }
    }
  }
}
