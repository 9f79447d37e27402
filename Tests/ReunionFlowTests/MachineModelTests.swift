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
          connecting --> connecting: progress
          connecting --> online: opened
          connecting --> idle: closed
          connecting --> connecting: timedOut
          online --> idle: closed
          online --> failed: giveUp
          connecting --> failed: timedOut
          failed --> [*]
          note right of connecting: at most 10.0 seconds

        """)
    #expect(model.table.contains("| online | closed | idle |"))
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
