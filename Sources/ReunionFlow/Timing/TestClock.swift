/// A clock that stands still until a test moves it.
///
/// Actions run inside `advance(by:)`, by (moment, order of scheduling), each at its own moment, and
/// all that follows from them (turns of signals, events of machines, further actions that fall due)
/// is over when it returns. So a test needs neither sleep nor yield, and repeats exactly.
///
/// *Thread*: any thread may read and schedule; let one thread at a time advance.
public final class TestClock: FlowClock {
  private struct State {
    var now = Moment(nanoseconds: 0)
    var wallOffset: UInt64
  }

  private let alarms = AlarmQueue()
  private let state: Lock<State>

  /// Makes a clock at moment 0, whose time of day is then `wallMilliseconds`.
  public init(wallMilliseconds: UInt64 = 1_800_000_000_000) {
    state = Lock(State(wallOffset: wallMilliseconds))
  }

  /// The virtual moment.
  public var now: Moment { state.withLock { $0.now } }

  /// The virtual time of day, which moves on with the clock; set it to play a clock that is wrong.
  public var wallMilliseconds: UInt64 {
    get { state.withLock { $0.wallOffset &+ Self.milliseconds($0.now) } }
    set { state.withLock { $0.wallOffset = newValue &- Self.milliseconds($0.now) } }
  }

  /// The moment of the next action, or `nil` when none waits.
  public var nextMoment: Moment? { alarms.firstMoment }

  /// Runs an action inside the `advance` that reaches its moment.
  public func schedule(
    at moment: Moment, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    alarms.add(at: moment, action).alarm
  }

  /// Moves time on by a duration and runs all that falls due on the way.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

  /// Moves time on to a moment and runs all that falls due on the way; time never goes back.
  public func advance(to target: Moment) {
    while let due = alarms.takeDue(by: target) {
      state.withLock { $0.now = max($0.now, due.moment) }
      due.action()
    }
    state.withLock { $0.now = max($0.now, target) }
  }

  private static func milliseconds(_ moment: Moment) -> UInt64 {
    UInt64(clamping: moment.nanoseconds / 1_000_000)
  }
}
