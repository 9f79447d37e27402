import Measuring
import ReunionFlow

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

/// The same switch, with nothing around it.
private final class RawDoor {
  private(set) var state = Door.State.closed
  private(set) var invalidCount = 0

  @inline(never) func send(_ event: Door.Event) {
    switch (state, event) {
    case (.closed, .push): state = .open
    case (.open, .pull): state = .closed
    case (.closed, .lock): state = .locked
    case (.locked, .unlock): state = .closed
    default: invalidCount += 1
    }
  }
}

private func machineEvent() -> Row {
  let count = 1_000_000
  let round: [Door.Event] = [.push, .pull, .lock, .unlock, .push, .pull, .push, .pull]
  let events = (0..<count).map { round[$0 % round.count] }
  let machine = StateMachine<Door>(.closed, clock: .system)
  let raw = RawDoor()
  let ours = { for event in events { try? machine.send(event) } }
  let (own, other) = Measure.pair(
    operations: count, ours: ours, peer: { for event in events { raw.send(event) } })
  var row = Row(
    "machine-event", ours: own, peer: other, peerName: "raw enum switch", unit: "ns CPU an event")
  row.allocations = Measure.allocations(ours).map { Double($0) / Double(count) }
  keep(raw.state)
  return row
}
