/// The runs of a producer that begins anew when it fails, and the pauses between them.
final class Retrying<Value: Sendable, Generator: RandomNumberGenerator & Sendable>: Sendable {
  typealias Event = SignalProducer<Value>.Event

  private struct State {
    /// How many runs began since the last value.
    var attemptCount = 0
    var generator: Generator
    var serial = SerialCancellable()
  }

  private let producer: SignalProducer<Value>
  private let policy: RetryPolicy
  private let send: @Sendable (Event) -> Void
  private let state: Lock<State>

  init(
    _ producer: SignalProducer<Value>, _ policy: RetryPolicy, _ generator: Generator,
    _ send: @escaping @Sendable (Event) -> Void
  ) {
    self.producer = producer
    self.policy = policy
    self.send = send
    state = Lock(State(generator: generator))
  }

  func begin() {
    let number = state.withLock { state in
      state.attemptCount += 1
      return state.serial.next()
    }
    hold(producer.start { [self] in take($0) }, number)
  }

  private func take(_ event: Event) {
    switch event {
    case .value: state.withLock { $0.attemptCount = 0 }
    case .finished: break
    case .failed: if pause() { return }
    }
    send(event)
  }

  /// Waits for the next run; false when there will be none.
  private func pause() -> Bool {
    let pause = state.withLock { state -> (delay: Duration, number: Int)? in
      guard state.attemptCount < policy.attemptMax else { return nil }
      let attempt = max(0, state.attemptCount - 1)
      let delay = policy.backoff.delay(attempt: attempt, using: &state.generator)
      return (delay, state.serial.next())
    }
    guard let pause else { return false }
    hold(
      Countdown(after: pause.delay, clock: policy.clock) { [weak self] in self?.begin() },
      pause.number)
    return true
  }

  private func hold(_ current: any Cancellable, _ number: Int) {
    state.withLock { $0.serial.replace(by: current, number) }?.cancel()
  }

  func end() { state.withLock { $0.serial.end() }?.cancel() }
}

/// When a producer begins anew.
struct RetryPolicy: Sendable {
  let attemptMax: Int
  let backoff: Backoff
  let clock: any FlowClock
}

/// What is under way now, of things that follow one another: a late one never replaces a later one.
struct SerialCancellable {
  private var number = 0
  private var current: (any Cancellable)?
  private var isOver = false

  /// Announces what comes next, and returns its number.
  mutating func next() -> Int {
    number += 1
    return number
  }

  /// True for what was announced last, until the end.
  func isCurrent(_ number: Int) -> Bool { !isOver && number == self.number }

  /// Keeps what has begun under a number; returns what to cancel, outside the lock.
  mutating func replace(by new: any Cancellable, _ number: Int) -> (any Cancellable)? {
    guard isCurrent(number) else { return new }
    defer { current = new }
    return current
  }

  /// Lets nothing begin any more; returns what to cancel, outside the lock.
  mutating func end() -> (any Cancellable)? {
    isOver = true
    return current.take()
  }
}
