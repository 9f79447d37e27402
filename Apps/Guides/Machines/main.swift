import ReunionFlow

enum Kettle: Machine {
  enum State: Hashable { case off, heating, warm }
  enum Event: Hashable { case pressed, boiled, cooled, lifted }
  enum Effect: Hashable { case heater(isOn: Bool), chime }

  static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch (state, event) {
    case (.off, .pressed), (.warm, .pressed): .to(.heating, .heater(isOn: true))
    case (.heating, .boiled): .to(.warm, .heater(isOn: false), .chime)
    case (.heating, .pressed), (.heating, .lifted): .to(.off, .heater(isOn: false))
    case (.warm, .cooled), (.warm, .lifted): .to(.off)
    case (.off, .lifted): .stay(.off)
    default: throw InvalidTransition(from: state, event: event)
    }
  }

  static func deadline(_ state: State) -> Deadline<Event>? {
    switch state {
    case .heating: Deadline(after: .seconds(300), send: .pressed)
    case .warm: Deadline(after: .seconds(600), send: .cooled)
    case .off: nil
    }
  }
}

let clock = TestClock()
let kettle = StateMachine<Kettle>(.off, clock: clock) { effect, _ in
  switch effect {
  case .heater(let isOn): print(isOn ? "  the heater is on" : "  the heater is off")
  case .chime: print("  ding")
  }
}
let watching = kettle.state.observe { print($0) }

try kettle.send(.pressed)
clock.advance(by: .seconds(90))
try kettle.send(.boiled)
clock.advance(by: .seconds(600))
do {
  try kettle.send(.boiled)
} catch {
  print("refused: \(error)")
}
print("taken: \(kettle.offer(.lifted)), \(kettle.offer(.cooled))")
try kettle.send(.pressed)
clock.advance(by: .seconds(300))

let all = MachineModel<Kettle>(start: .off, events: [.pressed, .boiled, .cooled, .lifted])
let coverage = Coverage(of: all)
for path in all.paths { coverage.record(path: path) }
print("\(all.states.count) states, \(all.edges.count) arrows, \(coverage.missing.count) not taken")
