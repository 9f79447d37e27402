import ReunionCore
import ReunionStore

/// What was deleted goes for good, and stays gone (docs/protocol.md 2.25).
extension HistoryRun {
  /// Now and then, and sooner than any server would, has the server of all let go what was deleted.
  mutating func raiseHorizon(_ step: Int) throws {
    var random = SeededRandom(seed: history.seed &* 131 &+ UInt64(step))
    try noteGone()
    // Pages are away more rarely than replicas.
    guard random.happens(browserDevices.isEmpty ? 0.15 : 0.5), let root = world.root,
      let store = root.running, !root.isGone
    else { return }
    oracle.noteGoing(try Self.healthy(root) { try Holdings(store, world.space) })
    do {
      try Self.healthy(root) {
        let arrival = try store.arrival(of: world.space)
        let back = UInt64(random.happens(0.3) ? 0 : random.below(24))
        guard arrival > back else { return }
        try store.raiseHorizon(of: world.space, to: arrival - back)
      }
    } catch {
      guard root.isGone else { throw error }
    }
    try noteGone()
  }

  /// Has the oracle know what is gone at the server of all. Its process may have ended in the middle of that.
  mutating func noteGone() throws {
    guard let root = world.root, let store = root.running, !root.isGone else { return }
    oracle.noteGone(try Self.healthy(root) { try Holdings(store, world.space) })
  }
}
