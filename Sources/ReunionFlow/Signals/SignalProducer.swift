/// Work that begins when somebody wants its values, such as a request: cold, and begun again for
/// each observer.
///
/// ```swift
/// let link = "http://192.168.1.20:8080/#join=SECRET"
/// let joining = SignalProducer(request: { try await replica.space(joining: link) })
///   .retry(attemptMax: 5, clock: .system)
/// let subscription = joining.start { event in
///   if case .value(let space) = event { print("Joined", space) }
/// }
/// ```
///
/// Nothing happens before `start`, and each start does the work again. To share what it brings,
/// make a signal of it by `Signal.flatMapLatest(_:)`.
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
  ///
  /// ```swift
  /// let ticks = SignalProducer<Int> { send in
  ///   let pendulum = Pendulum(every: .seconds(1), clock: .system) { send(.value($0.number)) }
  ///   return SignalSubscription { pendulum.cancel() }
  /// }
  /// ```
  ///
  /// The closure runs once for each start, on the caller's thread, and may call `send` on any, also
  /// before it returns. What it returns is ended by `finished`, by `failed` and by whoever releases
  /// the subscription, once.
  public init(
    _ begin: @escaping @Sendable (_ send: @escaping @Sendable (Event) -> Void) -> SignalSubscription
  ) {
    self.begin = begin
  }

  /// Makes a producer of one value, from a task that is cancelled with the subscription. What the
  /// closure throws is the error of `failed`.
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

  /// Begins the work, and calls a closure with its events, until the result is released: keep it. A
  /// result that is thrown away ends the work at once, and `finished` does not come then.
  public func start(_ observer: @escaping @Sendable (Event) -> Void) -> SignalSubscription {
    let run = ProducerRun(observer)
    run.hold(begin { run.send($0) })
    return SignalSubscription { run.end() }
  }

  /// The producer of what a function makes of each value, on the thread that sends it. Each start
  /// of this producer starts the other one.
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
  /// It fails, with the last error, when it has begun `attemptMax` times without a value in
  /// between. A value starts the count over, and the pauses with it. The errors before are told to
  /// nobody.
  ///
  /// - Parameters:
  ///   - attemptMax: The most attempts in a row, the first one included.
  ///   - backoff: How long the pauses may be.
  ///   - clock: What they are measured on.
  ///   - generator: The randomness of the pauses; each start has a copy of it.
  /// - Returns: The producer, which has done nothing yet.
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
  /// The newest answer of the producer that a function makes of the present value; `nil` while
  /// there is none yet. A producer that has been superseded is cancelled, and its answers are
  /// dropped.
  ///
  /// ```swift
  /// let link = Variable("http://192.168.1.20:8080/#join=SECRET")
  /// let joined = link.signal.flatMapLatest { link in
  ///   SignalProducer(request: { try await replica.space(joining: link) })
  /// }
  /// let telling = joined.observe { if case .failure(let error) = $0 { print(error) } }
  /// ```
  ///
  /// When this signal changes, the result is `nil` again until the new producer answers. After a
  /// `finished` the last answer stays.
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
