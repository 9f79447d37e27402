/// Where the engine gets its time from: `SystemClock` in an app, `TestClock` in a test.
///
/// ```swift
/// final class WrongClock: FlowClock {
///   let timeline = SystemClock.shared.timeline
///   var wallMilliseconds: UInt64 { SystemClock.shared.wallMilliseconds + 3_600_000 }
/// }
/// let clock: any FlowClock = WrongClock()    // an hour ahead, and else like the system's
/// let start = clock.now
/// try await clock.sleep(until: start.advanced(by: .seconds(1)), tolerance: nil)
/// ```
///
/// Everything that waits (countdowns, pendulums, the deadlines of state machines) waits on a clock
/// that it was given, so that a test moves time by hand and no test sleeps. Every one is also a
/// `Clock` of the standard library, for code that awaits.
///
/// A clock of your own gives the timeline of the one that it wraps and a time of day.
public protocol FlowClock: Clock, AnyObject, Sendable where Instant == Moment {
  /// What waits on this clock.
  var timeline: FlowTimeline { get }

  /// The time of day in milliseconds since 1970 UTC, for stamps. People set it, and it may go back.
  ///
  /// *Thread*: any.
  var wallMilliseconds: UInt64 { get }
}

extension FlowClock {
  /// The current moment; it never goes back.
  ///
  /// *Thread*: any.
  public var now: Moment { timeline.now }

  /// One nanosecond; the operating system may be coarser.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Runs an action once at a moment, or as soon as possible when the moment has passed.
  ///
  /// The action runs even if the result is released, unless it was cancelled; it is released when
  /// it has run or was cancelled. `Countdown` is the form that stops when released.
  ///
  /// *Thread*: any; the action runs on the clock's own queue or in `TestClock.advance(by:)`, and
  /// never inside this call. *Ordering*: by moment, and at equal moments in the order of the calls.
  @discardableResult
  package func schedule(
    at moment: Moment, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let countdown = Countdown(on: timeline, isDetached: true, .plain(action))
    timeline.arm(countdown, at: moment)
    return countdown
  }

  /// Suspends the task until a moment; a sleep that is cancelled holds nothing afterwards.
  ///
  /// The task goes on, on its own executor, after the clock has reached the moment: `TestClock`
  /// does not wait for it, so prefer a `Countdown` in what is tested. The tolerance is not used.
  ///
  /// - Parameters:
  ///   - deadline: When to go on; a moment that has passed lets the clock run once all the same.
  ///   - tolerance: Not used.
  /// - Throws: `CancellationError` when the task is cancelled, also before the sleep began.
  public func sleep(until deadline: Moment, tolerance: Duration? = nil) async throws {
    let sleep = Sleep()
    let countdown = Countdown(on: timeline, .plain { sleep.end(nil) })
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sleep.begin(continuation)
        timeline.arm(countdown, at: deadline)
      }
    } onCancel: {
      sleep.end(CancellationError())
    }
  }
}

/// Wakes one sleeping task once, by time or by cancellation, even one that comes before the sleep.
private final class Sleep: Sendable {
  private enum State {
    case idle
    case asleep(CheckedContinuation<Void, any Error>)
    case over((any Error)?)
  }

  private let state = Lock(State.idle)

  func begin(_ continuation: CheckedContinuation<Void, any Error>) {
    let end = state.withLock { state -> State in
      defer { if case .idle = state { state = .asleep(continuation) } }
      return state
    }
    if case .over(let error) = end { Self.wake(continuation, error) }
  }

  func end(_ error: (any Error)?) {
    let before = state.withLock { state -> State in
      defer { state = .over(error) }
      return state
    }
    if case .asleep(let continuation) = before { Self.wake(continuation, error) }
  }

  private static func wake(
    _ continuation: CheckedContinuation<Void, any Error>, _ error: (any Error)?
  ) {
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}
