import ReunionFlow
import Testing

@Suite struct PacingTests {
  let clock = TestClock()
  let source = Variable(0)
  let seen = Recorder<String>()

  private func watch(_ signal: Signal<Int>) -> SignalSubscription {
    signal.observe { [seen, clock] in seen.add("\($0) at \(clock.now)") }
  }

  @Test func `debounce passes on the last value once it has stood still`() {
    let subscription = watch(source.signal.debounce(for: .seconds(1), clock: clock))
    for value in 1...5 {
      source.value = value
      clock.advance(by: .milliseconds(900))
    }
    #expect(seen.values == ["0 at 0.0 s"])
    clock.advance(by: .seconds(10))
    source.value = 6
    clock.advance(by: .seconds(1))
    #expect(seen.values == ["0 at 0.0 s", "5 at 4.6 s", "6 at 15.5 s"])
    subscription.cancel()
  }

  @Test func `throttle passes on the first value at once and the newest at each period's end`() {
    let subscription = watch(source.signal.throttle(for: .seconds(1), clock: clock))
    for value in 1...25 {
      source.value = value
      clock.advance(by: .milliseconds(100))
    }
    clock.advance(by: .seconds(10))
    source.value = 26
    #expect(
      seen.values == [
        "0 at 0.0 s", "1 at 0.0 s", "10 at 1.0 s", "20 at 2.0 s", "25 at 3.0 s", "26 at 12.5 s",
      ])
    subscription.cancel()
  }

  @Test func `a paced signal that is released leaves nothing on the clock`() {
    for isThrottle in [true, false] {
      var signal: Signal<Int>? =
        isThrottle
        ? source.signal.throttle(for: .seconds(1), clock: clock)
        : source.signal.debounce(for: .seconds(1), clock: clock)
      var subscription: SignalSubscription? = signal?.observe { _ in }
      source.value += 1
      #expect(clock.nextMoment != nil)
      signal = nil
      #expect(clock.nextMoment != nil)
      subscription = nil
      #expect(clock.nextMoment == nil)
      _ = (signal, subscription)
    }
  }
}
