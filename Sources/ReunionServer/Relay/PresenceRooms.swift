import ReunionCore
import ReunionFlow
import ReunionSync

/// The rooms of a server's spaces.
///
/// *Thread*: any.
final class PresenceRooms: Sendable {
  private let clock: any FlowClock
  private let executor: @Sendable (SpaceID) -> Session.Executor
  private let bugs: SeededBugs
  private let rooms = Lock<[SpaceID: OpenRoom]>([:])

  init(
    clock: any FlowClock, bugs: SeededBugs,
    executor: @escaping @Sendable (SpaceID) -> Session.Executor
  ) {
    self.clock = clock
    self.bugs = bugs
    self.executor = executor
  }

  /// What a session does in the room of its space; where its device is not to be seen, it hears alone.
  func tap(_ space: SpaceID, device: UInt64, isSeen: Bool) -> PresenceTap {
    let room = rooms.withLock { rooms in
      let room = rooms[space] ?? OpenRoom(clock: clock, bugs: bugs, execute: executor(space))
      rooms[space] = room
      return room
    }
    return PresenceTap(
      began: { _ in },
      heard: { [weak room] session, update in
        if update.isWhole { room?.begin(session, device) }
        if isSeen { room?.take(update, from: session) }
      },
      ended: { [weak room] in room?.end($0) })
  }
}
