package import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// What the replicas of a world hear of where their changes are, as peers do: each process has receipts of what
/// it wrote last.
///
/// *Thread*: that of the world.
package final class WorldStanding: Sendable {
  private struct Process {
    let store: Store
    let watch: StandingWatch
    var receipts: [Receipt] = []
  }

  /// Receipts of a process at once.
  private static let receiptsMax = 4
  private let processes = Lock<[Int: Process]>([:])

  private let isDeaf: Bool

  /// `isDeaf` is a bug: nobody hears what others say.
  init(isDeaf: Bool) { self.isDeaf = isDeaf }

  private func watch(of replica: WorldReplica) -> StandingWatch? {
    guard let store = replica.running else { return nil }
    return processes.withLock { processes in
      if let known = processes[replica.number], known.store === store { return known.watch }
      let world = replica.world
      let watch = StandingWatch(
        of: world.space, in: store, clock: world.clock, execute: world.executor(at: replica))
      processes[replica.number] = Process(store: store, watch: watch)
      return watch
    }
  }

  /// What a session of a replica with another does.
  func tap(_ replica: WorldReplica, with other: WorldReplica) -> StandingTap? {
    guard var tap = watch(of: replica)?.tap(of: other.running?.site.device) else { return nil }
    if isDeaf { tap.heard = { _, _ in } }
    return tap
  }

  /// Takes a receipt for what a replica wrote, if it wrote anything since the last one. Its disk must work.
  func note(_ replica: WorldReplica) throws {
    guard let watch = watch(of: replica) else { return }
    let last = processes.withLock { $0[replica.number]?.receipts.last?.dots }
    let receipt = try watch.receipt()
    guard receipt.dots != last else { return }
    processes.withLock { processes in
      processes[replica.number]?.receipts.append(receipt)
      let count = processes[replica.number]?.receipts.count ?? 0
      if count > Self.receiptsMax { processes[replica.number]?.receipts.removeFirst() }
    }
  }

  /// What the present process of a replica has receipts for, and the devices that are said to have it.
  func told(at replica: WorldReplica) -> [(dots: [Dot], devices: Set<UInt64>)] {
    processes.withLock { processes in
      guard let known = processes[replica.number], known.store === replica.running else {
        return []
      }
      return known.receipts.map { ($0.dots, $0.devices) }
    }
  }

  /// Forgets all receipts: a replica has lost what it had.
  func forget() {
    processes.withLock { $0 = $0.mapValues { Process(store: $0.store, watch: $0.watch) } }
  }
}
