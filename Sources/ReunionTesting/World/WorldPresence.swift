import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// What the replicas of a world show each other while they are connected, as peers do that are near: each
/// process shows what it did last.
///
/// *Thread*: that of the world.
package final class WorldPresence: Sendable {
  private static let key = "did"

  private let outlivesLink: Bool
  /// Of each replica what its present process shows and sees.
  private let processes = Lock<[Int: (store: Store, presence: Presence)]>([:])

  /// `outlivesLink` is a bug: nobody notices the end of a link.
  init(outlivesLink: Bool) { self.outlivesLink = outlivesLink }

  private func presence(of replica: WorldReplica) -> Presence? {
    guard let store = replica.running else { return nil }
    return processes.withLock { processes in
      if let known = processes[replica.number], known.store === store { return known.presence }
      let world = replica.world
      let presence = Presence(clock: world.clock, execute: world.executor(at: replica))
      presence.want()
      processes[replica.number] = (store, presence)
      return presence
    }
  }

  /// What a session of a replica with another does.
  func tap(_ replica: WorldReplica, with other: WorldReplica) -> PresenceTap? {
    guard var tap = presence(of: replica)?.tap(of: other.running?.site.device) else { return nil }
    if outlivesLink { tap.ended = { _ in } }
    return tap
  }

  /// Has a replica show something in place of what it showed before.
  func show(_ value: Int, at replica: WorldReplica) throws {
    try presence(of: replica)?.show(value, as: Self.key)
  }

  /// What a replica sees of others, by device.
  func seen(by replica: WorldReplica) -> [UInt64: Int] {
    let others = presence(of: replica)?.others.value ?? []
    return Dictionary(uniqueKeysWithValues: others.map { ($0.id, $0.value(Self.key) ?? -1) })
  }
}
