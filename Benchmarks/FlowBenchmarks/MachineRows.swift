import Measuring
import ReunionFlow
import Synchronization

/// Rows about state machines.
let machineRows: [(name: String, measure: @Sendable () -> Row)] = [("machine-event", machineEvent)]

/// A door with a lock: every event of the list is valid.
private enum Door: Machine {
  enum State { case closed, open, locked }
  enum Event { case push, pull, lock, unlock }

  static func next(_ state: State, _ event: Event) throws(InvalidTransition) -> Step<State, Never> {
    switch (state, event) {
    case (.closed, .push): .to(.open)
    case (.open, .pull): .to(.closed)
    case (.closed, .lock): .to(.locked)
    case (.locked, .unlock): .to(.closed)
    default: throw InvalidTransition(from: state, event: event)
    }
  }
}

/// The same switch under a lock, since a machine may be sent events from any thread.
private final class LockedDoor: Sendable {
  private let state = Mutex((door: Door.State.closed, invalidCount: 0))

  var door: Door.State { state.withLock(\.door) }

  @inline(never) func send(_ event: Door.Event) {
    state.withLock { state in
      switch (state.door, event) {
      case (.closed, .push): state.door = .open
      case (.open, .pull): state.door = .closed
      case (.closed, .lock): state.door = .locked
      case (.locked, .unlock): state.door = .closed
      default: state.invalidCount += 1
      }
    }
  }
}

private func machineEvent() -> Row {
  let count = 1_000_000
  let round: [Door.Event] = [.push, .pull, .lock, .unlock, .push, .pull, .push, .pull]
  let events = (0..<count).map { round[$0 % round.count] }
  let machine = StateMachine<Door>(.closed, clock: .system)
  let locked = LockedDoor()
  let ours = { for event in events { try? machine.send(event) } }
  let (own, other) = Measure.pair(
    operations: count, ours: ours, peer: { for event in events { locked.send(event) } })
  var row = Row(
    "machine-event", ours: own, peer: other, peerName: "the same switch under an uncontended Mutex",
    unit: "ns CPU an event")
  row.allocations = Measure.allocations(ours).map { Double($0) / Double(count) }
  keep(locked.door)
  return row
}
