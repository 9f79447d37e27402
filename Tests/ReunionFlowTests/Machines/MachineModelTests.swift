import ReunionFlow
import Testing

@Suite struct MachineModelTests {
  let model = MachineModel<Connection>(
    start: .idle, events: [.connect, .progress, .opened, .closed, .giveUp])

  @Test func `the diagram shows every transition, deadline and dead end`() {
    #expect(
      model.mermaid == """
        stateDiagram-v2
          [*] --> idle
          idle --> connecting: connect
          connecting --> connecting: progress<br>timedOut
          connecting --> online: opened
          connecting --> idle: closed
          online --> idle: closed
          online --> failed: giveUp
          connecting --> failed: timedOut
          failed --> [*]
          note right of connecting: at most 10.0 seconds

        """)
    #expect(model.table.contains("| online | closed | idle |"))
  }

  @Test func `the diagram in DOT shows the same`() {
    #expect(
      model.dot == #"""
        digraph machine {
          node [shape=box, style=rounded]
          start [shape=point]
          "idle" [label="idle"]
          "connecting" [label="connecting\nat most 10.0 seconds"]
          "online" [label="online"]
          "failed" [label="failed", peripheries=2]
          start -> "idle"
          "idle" -> "connecting" [label="connect"]
          "connecting" -> "connecting" [label="progress\ntimedOut"]
          "connecting" -> "online" [label="opened"]
          "connecting" -> "idle" [label="closed"]
          "online" -> "idle" [label="closed"]
          "online" -> "failed" [label="giveUp"]
          "connecting" -> "failed" [label="timedOut"]
        }

        """#)
  }

  @Test func `the paths take every transition on a real machine`() throws {
    let coverage = Coverage(of: model)
    for path in model.paths {
      let machine = StateMachine<Connection>(.idle, clock: TestClock())
      let subscription = machine.transitions.observe { coverage.record($0) }
      for event in path { try machine.send(event) }
      subscription.cancel()
    }
    #expect(coverage.missing == [])
    #expect(coverage.unexpected == [])
    #expect(model.paths.count <= model.edges.count)
    #expect(model.paths[0] == [.connect, .timedOut, .timedOut])
    let without = Coverage(of: model)
    for path in model.paths.dropFirst() { without.record(path: path) }
    #expect(without.missing.map(\.event) == ["timedOut", "timedOut"])
  }

  @Test func `a random walk repeats with its seed, and is valid throughout`() throws {
    let walk = model.randomWalk(steps: 200, seed: 7)
    #expect(walk == model.randomWalk(steps: 200, seed: 7))
    #expect((1...20).contains { model.randomWalk(steps: 200, seed: $0) != walk })
    let coverage = Coverage(of: model)
    for seed in 0..<200 as Range<UInt64> {
      let machine = StateMachine<Connection>(.idle, clock: TestClock())
      let walk = model.randomWalk(steps: 50, seed: seed)
      for event in walk { try machine.send(event) }
      #expect(walk.count == 50 || machine.state.value == .failed)
      coverage.record(path: walk)
    }
    #expect(coverage.fraction == 1)
  }

  @Test func `names that a diagram cannot take are shown in quotes`() {
    let model = MachineModel<Lamp>(start: Lamp.State(isOn: false), events: [.toggle])
    #expect(model.mermaid.contains("state \"light off\" as state0"))
    #expect(model.mermaid.contains("state \"light #quot;on#quot;\" as state1"))
    #expect(model.mermaid.contains("  state0 --> state1: toggle"))
    #expect(model.dot.contains("\"light off\" -> \"light \\\"on\\\"\" [label=\"toggle\"]"))
  }

  @Test func `states that cannot be reached or left are named`() {
    #expect(model.states == ["idle", "connecting", "online", "failed"])
    #expect(model.unreachable(of: [.idle, .online, .failed, .orphan]) == ["orphan"])
    #expect(model.deadEnds == ["failed"])
    #expect(model.isComplete)
    #expect(!MachineModel<Connection>(start: .idle, events: [.connect], statesMax: 2).isComplete)
  }

  @Test func `a run that takes every transition covers the whole model`() throws {
    let clock = TestClock()
    let coverage = Coverage(of: model)
    func run(_ events: [Connection.Event], then wait: Duration = .zero) throws {
      let machine = StateMachine<Connection>(.idle, clock: clock)
      let subscription = machine.transitions.observe { coverage.record($0) }
      for event in events { try machine.send(event) }
      clock.advance(by: wait)
      subscription.cancel()
    }
    try run([.connect, .progress, .closed])
    try run([.connect, .opened, .closed, .connect, .opened])
    #expect(coverage.missing.map(\.description).count == 3)
    #expect(coverage.fraction < 1)
    try run([.connect, .opened, .giveUp])
    try run([.connect], then: .seconds(20))
    #expect(coverage.missing == [])
    #expect(coverage.unexpected == [])
    #expect(coverage.fraction == 1)
  }
}

/// A machine whose states describe themselves.
private enum Lamp: Machine {
  struct State: CustomStringConvertible {
    var isOn: Bool
    var description: String { isOn ? "light \"on\"" : "light off" }
  }
  enum Event { case toggle }

  static func next(_ state: State, _ event: Event) throws(InvalidTransition) -> Step<State, Never> {
    .to(State(isOn: !state.isOn))
  }
}
