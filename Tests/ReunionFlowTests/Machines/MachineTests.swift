import ReunionFlow
import Testing

@Suite struct MachineTests {
  let clock = TestClock()

  @Test func `a step to a state begins a visit, and one within it does not`() throws {
    #expect(try Connection.next(.idle, .connect).isVisit)
    #expect(try !Connection.next(.connecting(attempt: 1), .progress).isVisit)
  }

  @Test func `an invalid event throws and changes nothing`() throws {
    let machine = StateMachine<Connection>(.idle, clock: clock)
    let rejected = Recorder<String>()
    let subscription = machine.rejected.observe { rejected.add($0.description) }
    #expect(throws: InvalidTransition.self) { try machine.send(.opened) }
    #expect(rejected.values.isEmpty)
    #expect(!machine.offer(.closed))
    #expect(rejected.values == ["The event closed is not valid in the state idle."])
    #expect(machine.state.value == .idle)
    #expect(machine.history.isEmpty)
    subscription.cancel()
  }

  @Test func `a send from inside an effect waits its turn`() throws {
    let log = Recorder<String>()
    let machine = StateMachine<Connection>(.idle, clock: clock) { effect, machine in
      log.add("\(effect) begins in \(machine.state.value)")
      if effect == .open(attempt: 1) { machine.offer(.opened) }
      log.add("\(effect) ends in \(machine.state.value)")
    }
    let subscription = machine.transitions.observe { log.add("\($0.event) leads to \($0.to)") }
    try machine.send(.connect)
    #expect(
      log.values == [
        "connect leads to connecting(attempt: 1)",
        "open(attempt: 1) begins in connecting(attempt: 1)",
        "open(attempt: 1) ends in connecting(attempt: 1)",
        "opened leads to online",
      ])
    #expect(machine.state.value == .online)
    subscription.cancel()
  }

  @Test func `one who first looks from inside an effect sees the state of that effect`() throws {
    let log = Recorder<Connection.State>()
    let machine = StateMachine<Connection>(.idle, clock: clock) { effect, machine in
      guard effect == .open(attempt: 1) else { return }
      machine.offer(.opened)
      machine.offer(.closed)
      log.add(machine.state.value)
    }
    try machine.send(.connect)
    #expect(log.values == [.connecting(attempt: 1)])
    #expect(machine.state.value == .idle)
    #expect(machine.history.map(\.event) == ["connect", "opened", "closed"])
  }

  @Test func `one who first looks late sees the newest state, and all that comes`() throws {
    let machine = StateMachine<Connection>(.idle, clock: clock)
    try machine.send(.connect)
    try machine.send(.opened)
    let seen = Recorder<Connection.State>()
    let subscription = machine.state.observe { seen.add($0) }
    try machine.send(.closed)
    try machine.send(.connect)
    clock.advance(by: .seconds(10))
    #expect(seen.values == [.online, .idle, .connecting(attempt: 1), .connecting(attempt: 2)])
    subscription.cancel()
  }

  @Test func `a countdown in a state's associated value dies with the state`() throws {
    let machine = StateMachine<Kettle>(.cold, clock: clock)
    func heat(_ seconds: Int) throws {
      try machine.send(
        .heat(
          Countdown(after: .seconds(seconds), clock: clock) { [weak machine] in
            machine?.offer(.boiled)
          }))
    }
    try heat(10)
    clock.advance(by: .seconds(5))
    try machine.send(.off)
    // Also the history has let it go.
    #expect(clock.nextMoment == nil)
    try heat(20)
    clock.advance(by: .seconds(19))
    guard case .heating(let countdown) = machine.state.value else {
      Issue.record("not heating")
      return
    }
    #expect(countdown.remaining == .seconds(1))
    clock.advance(by: .seconds(1))
    #expect(machine.state.value == .hot)
    #expect(machine.history.map(\.to) == ["heating", "cold", "heating", "hot"])
  }

  @Test func `a send from inside an observer is judged at once and delivered in order`() throws {
    let machine = StateMachine<Connection>(.idle, clock: clock)
    let seen = Recorder<Connection.State>()
    let refused = Recorder<Bool>()
    let first = machine.state.observe { state in
      guard state == .connecting(attempt: 1) else { return }
      machine.offer(.opened)
      refused.add(!machine.offer(.opened))
    }
    let second = machine.state.observe { seen.add($0) }
    try machine.send(.connect)
    #expect(seen.values == [.idle, .connecting(attempt: 1), .online])
    #expect(refused.values == [true])
    first.cancel()
    second.cancel()
  }

  @Test func `a deadline starts over with a visit and runs on through a step that stays`() throws {
    let machine = StateMachine<Connection>(.idle, clock: clock)
    try machine.send(.connect)
    clock.advance(by: .seconds(9))
    try machine.send(.progress)
    clock.advance(by: .seconds(1))
    #expect(machine.state.value == .connecting(attempt: 2))
    clock.advance(by: .seconds(9))
    #expect(machine.state.value == .connecting(attempt: 2))
    clock.advance(by: .seconds(1))
    #expect(machine.state.value == .failed)
    #expect(clock.nextMoment == nil)
  }

  @Test func `a machine that is released leaves no deadline behind`() throws {
    weak var released: StateMachine<Connection>?
    do {
      let machine = StateMachine<Connection>(.idle, clock: clock)
      released = machine
      try machine.send(.connect)
      #expect(clock.nextMoment != nil)
    }
    #expect(released == nil)
    #expect(clock.nextMoment == nil)
  }

  @Test func `the history keeps the last transitions`() throws {
    let machine = StateMachine<Connection>(.idle, clock: clock, historyMax: 3)
    for _ in 0..<100 {
      try machine.send(.connect)
      clock.advance(by: .seconds(1))
      try machine.send(.closed)
    }
    #expect(machine.history.map(\.event) == ["closed", "connect", "closed"])
    #expect(machine.history.last?.description == "connecting —closed→ idle")
  }

  @Test func `events of four threads are all judged and none is lost`() {
    let machine = StateMachine<Counter>(.init(count: 0), clock: clock)
    let seen = Recorder<Int>()
    let subscription = machine.transitions.observe { seen.add($0.to.count) }
    onThreads(4) { _ in for _ in 0..<5_000 { machine.offer(.add) } }
    #expect(seen.values == Array(1...20_000))
    #expect(machine.state.value.count == 20_000)
    subscription.cancel()
  }
}

private enum Counter: Machine {
  struct State { var count: Int }
  enum Event { case add }

  static func next(_ state: State, _ event: Event) throws(InvalidTransition) -> Step<State, Never> {
    .to(State(count: state.count + 1))
  }
}

/// A machine that keeps its own time: the countdown is part of the state.
private enum Kettle: Machine {
  enum State: Equatable { case cold, heating(Countdown), hot }
  enum Event { case heat(Countdown), off, boiled }

  static func next(_ state: State, _ event: Event) throws(InvalidTransition) -> Step<State, Never> {
    switch (state, event) {
    case (.cold, .heat(let countdown)): .to(.heating(countdown))
    case (.heating, .off), (.hot, .off): .to(.cold)
    case (.heating, .boiled): .to(.hot)
    default: throw InvalidTransition(from: state, event: event)
    }
  }
}
