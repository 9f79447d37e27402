import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// The rooms of a server's spaces in which it is told what stands where.
///
/// *Thread*: any.
final class StandingRooms: Sendable {
  private let store: Store
  private let clock: any FlowClock
  private let executor: @Sendable (SpaceID) -> Session.Executor
  private let rooms = Lock<[SpaceID: StandingRoom]>([:])
  private let observations = Lock<[SignalSubscription]>([])

  init(
    _ store: Store, clock: any FlowClock,
    executor: @escaping @Sendable (SpaceID) -> Session.Executor
  ) {
    self.store = store
    self.clock = clock
    self.executor = executor
    let commits = store.observeCommits { [weak self] commit in
      self?.rooms.withLock { $0[commit.space] }?.arrived()
    }
    let blobs = store.blobs.observeArrivals { [weak self] in self?.changed($0) }
    let losses = store.blobs.observeLosses { [weak self] in self?.changed($0) }
    observations.withLock { $0 = [commits, blobs, losses] }
  }

  /// A blob came or went: of matter to those spaces whose records name it.
  private func changed(_ hash: BlobHash) {
    for (space, room) in rooms.withLock({ $0 }) where room.isHeard {
      if (try? store.blobs.byteCountNamed(of: hash, in: space)) != 0 { room.arrived() }
    }
  }

  /// What a session of a device does in the room of its space.
  func tap(_ served: ServedSpace, _ device: Access.Device) -> StandingTap {
    let known = rooms.withLock { $0[served.id] }
    // It reads what was kept, away from the lock.
    let made = known ?? StandingRoom(served, in: store, clock: clock, execute: executor(served.id))
    let room = rooms.withLock { rooms in
      let room = rooms[served.id] ?? made
      rooms[served.id] = room
      return room
    }
    return StandingTap(
      began: { _ in },
      heard: { [weak room] session, update in room?.hear(update, from: session, device) },
      applied: { [weak room] _ in room?.changed() },
      ended: { [weak room] in room?.end($0) })
  }

  /// Somebody may not come any more.
  func membersChanged() {
    for room in rooms.withLock({ Array($0.values) }) { room.changed() }
  }

  /// Keeps on the disk what is known. *Thread*: one that may wait.
  func keep() {
    for room in rooms.withLock({ Array($0.values) }) { room.keep() }
  }
}
