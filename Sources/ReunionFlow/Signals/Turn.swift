/// One turn: every marked node is brought up to date once, sources before what depends on them;
/// then all new values are published together; then the observers run, and last what follows.
struct Turn {
  private var levels: [[Node]] = []
  private var changed: [Node] = []
  private var followUps: [() -> Void] = []

  /// Has a node brought up to date in this turn, once, however often it is marked.
  mutating func mark(_ node: Node) {
    guard !node.isMarked else { return }
    node.isMarked = true
    while levels.count <= node.rank { levels.append([]) }
    levels[node.rank].append(node)
  }

  /// Has a closure run after the observers.
  mutating func afterwards(_ body: @escaping () -> Void) { followUps.append(body) }

  /// Runs the turn; no lock is held while transforms, observers and follow-ups run.
  mutating func run(in turns: Turns) {
    var rank = 0
    while rank < levels.count {
      // Dependents have a higher rank, so this level is complete.
      for node in levels[rank] {
        node.isMarked = false
        guard node.refresh() else { continue }
        changed.append(node)
        node.dependents.forEach { mark($0) }
      }
      rank += 1
    }
    if !changed.isEmpty {
      turns.locked { _ in
        for node in changed { node.publish() }
      }
      for node in changed { node.deliver() }
      for node in changed { node.settle() }
    }
    for body in followUps { body() }
  }
}
