/// An action that repeats at an even beat until its pendulum is cancelled or released.
///
/// Beat n is due at the start + n periods however long the action takes, so it does not drift. A
/// beat that would come after the next one was due is skipped and counted as missed.
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

  private let timer: Timer
  private let period: Duration

  /// Starts beating; the first beat comes after one period, which must be at least 1 ns.
  public init(
    every period: Duration, clock: any FlowClock, _ action: @escaping @Sendable (Beat) -> Void
  ) {
    precondition(period >= .nanoseconds(1), "A pendulum's period is at least 1 ns.")
    self.period = period
    let step = period.wholeNanoseconds
    let number = Lock((start: UInt64(0), beat: 0))
    timer = Timer(clock: clock) { timer, due, start in
      let late = max(0, due.duration(to: timer.clock.now).wholeNanoseconds)
      let missed = Int(late / step)
      let beat = number.withLock { number in
        if number.start != start { number.beat = 0 }
        number.beat += missed + 1
        number.start = start + 1
        return Beat(number: number.beat, missed: missed)
      }
      action(beat)
      let next = due.advanced(by: .nanoseconds(step) * (missed + 1))
      timer.start(at: next, after: start)
    }
    restart()
  }

  deinit { timer.stop() }

  /// The time until the next beat; zero when it is cancelled.
  public var remaining: Duration { timer.remaining }

  /// Stops it; `restart()` starts it again.
  public func cancel() { timer.stop() }

  /// Starts again from now, with beat 1 after one period.
  public func restart() { timer.start(at: timer.clock.now.advanced(by: period)) }
}
