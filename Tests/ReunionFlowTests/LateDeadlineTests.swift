import ReunionFlow
import Testing

/// The classic bug of connect timeouts: the deadline of the first try hits the second one.
@Suite struct LateDeadlineTests {
  /// Connects, closes after 5 s, connects again at 6 s, and tells when the second try timed out.
  private func secondTimeout(
    on clock: TestClock, state: () -> Connection.State, send: (Connection.Event) -> Void
  ) -> Duration? {
    let start = clock.now
    send(.connect)
    clock.advance(by: .seconds(5))
    send(.closed)
    clock.advance(by: .seconds(1))
    send(.connect)
    for _ in 0..<20 {
      guard state() == .connecting(attempt: 1) else { return start.duration(to: clock.now) }
      clock.advance(by: .seconds(1))
    }
    return nil
  }

  @Test func `a deadline never hits a later visit, even if it cannot be cancelled`() {
    let clock = ForgetfulClock()
    let machine = StateMachine<Connection>(.idle, clock: clock)
    let timeout = secondTimeout(
      on: clock.base, state: { machine.state.value }, send: { machine.offer($0) })
    #expect(timeout == .seconds(16))
  }

  @Test func `negative control: a machine without visit numbers is caught by the same test`() {
    let clock = TestClock()
    let naive = NaiveConnection(clock)
    let timeout = secondTimeout(
      on: clock, state: { naive.state.value }, send: { naive.send($0) })
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
