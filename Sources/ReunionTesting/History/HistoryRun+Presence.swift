import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// Whom a replica sees is connected with it, and shows what is seen (docs/protocol.md 2.22).
extension HistoryRun {
  /// Nobody is seen by whoever dialled them when their link is closed.
  func checkSeen() throws {
    guard let presence = world.presence else { return }
    // A session that has ended says so in its turn.
    world.run(for: .seconds(1))
    for replica in world.replicas where replica.running != nil && !replica.isGone {
      let near = world.connections(of: replica).compactMap { connection -> WorldReplica? in
        // One that has ended just now is seen until its silence has lasted.
        guard connection.dialler === replica else { return connection.dialler }
        if case .live = connection.conversation { return connection.acceptor }
        return nil
      }
      let devices = Set(near.map { $0.store.site.device })
      guard let other = presence.seen(by: replica).keys.first(where: { !devices.contains($0) })
      else { continue }
      throw Violation(0, "\(replica.name) sees \(other), which is not connected with it")
    }
  }

  /// When all are connected each sees what its neighbours show, and under a partition nobody is seen.
  func checkPresence() throws {
    guard let presence = world.presence else { return }
    for (number, replica) in world.replicas.enumerated() {
      try presence.show(1000 + number, at: replica)
    }
    try checkNeighbours(presence)
    for connection in world.connections { connection.partition(there: true, back: true) }
    world.run(for: .seconds(40))
    for replica in world.replicas where !presence.seen(by: replica).isEmpty {
      throw Violation(0, "\(replica.name) sees somebody whose link has been silent for 40 s")
    }
    for connection in world.connections { connection.partition(there: false, back: false) }
    world.run(for: .seconds(120))
    try checkNeighbours(presence)
  }

  private func checkNeighbours(_ presence: WorldPresence) throws {
    world.run(for: .seconds(10))
    for replica in world.replicas {
      var near: [UInt64: Set<Int>] = [:]
      for connection in world.connections(of: replica) where !connection.isRevoked {
        let other = connection.dialler === replica ? connection.acceptor : connection.dialler
        guard let store = other.running else { continue }
        near[store.site.device, default: []].insert(1000 + other.number)
      }
      let seen = presence.seen(by: replica)
      guard Set(seen.keys) == Set(near.keys), seen.allSatisfy({ near[$0]?.contains($1) == true })
      else {
        throw Violation(0, "\(replica.name) sees \(seen), and its neighbours show \(near)")
      }
    }
  }
}
