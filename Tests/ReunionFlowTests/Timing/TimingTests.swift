import ReunionFlow
import Testing

@Suite struct TimingTests {
  let clock = TestClock(wallMilliseconds: 1_000)

  @Test func `actions run by moment, then in the order of scheduling, each at its moment`() {
    let seen = Recorder<String>()
    for (name, second) in [("b", 2), ("c", 2), ("a", 1), ("d", 3)] {
      _ = clock.schedule(at: Moment(nanoseconds: Int64(second) * 1_000_000_000)) { [clock] in
        seen.add("\(name) \(clock.now)")
      }
    }
    clock.advance(by: .seconds(2))
    #expect(seen.values == ["a 1.0 s", "b 2.0 s", "c 2.0 s"])
    clock.advance(by: .seconds(5))
    #expect(seen.values.last == "d 3.0 s")
    #expect(clock.nextMoment == nil)
  }

  @Test func `what falls due because of an action runs in the same advance`() {
    let seen = Recorder<Moment>()
    @Sendable func hop(_ left: Int) {
      guard left > 0 else { return }
      _ = clock.schedule(at: clock.now.advanced(by: .seconds(1))) { [clock] in
        seen.add(clock.now)
        hop(left - 1)
      }
    }
    hop(5)
    clock.advance(by: .seconds(10))
    #expect(seen.values.map(\.nanoseconds) == (1...5).map { $0 * 1_000_000_000 })
    #expect(clock.now.nanoseconds == 10_000_000_000)
  }

  @Test func `the wall clock moves with virtual time and can be set wrong`() {
    clock.advance(by: .seconds(2))
    #expect(clock.wallMilliseconds == 3_000)
    clock.wallMilliseconds = 500
    clock.advance(by: .seconds(1))
    #expect(clock.wallMilliseconds == 1_500)
  }

  @Test func `a countdown runs once, restarts, and stops when it is released`() {
    let seen = Recorder<Int>()
    var countdown: Countdown? = Countdown(after: .seconds(10), clock: clock) { seen.add(1) }
    clock.advance(by: .seconds(4))
    #expect(countdown?.remaining == .seconds(6))
    countdown?.restart()
    clock.advance(by: .seconds(9))
    #expect(seen.values.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(seen.values.count == 1)
    #expect(countdown?.remaining == .zero)
    countdown?.restart()
    countdown = nil
    clock.advance(by: .seconds(60))
    #expect(seen.values.count == 1)
    #expect(clock.nextMoment == nil)
  }

  @Test func `a countdown holds nothing after it is cancelled or has run`() {
    weak var held: Recorder<Int>?
    do {
      let recorder = Recorder<Int>()
      held = recorder
      let countdown = Countdown(after: .seconds(1), clock: clock) { recorder.add(1) }
      countdown.cancel()
      let alarm = clock.schedule(at: Moment(nanoseconds: 5)) { recorder.add(2) }
      alarm.cancel()
    }
    #expect(held == nil)
    #expect(clock.nextMoment == nil)
  }

  @Test func `a pendulum does not drift and counts the beats that it missed`() {
    let seen = Recorder<Pendulum.Beat>()
    let pendulum = Pendulum(every: .seconds(1), clock: clock) { [clock] beat in
      seen.add(beat)
      if beat.number == 2 { clock.advance(by: .milliseconds(3_500)) }
    }
    clock.advance(by: .seconds(7))
    #expect(seen.values.map(\.number) == [1, 2, 5, 6, 7])
    #expect(seen.values.map(\.missed) == [0, 0, 2, 0, 0])
    #expect(pendulum.remaining == .seconds(1))
    pendulum.cancel()
    clock.advance(by: .seconds(7))
    #expect(seen.values.count == 5)
    pendulum.restart()
    clock.advance(by: .seconds(1))
    #expect(seen.values.last?.number == 1)
  }

  @Test func `a pendulum that is released beats no more`() {
    let seen = Recorder<Int>()
    var pendulum: Pendulum? = Pendulum(every: .seconds(1), clock: clock) { seen.add($0.number) }
    clock.advance(by: .seconds(2))
    #expect(pendulum?.remaining == .seconds(1))
    pendulum = nil
    clock.advance(by: .seconds(5))
    #expect(seen.values == [1, 2])
    #expect(clock.nextMoment == nil)
  }

  @Test func `back-off doubles up to its cap and jitters over the whole range`() {
    let backoff = Backoff(initial: .seconds(1), cap: .seconds(30))
    let ceilings = [0, 1, 2, 3, 4, 5, 6, 1_000].map { backoff.ceiling(attempt: $0) }
    #expect(ceilings == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    var generator = SeededGenerator(seed: 7)
    let delays = (0..<1_000).map { _ in backoff.delay(attempt: 3, using: &generator) }
    #expect(delays.allSatisfy { (.zero ... .seconds(8)).contains($0) })
    #expect(delays.contains { $0 < .seconds(1) } && delays.contains { $0 > .seconds(7) })
  }

  @Test func `the system clock fires in order and forgets what was cancelled`() async {
    let clock = SystemClock.shared
    let start = clock.now
    let fired = await withCheckedContinuation { continuation in
      let seen = Recorder<Int>()
      // On the clock's own thread, where nothing fires before all are scheduled.
      _ = clock.schedule(at: start) {
        _ = clock.schedule(at: start.advanced(by: .milliseconds(40))) {
          seen.add(2)
          continuation.resume(returning: seen.values)
        }
        _ = clock.schedule(at: start.advanced(by: .milliseconds(20))) { seen.add(1) }
        clock.schedule(at: start) { seen.add(0) }.cancel()
      }
    }
    #expect(fired == [1, 2])
    #expect(clock.now >= start.advanced(by: .milliseconds(40)))
    #expect(clock.wallMilliseconds > 1_600_000_000_000)
  }
}
