/// Work that begins when somebody wants its values, such as a request: cold, and begun again for each
/// observer.
///
/// ```swift
/// let weather = SignalProducer(request: { try await service.weather(in: "Bergen") })
///   .retry(attemptMax: 5, clock: .system)
/// let subscription = weather.start { event in … }
/// ```
///
/// *Thread*: events come on whichever thread the work sends them from, one at a time if it sends
/// them so. After `finished` or `failed`, or once the subscription was cancelled, none starts.
public struct SignalProducer<Value: Sendable>: Sendable {
  /// What a producer tells.
  public enum Event: Sendable {
    /// A value.
    case value(Value)
    /// It is over.
    case finished
    /// It is over, because of an error.
    case failed(any Error)
  }

  private let begin: @Sendable (@escaping @Sendable (Event) -> Void) -> SignalSubscription

  /// Makes a producer of a closure that begins the work, and returns what ends it.
  public init(
    _ begin: @escaping @Sendable (_ send: @escaping @Sendable (Event) -> Void) -> SignalSubscription
  ) {
    self.begin = begin
  }

  /// Makes a producer of one value, from a task that is cancelled with the subscription.
  public init(request: @escaping @Sendable () async throws -> Value) {
    self.init { send in
      let task = Task {
        do {
          send(.value(try await request()))
          send(.finished)
        } catch {
          send(.failed(error))
        }
      }
      return SignalSubscription { task.cancel() }
    }
  }

  /// Makes a producer of a sequence's elements, read by a task that is cancelled with the
  /// subscription.
  public init<Elements: AsyncSequence & Sendable>(sequence: Elements)
  where Elements.Element == Value {
    self.init { send in
      let task = Task {
        do {
          for try await element in sequence { send(.value(element)) }
          send(.finished)
        } catch {
          send(.failed(error))
        }
      }
      return SignalSubscription { task.cancel() }
    }
  }

  /// Begins the work, and calls a closure with its events, until the result is released.
  public func start(_ observer: @escaping @Sendable (Event) -> Void) -> SignalSubscription {
    let run = ProducerRun(observer)
    run.hold(begin { run.send($0) })
    return SignalSubscription { run.end() }
  }

  /// The producer of what a function makes of each value.
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Output
  ) -> SignalProducer<Output> {
    SignalProducer<Output> { send in
      start { event in
        switch event {
        case .value(let value): send(.value(transform(value)))
        case .finished: send(.finished)
        case .failed(let error): send(.failed(error))
        }
      }
    }
  }

  /// The same producer, which begins again when it fails, after a pause on a clock.
  ///
  /// It fails when it has begun `attemptMax` times without a value in between. The generator is the
  /// randomness of the pauses; each start has a copy of it.
  public func retry(
    attemptMax: Int = .max, backoff: Backoff = Backoff(), clock: any FlowClock,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) -> SignalProducer {
    SignalProducer { send in
      let policy = RetryPolicy(
        attemptMax: attemptMax, backoff: backoff, clock: clock)
      let retrying = Retrying(self, policy, generator, send)
      retrying.begin()
      return SignalSubscription { retrying.end() }
    }
  }
}

extension Signal {
  /// The newest answer of the producer that a function makes of the present value; `nil` while there
  /// is none yet. A producer that has been superseded is cancelled, and its answers are dropped.
  ///
  /// *Thread*: producers begin in the turn; each answer is a turn of its own.
  public func flatMapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> SignalProducer<Output>
  ) -> Signal<Result<Output, any Error>?> {
    let relay = ValueNode<Result<Output, any Error>?>(nil, turns: node.turns)
    let latest = LatestRun(relay)
    let feed = FeedNode.start(self, into: relay) { latest.start(transform($0)) }
    return Signal<Result<Output, any Error>?>(relay, Anchor(feed, holding: latest))
  }
}
