/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = TestClock()
/// let query = Variable("")
/// let sought = query.signal.debounce(for: .seconds(1), clock: clock)
/// query.value = "harbour"
/// clock.advance(by: .milliseconds(999))    // sought.value is still ""
/// clock.advance(by: .milliseconds(1))      // and now "harbour", at once
/// print(sought.value, clock.nextMoment == nil)
/// ```
///
/// Actions run inside `advance(by:)`, by (moment, order of scheduling), each at its own moment, and
/// all that follows from them (turns of signals, events of machines, further actions that fall due)
/// is over when it returns. So a test needs neither sleep nor yield, and repeats exactly.
///
/// *Thread*: any thread may read and schedule; let one thread at a time advance.
public final class TestClock: FlowClock {
  /// What waits on this clock, in nanoseconds of virtual time since it was made.
  public let timeline = FlowTimeline()
  private let wallOffset: Lock<UInt64>

  /// Makes a clock at moment 0, whose time of day is then `wallMilliseconds`.
  public init(wallMilliseconds: UInt64 = 1_800_000_000_000) {
    wallOffset = Lock(wallMilliseconds)
  }

  deinit { timeline.forgetDetached() }

  /// The virtual time of day, which moves on with the clock; set it to play a clock that is wrong.
  public var wallMilliseconds: UInt64 {
    get { wallOffset.withLock { $0 } &+ uptimeMilliseconds }
    set { wallOffset.withLock { $0 = newValue &- uptimeMilliseconds } }
  }

  /// The moment of the next action, or `nil` when none waits: a test may go from one to the next.
  public var nextMoment: Moment? { timeline.firstMoment }

  /// Moves time on by a duration and runs all that falls due on the way, on the caller's thread. An
  /// action that arms itself again within the duration runs again; one with no pause never ends
  /// this.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

  /// Moves time on to a moment and runs all that falls due on the way; time never goes back. Of a
  /// moment that has passed, what is due by then is run, and the time stays.
  public func advance(to target: Moment) {
    while let due = timeline.takeDue(by: target) { due.run() }
  }

  private var uptimeMilliseconds: UInt64 { UInt64(clamping: now.nanoseconds / 1_000_000) }
}
