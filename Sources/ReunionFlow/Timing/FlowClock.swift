/// Where the engine gets its time from: `SystemClock` in an app, `TestClock` in a test.
///
/// Everything that waits (countdowns, pendulums, the deadlines of state machines) waits on a clock
/// that it was given, so that a test moves time by hand and no test sleeps.
public protocol FlowClock: AnyObject, Sendable {
  /// The current moment; it never goes back.
  ///
  /// *Thread*: any.
  var now: Moment { get }

  /// The time of day in milliseconds since 1970 UTC, for stamps. People set it, and it may go back.
  ///
  /// *Thread*: any.
  var wallMilliseconds: UInt64 { get }

  /// Runs an action once at a moment, or as soon as possible when the moment has passed.
  ///
  /// The action runs even if the result is released, unless it was cancelled; it is released when
  /// it has run or was cancelled. `Countdown` is the form that stops when released.
  ///
  /// *Thread*: any; the action runs on the clock's own queue or in `TestClock.advance(by:)`, and
  /// never inside this call. *Ordering*: by moment, and at equal moments in the order of the calls.
  func schedule(at moment: Moment, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}
