/// An action that repeats at an even beat until its pendulum is cancelled or released.
///
/// ```swift
/// let clock = TestClock()
/// let pendulum = Pendulum(every: .seconds(5), clock: clock) { beat in
///   print("Beat \(beat.number), \(beat.missed) missed")
/// }
/// clock.advance(by: .seconds(15))    // beats 1, 2 and 3, each at its own moment
/// pendulum.cancel()
/// ```
///
/// Beat n is due at the start + n periods however long the action takes, so it does not drift. A
/// beat that would come after the next one was due is skipped and counted as missed. It keeps
/// nobody alive: store it with what it beats for.
///
/// *Thread*: any; the action runs where the clock runs its actions, never twice at once.
public final class Pendulum: Cancellable {
  /// One beat.
  public struct Beat: Sendable, Equatable {
    /// The number since the start, from 1, missed ones included.
    public let number: Int
    /// How many beats before this one were skipped because the action or the machine was late.
    public let missed: Int
  }

  private let swing: Lock<Swing>

  /// Starts beating; the first beat comes after one period.
  ///
  /// - Parameters:
  ///   - period: The time from one beat to the next, at least 1 ns; less ends the program.
  ///   - clock: What it is measured on. While a machine sleeps, the system's clock stands still.
  ///   - action: What to do at each beat. What it takes longer than a period is beats missed.
  public init(
    every period: Duration, clock: any FlowClock, _ action: @escaping @Sendable (Beat) -> Void
  ) {
    precondition(period >= .nanoseconds(1), "A pendulum's period is at least 1 ns.")
    swing = Lock(Swing(on: clock.timeline, every: period.wholeNanoseconds, action))
    current.begin()
  }

  deinit { current.end() }

  /// The time until the next beat; zero when it is cancelled.
  public var remaining: Duration { current.remaining }

  /// Stops it; `restart()` starts it again. A beat whose action runs already is not waited for.
  public func cancel() { current.end() }

  /// Starts again from now, with beat 1 after one period.
  public func restart() {
    let now = current.timeline.now
    let (old, new) = swing.withLock { swing in
      let old = swing
      swing = Swing(on: old.timeline, from: now, every: old.period, old.action)
      return (old, swing)
    }
    old.end()
    new.begin()
  }

  private var current: Swing { swing.withLock { $0 } }
}

/// The beats of a pendulum since one start.
private final class Swing: Sendable {
  let timeline: FlowTimeline
  let period: Int64
  let action: @Sendable (Pendulum.Beat) -> Void
  private let start: Moment
  /// `nil` once it is over.
  private let countdown = Lock<Countdown?>(nil)

  init(
    on timeline: FlowTimeline, from start: Moment? = nil, every period: Int64,
    _ action: @escaping @Sendable (Pendulum.Beat) -> Void
  ) {
    self.timeline = timeline
    self.start = start ?? timeline.now
    self.period = period
    self.action = action
  }

  var remaining: Duration { countdown.withLock { $0 }?.remaining ?? .zero }

  func begin() {
    let countdown = Countdown(on: timeline, .timed { [weak self] due in self?.beat(due) })
    self.countdown.withLock { $0 = countdown }
    timeline.arm(countdown, at: start.advanced(byNanoseconds: period))
  }

  func end() {
    let countdown = countdown.withLock { $0.take() }
    countdown?.cancel()
  }

  private func beat(_ due: Moment) {
    let missed = max(0, due.nanoseconds(to: timeline.now)) / period
    let number = start.nanoseconds(to: due) / period + missed
    action(Pendulum.Beat(number: Int(number), missed: Int(missed)))
    let (step, overflow) = period.multipliedReportingOverflow(by: missed + 1)
    guard let countdown = countdown.withLock({ $0 }) else { return }
    timeline.arm(countdown, at: due.advanced(byNanoseconds: overflow ? .max : step))
    if self.countdown.withLock({ $0 == nil }) { countdown.cancel() }
  }
}
