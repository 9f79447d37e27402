/// One turn: every marked node is brought up to date once, sources before what depends on them;
/// then all new values are published together; then the observers run, and last what follows.
///
/// It is empty between turns and keeps its memory for the next.
struct Turn {
  /// The marked nodes by rank.
  private var levels: ContiguousArray<NodeChain> = []
  private var changed = NodeChain()
  private var followUps: [FollowUp] = []
  private var stamp = 0

  // A struct around the closure: stored bare in an array, it would be wrapped once more.
  private struct FollowUp {
    let body: () -> Void
  }

  /// Starts the turn at a node that has something new, once.
  @inline(__always)
  mutating func start(at node: Node) {
    changed.append(node)
    node.dependents.forEach(Edge.self) { mark($0.dependent) }
  }

  /// Has a node brought up to date in this turn, once, however often it is marked.
  mutating func mark(_ node: Node) {
    guard !node.isMarked else { return }
    node.isMarked = true
    enlist(node)
  }

  /// Has a closure run after the observers.
  mutating func afterwards(_ body: @escaping () -> Void) { followUps.append(FollowUp(body: body)) }

  /// A number greater than all that this turn has given out before.
  mutating func nextStamp() -> Int {
    stamp += 1
    return stamp
  }

  /// Runs the turn; no lock is held while transforms, observers and follow-ups run.
  mutating func run(in turns: Turns) {
    refresh()
    if !changed.isEmpty {
      turns.locked { _ in
        changed.forEach { node in
          node.version &+= 1
          node.publish()
        }
      }
      while let node = changed.popFirst() { node._withUnsafeGuaranteedRef { $0.deliver() } }
    }
    guard !followUps.isEmpty else { return }
    let bodies = followUps
    followUps = []
    for followUp in bodies { followUp.body() }
  }

  private mutating func refresh() {
    var level = 0
    while level < levels.count {
      // Dependents have a higher rank, so this level is complete.
      while let node = levels[level].popFirst() {
        node._withUnsafeGuaranteedRef { refresh($0, at: level) }
      }
      level += 1
    }
  }

  private mutating func refresh(_ node: Node, at level: Int) {
    // Its rank was raised since it was marked.
    guard node.rank <= level else { return enlist(node) }
    switch node.refresh(&self) {
    case .same: node.isMarked = false
    case .later: enlist(node)
    case .changed:
      node.isMarked = false
      start(at: node)
    }
  }

  private mutating func enlist(_ node: Node) {
    while levels.count <= node.rank { levels.append(NodeChain()) }
    levels[node.rank].append(node)
  }
}
