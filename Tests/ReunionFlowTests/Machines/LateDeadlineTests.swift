import Testing

@testable import ReunionFlow

/// The classic bug of connect timeouts: the deadline of the first try hits the second one.
@Suite struct LateDeadlineTests {
  let clock = TestClock()

  /// Connects, and at 10 s, when the deadline is taken out to run, closes and connects again on
  /// another thread; only then it runs. Tells when the second try timed out.
  private func secondTimeout(
    state: () -> Connection.State, send: (Connection.Event) -> Void
  ) throws -> Duration? {
    let start = clock.now
    send(.connect)
    let late = try #require(clock.timeline.takeDue(by: start.advanced(by: .seconds(10))))
    send(.closed)
    send(.connect)
    late.run()
    for _ in 0..<20 {
      guard state() == .connecting(attempt: 1) else { return start.duration(to: clock.now) }
      clock.advance(by: .seconds(1))
    }
    return nil
  }

  @Test func `a deadline never hits a later visit, even if it cannot be cancelled`() throws {
    let machine = StateMachine<Connection>(.idle, clock: clock)
    let timeout = try secondTimeout(
      state: { machine.state.value }, send: { machine.offer($0) })
    #expect(timeout == .seconds(20))
  }

  @Test func `negative control: a machine without visit numbers is caught by the same test`() throws
  {
    let naive = NaiveConnection(clock)
    let timeout = try secondTimeout(state: { naive.state.value }, send: { naive.send($0) })
    #expect(timeout == .seconds(10))
  }
}

/// Sends its deadline without asking whether the state has been left since.
private final class NaiveConnection: Sendable {
  let state = Variable(Connection.State.idle)
  private let clock: TestClock

  init(_ clock: TestClock) { self.clock = clock }

  func send(_ event: Connection.Event) {
    guard let step = try? Connection.next(state.value, event) else { return }
    state.value = step.state
    guard let deadline = Connection.deadline(step.state) else { return }
    _ = clock.schedule(at: clock.now.advanced(by: deadline.after)) { [self] in
      send(deadline.event)
    }
  }
}
