import ReunionFlow
import Testing

@Suite struct SignalProducerTests {
  struct Failure: Error {}
  let clock = TestClock()

  /// A producer that fails a number of times, counts its starts, and then sends its number.
  private func flaky(failing count: Int, _ starts: Recorder<Moment>) -> SignalProducer<Int> {
    SignalProducer { [clock] send in
      starts.add(clock.now)
      let number = starts.values.count
      if number <= count {
        send(.failed(Failure()))
      } else {
        send(.value(number))
        send(.finished)
      }
      return SignalSubscription {}
    }
  }

  private static func text(_ event: SignalProducer<Int>.Event) -> String {
    switch event {
    case .value(let value): "\(value)"
    case .finished: "finished"
    case .failed: "failed"
    }
  }

  @Test func `a producer begins with each start and tells nothing after its end`() {
    let sends = Recorder<@Sendable (SignalProducer<Int>.Event) -> Void>()
    let ends = Recorder<Int>()
    let producer = SignalProducer<Int> { send in
      sends.add(send)
      return SignalSubscription { ends.add(1) }
    }
    #expect(sends.values.isEmpty)
    let seen = Recorder<String>()
    let first = producer.map { $0 * 10 }.start { seen.add(Self.text($0)) }
    let second = producer.start { seen.add(Self.text($0)) }
    #expect(sends.values.count == 2)
    sends.values[0](.value(1))
    sends.values[0](.finished)
    sends.values[0](.value(2))
    #expect(ends.values.count == 1)
    second.cancel()
    sends.values[1](.value(3))
    #expect(seen.values == ["10", "finished"])
    #expect(ends.values.count == 2)
    first.cancel()
  }

  @Test func `retry begins anew after growing pauses until it succeeds`() {
    let starts = Recorder<Moment>()
    let seen = Recorder<String>()
    let backoff = Backoff(initial: .seconds(1), cap: .seconds(8))
    let subscription = flaky(failing: 3, starts)
      .retry(backoff: backoff, clock: clock, using: LongestPause())
      .start { seen.add(Self.text($0)) }
    clock.advance(by: .seconds(60))
    #expect(seen.values == ["4", "finished"])
    let seconds = starts.values.map { Double($0.nanoseconds) / 1e9 }
    #expect(seconds.count == 4)
    #expect(zip(seconds, [0, 1, 3, 7]).allSatisfy { abs($0 - $1) < 0.001 })
    subscription.cancel()
  }

  @Test func `retry gives up after so many attempts, and stops when it is cancelled`() {
    let starts = Recorder<Moment>()
    let seen = Recorder<String>()
    let producer = flaky(failing: 100, starts)
    let limited = producer.retry(attemptMax: 3, clock: clock).start { seen.add(Self.text($0)) }
    clock.advance(by: .seconds(600))
    #expect(starts.values.count == 3)
    #expect(seen.values == ["failed"])
    let endless = producer.retry(clock: clock).start { seen.add(Self.text($0)) }
    clock.advance(by: .seconds(600))
    let count = starts.values.count
    #expect(count > 10)
    endless.cancel()
    #expect(clock.nextMoment == nil)
    clock.advance(by: .seconds(600))
    #expect(starts.values.count == count && seen.values == ["failed"])
    limited.cancel()
  }

  @Test func `only the newest producer's answers count`() throws {
    let query = Variable("a")
    let sends = Recorder<(String, @Sendable (SignalProducer<String>.Event) -> Void)>()
    let cancelled = Recorder<String>()
    let answers = query.signal.flatMapLatest { query in
      SignalProducer<String> { send in
        sends.add((query, send))
        return SignalSubscription { cancelled.add(query) }
      }
    }
    let seen = Recorder<String>()
    let subscription = answers.observe { answer in
      switch answer {
      case nil: seen.add("waiting")
      case .success(let value): seen.add(value)
      case .failure: seen.add("failed")
      }
    }
    sends.values[0].1(.value("A"))
    query.value = "b"
    sends.values[0].1(.value("late"))
    sends.values[1].1(.failed(Failure()))
    query.value = "c"
    sends.values[2].1(.value("C"))
    #expect(seen.values == ["waiting", "A", "waiting", "failed", "waiting", "C"])
    #expect(cancelled.values == ["a", "b"])
    subscription.cancel()
  }

  @Test func `a released flatMapLatest cancels what is under way`() {
    let cancelled = Recorder<Int>()
    let source = Variable(1)
    do {
      let answers = source.signal.flatMapLatest { value in
        SignalProducer<Int> { _ in SignalSubscription { cancelled.add(value) } }
      }
      #expect(answers.value == nil && cancelled.values.isEmpty)
    }
    #expect(cancelled.values == [1])
  }

  @Test func `requests and sequences are producers, and end with their subscription`() async {
    let (stream, feed) = AsyncStream<Int>.makeStream()
    let (results, done) = AsyncStream<String>.makeStream()
    let request = SignalProducer(request: { 42 }).start { done.yield(Self.text($0)) }
    var iterator = results.makeAsyncIterator()
    #expect(await iterator.next() == "42")
    #expect(await iterator.next() == "finished")
    let failing = SignalProducer<Int>(request: { throw Failure() })
      .start { done.yield(Self.text($0)) }
    #expect(await iterator.next() == "failed")
    let sequence = SignalProducer(sequence: stream).start { done.yield(Self.text($0)) }
    feed.yield(1)
    #expect(await iterator.next() == "1")
    let (ended, end) = AsyncStream<Void>.makeStream()
    feed.onTermination = { _ in end.finish() }
    sequence.cancel()
    for await _ in ended {}
    _ = (request, failing)
  }
}

/// Randomness that makes every pause as long as it can be.
private struct LongestPause: RandomNumberGenerator {
  mutating func next() -> UInt64 { .max }
}
