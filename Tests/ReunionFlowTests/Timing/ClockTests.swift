import ReunionFlow
import Testing
import Waiting

/// What the clocks promise beyond single countdowns.
@Suite struct ClockTests {
  @Test func `advance returns when everything that follows is over`() {
    let clock = TestClock()
    let log = Recorder<String>()
    let level = Variable(0)
    let machine = StateMachine<Connection>(.idle, clock: clock) { effect, machine in
      log.add("\(effect)")
      // A countdown that is due at once still falls into the same advance.
      clock.schedule(at: clock.now) { machine.offer(.opened) }
    }
    let subscription = level.signal.map { $0 > 0 }.distinct().observe { isUp in
      if isUp { machine.offer(.connect) }
    }
    let countdown = Countdown(after: .seconds(1), clock: clock) { level.value = 1 }
    clock.advance(by: .seconds(1))
    #expect(machine.state.value == .online)
    #expect(log.values == ["open(attempt: 1)"])
    #expect(!countdown.isRunning)
    subscription.cancel()
  }

  @Test func `equal moments come in the order of arming, also after a restart`() {
    let clock = TestClock()
    let seen = Recorder<Int>()
    let countdowns = (0..<100).map { number in
      Countdown(after: .seconds(1), clock: clock) { seen.add(number) }
    }
    countdowns[3].restart()
    countdowns[50].cancel()
    withExtendedLifetime(countdowns) { clock.advance(by: .seconds(1)) }
    #expect(seen.values == (0..<100).filter { $0 != 3 && $0 != 50 } + [3])
  }

  @Test func `a clock that is released releases what waits on it`() {
    weak var held: Recorder<Int>?
    do {
      let recorder = Recorder<Int>()
      held = recorder
      let clock = TestClock()
      clock.schedule(at: Moment(nanoseconds: 5)) { recorder.add(1) }
    }
    #expect(held == nil)
  }

  @Test func `a task sleeps on a clock until its moment`() async throws {
    let clock = TestClock()
    let asleep = Task { try await clock.sleep(until: Moment(nanoseconds: 7)) }
    try await eventually("the task sleeps") { clock.nextMoment != nil }
    clock.advance(by: .nanoseconds(7))
    try await asleep.value
    #expect(clock.nextMoment == nil)
  }

  @Test func `a sleep that is cancelled ends at once and leaves nothing behind`() async throws {
    let clock = TestClock()
    let asleep = Task { try await clock.sleep(for: .seconds(3_600)) }
    try await eventually("the task sleeps") { clock.nextMoment != nil }
    asleep.cancel()
    await #expect(throws: CancellationError.self) { try await asleep.value }
    #expect(clock.nextMoment == nil)
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(for: .seconds(1))
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `countdowns that are released while they go off are safe`() async {
    let kept = Recorder<Countdown>()
    await withCheckedContinuation { continuation in
      // The kept ones, once each, are what must come whatever happens to the others.
      let left = Variable(4)
      onThreads(4) { _ in
        var live: [Countdown] = []
        for number in 0..<5_000 {
          let delay = Duration.microseconds(number % 7 * 20)
          live.append(Countdown(after: delay, clock: .system) {})
          if number % 3 == 0 { live.randomElement()?.restart() }
          if number % 5 == 0 { live.randomElement()?.cancel() }
          if live.count > 20 { live.removeFirst(10) }
        }
        kept.add(
          Countdown(after: .milliseconds(1), clock: .system) {
            left.update { $0 -= 1 }
            if left.value == 0 { continuation.resume() }
          })
      }
    }
    #expect(kept.values.count == 4)
    #expect(kept.values.allSatisfy { !$0.isRunning })
  }

  @Test func `the system clock wakes for an earlier countdown that comes later`() async {
    let far = Countdown(after: .seconds(1_000_000), clock: .system) {}
    await withCheckedContinuation { continuation in
      SystemClock.shared.schedule(at: SystemClock.shared.now.advanced(by: .milliseconds(1))) {
        continuation.resume()
      }
    }
    #expect(far.isRunning)
    #expect(far.remaining > .seconds(900_000))
  }
}
