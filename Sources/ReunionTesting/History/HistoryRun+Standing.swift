import ReunionCore
import ReunionStore

/// Whoever is said to have what a device wrote has it on its disk (docs/protocol.md 2.23).
extension HistoryRun {
  /// Looks at all receipts of replicas that may edit everything.
  func checkStanding() throws {
    guard let standing = world.standing else { return }
    for replica in world.replicas where !isLimited(replica) {
      guard let store = replica.running, !replica.isGone,
        !oracle.mixed.contains(store.site.device)  // It may have been refused.
      else { continue }
      for (dots, devices) in standing.told(at: replica) {
        // What was issued anew goes under another site.
        let dots = dots.filter { $0.site == store.site(in: world.space) }
        for device in devices {
          guard let dot = try lacked(dots, by: device) else { continue }
          throw Violation(
            5, "\(replica.name) is told that device \(device) has change \(dot.seq), which it lacks"
          )
        }
      }
    }
  }

  /// When all are connected and quiet, each neighbour of a replica is said to have what it wrote: whoever lost nothing
  /// has all of it, blobs too.
  func checkStandingSettled() throws {
    guard let standing = world.standing, !oracle.isAnyPutBack else { return }
    world.run(for: .seconds(5))
    for replica in world.replicas where !isLimited(replica) && replica.durability == .full {
      guard let store = replica.running else { continue }
      for (dots, devices) in standing.told(at: replica)
      where dots.contains(where: { $0.site == store.site(in: world.space) }) {
        for connection in world.connections(of: replica) where !connection.isRevoked {
          let other = connection.dialler === replica ? connection.acceptor : connection.dialler
          guard case .live = connection.conversation, let held = other.running,
            !(connection.terms.isLeaf && other === connection.dialler),
            !devices.contains(held.site.device)
          else { continue }
          throw Violation(
            16, "\(replica.name) is not told that \(other.name) has what it wrote")
        }
      }
    }
  }

  /// What a device lacks of some changes: a live copy of its folder is the same device. Nil also where one of them is
  /// not looked at.
  private func lacked(_ dots: [Dot], by device: UInt64) throws -> Dot? {
    var vector = VersionVector()
    var held: [Holdings] = []
    for holder in world.replicas where holder.store.site.device == device {
      guard holder.durability == .full, !holder.isGone, let store = holder.running else {
        return nil
      }
      vector.merge(try Self.healthy(holder) { try store.vector(of: world.space) })
      if simulation.raisesHorizon {
        held.append(try Self.healthy(holder) { try Holdings(store, world.space) })
      }
    }
    return dots.first { dot in
      // Whoever takes all anew claims less than it holds.
      !vector.covers(dot) && !held.contains { oracle.holds($0, dot) }
    }
  }
}
