extension Signal {
  /// The same signal, which changes only when this one has stood still for a while on a clock.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let text = Variable("")
  /// let sought = text.signal.debounce(for: .milliseconds(300), clock: clock)
  /// text.value = "har"
  /// text.value = "harbour"
  /// clock.advance(by: .milliseconds(300))
  /// print(sought.value)    // harbour; "har" never was
  /// ```
  ///
  /// It begins with the present value. While changes keep coming it never changes: a source that
  /// never rests needs `throttle`. *Thread*: a change is a turn of its own, run where the clock
  /// runs its actions.
  public func debounce(for duration: Duration, clock: any FlowClock) -> Signal {
    paced { relay in
      let debouncer = Debouncer(relay, duration, clock)
      return { debouncer.take($0) }
    }
  }

  /// The same signal, which changes at most once in a period: with the first change at once, and
  /// then at the end of each period with the newest value, if there was one.
  ///
  /// ```swift
  /// let progress = Variable(0.0)
  /// let shown = progress.signal.throttle(for: .milliseconds(100), clock: .system)
  /// let showing = shown.observe { print("\(Int($0 * 100)) %") }    // ten times a second at most
  /// ```
  ///
  /// The last value always comes, a period later at most.
  /// *Thread*: a change is a turn of its own, right after the one that it comes from, or run where
  /// the clock runs its actions.
  public func throttle(for period: Duration, clock: any FlowClock) -> Signal {
    paced { relay in
      let throttler = Throttler(relay, period, clock)
      return { throttler.take($0) }
    }
  }

  private func paced(
    _ pace: (ValueNode<Value>) -> @Sendable (Value) -> Void
  ) -> Signal {
    let (value, version) = node.turns.locked { _ in (node.published.pointee, node.version) }
    let relay = ValueNode(value, turns: node.turns)
    let feed = FeedNode.start(self, into: relay, after: version, pace(relay))
    return Signal(relay, Anchor(feed))
  }
}

/// Holds a value back until no other has come for a while.
private final class Debouncer<Value: Sendable>: Sendable {
  private struct State {
    var pending: Value?
    var countdown: Countdown?
  }

  private let state = Lock(State())
  private let relay: ValueNode<Value>
  private let duration: Duration
  private let clock: any FlowClock

  init(_ relay: ValueNode<Value>, _ duration: Duration, _ clock: any FlowClock) {
    self.relay = relay
    self.duration = duration
    self.clock = clock
  }

  func take(_ value: Value) {
    var replaced: Value? = value
    let countdown = state.withLock { state in
      swap(&state.pending, &replaced)
      return state.countdown
    }
    if let countdown { return countdown.restart() }
    let made = Countdown(after: duration, clock: clock) { [weak self] in self?.pass() }
    state.withLock { $0.countdown = made }
  }

  private func pass() {
    if let value = state.withLock({ $0.pending.take() }) { relay.post(value) }
  }
}

/// Lets a value through once in a period.
private final class Throttler<Value: Sendable>: Sendable {
  private struct State {
    var isPeriod = false
    var pending: Value?
    var countdown: Countdown?
  }

  private let state = Lock(State())
  private let relay: ValueNode<Value>
  private let period: Duration
  private let clock: any FlowClock

  init(_ relay: ValueNode<Value>, _ period: Duration, _ clock: any FlowClock) {
    self.relay = relay
    self.period = period
    self.clock = clock
  }

  func take(_ value: Value) {
    var replaced: Value? = value
    let mustWait = state.withLock { state in
      if state.isPeriod { swap(&state.pending, &replaced) }
      defer { state.isPeriod = true }
      return state.isPeriod
    }
    if !mustWait { pass(value) }
  }

  private func pass(_ value: Value) {
    relay.post(value)
    if let countdown = state.withLock({ $0.countdown }) { return countdown.restart() }
    let made = Countdown(after: period, clock: clock) { [weak self] in self?.endPeriod() }
    state.withLock { $0.countdown = made }
  }

  private func endPeriod() {
    let value = state.withLock { state in
      if state.pending == nil { state.isPeriod = false }
      return state.pending.take()
    }
    if let value { pass(value) }
  }
}
