import Dispatch

extension Signal {
  /// Calls a closure on the main thread with the current value and then with each change, until the
  /// result is released.
  ///
  /// ```swift
  /// let count = try await replica.live(Query<Photo>(in: space).count())
  /// let showing = count.observe(on: .shared) { print("\($0) photos") }
  /// ```
  ///
  /// On the main thread it is called at once, in the turn. From other threads there is one hop, and
  /// only the newest value is delivered after it, so that a screen never lags behind a fast writer.
  /// *Ordering*: values come in order, and never one while another is being delivered. After
  /// `cancel()` has returned on the main thread no more calls come. In a program that never runs
  /// its main queue none comes from other threads.
  public func observe(
    on actor: MainActor, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (Value) -> Void
  ) -> SignalSubscription {
    let delivery = MainDelivery(body)
    let subscription = observe(file: file, line: line) { delivery.post($0) }
    return SignalSubscription {
      subscription.cancel()
      delivery.cancel()
    }
  }
}

/// The newest value on its way to the main thread.
private final class MainDelivery<Value: Sendable>: Sendable {
  private struct State {
    var newest: Value?
    var isScheduled = false
    var isDelivering = false
    var body: (@MainActor (Value) -> Void)?
  }

  private let state: Lock<State>

  init(_ body: @escaping @MainActor (Value) -> Void) { state = Lock(State(body: body)) }

  func post(_ value: Value) {
    let isMain = MainThread.isCurrent
    var replaced: Value? = value
    let mustSchedule = state.withLock { state in
      swap(&state.newest, &replaced)
      guard !isMain, !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    if isMain {
      MainActor.assumeIsolated { deliver() }
    } else if mustSchedule {
      Task { @MainActor in
        state.withLock { $0.isScheduled = false }
        deliver()
      }
    }
  }

  @MainActor private func deliver() {
    while let (value, body) = next() {
      body(value)
      state.withLock { $0.isDelivering = false }
    }
  }

  private func next() -> (Value, @MainActor (Value) -> Void)? {
    state.withLock { state in
      guard !state.isDelivering, let body = state.body, let value = state.newest.take() else {
        return nil
      }
      state.isDelivering = true
      return (value, body)
    }
  }

  func cancel() {
    let released = state.withLock { state in (state.newest.take(), state.body.take()) }
    withExtendedLifetime(released) {}
  }
}

/// Whether code runs on the main queue, which is the main actor's.
private enum MainThread {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
