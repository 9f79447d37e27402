import Synchronization

/// An action that runs once, after a while, unless its countdown is cancelled or released first.
///
/// It needs no invalidation and keeps nobody alive: store it where it belongs, for example in a
/// state's associated value, and it dies with that. Countdowns are equal when they are the same.
///
/// ```swift
/// let clock = TestClock()
/// let timeout = Countdown(after: .seconds(10), clock: clock) { print("No answer.") }
/// clock.advance(by: .seconds(9))
/// print(timeout.remaining)          // 1.0 seconds
/// timeout.restart()                 // the other side was heard: ten more
/// clock.advance(by: .seconds(10))   // No answer.
/// ```
///
/// An action that holds what holds the countdown keeps both: hold it weakly there.
///
/// *Thread*: any; the action runs where the clock runs its actions. A cancel that comes while the
/// action already runs does not wait for it.
/// *Cost*: one object; creating, cancelling and restarting are O(log n) of the clock's countdowns.
/// The action is held until the countdown is released, since it can be restarted.
public final class Countdown: Cancellable, Hashable, @unchecked Sendable {
  /// What runs when it is over.
  enum Action: Sendable {
    case plain(@Sendable () -> Void)
    /// With the moment that was due.
    case timed(@Sendable (Moment) -> Void)
  }

  let timeline: FlowTimeline
  private let duration: Int64
  /// Changes under the timeline's lock.
  @exclusivity(unchecked) var action: Action?
  // These two share a word.
  /// Whether it runs, and lives until then, even if nobody holds it.
  let isDetached: Bool
  private let place = Atomic<Int32>(-1)

  /// The place in the heap, or -1 outside it; it changes under the timeline's lock.
  ///
  /// Read without it, -1 tells that the timeline is done with this countdown.
  var position: Int {
    get { Int(place.load(ordering: .acquiring)) }
    set { place.store(Int32(truncatingIfNeeded: newValue), ordering: .releasing) }
  }

  /// Starts counting down now.
  ///
  /// - Parameters:
  ///   - duration: How long; zero or less is over as soon as the clock runs its actions, and never
  ///     within this call.
  ///   - clock: What it is measured on: `.system`, or a test's.
  ///   - action: What to do then. It should start work rather than do it: on the system's clock
  ///     others wait for it.
  public init(
    after duration: Duration, clock: any FlowClock, _ action: @escaping @Sendable () -> Void
  ) {
    timeline = clock.timeline
    self.duration = duration.wholeNanoseconds
    isDetached = false
    self.action = .plain(action)
    timeline.arm(self, afterNanoseconds: self.duration)
  }

  /// Makes a countdown that is not armed yet.
  init(on timeline: FlowTimeline, isDetached: Bool = false, _ action: Action) {
    self.timeline = timeline
    duration = 0
    self.isDetached = isDetached
    self.action = action
  }

  deinit {
    if position >= 0 { timeline.leave(self) }
  }

  /// The time until the action runs; zero when it ran or was cancelled.
  public var remaining: Duration {
    guard let due = timeline.due(of: self) else { return .zero }
    return .nanoseconds(max(0, timeline.now.nanoseconds(to: due)))
  }

  /// True until the action runs or is cancelled.
  public var isRunning: Bool { timeline.due(of: self) != nil }

  /// Stops it; `restart()` starts it again. If it ran out already, nothing happens.
  public func cancel() {
    if position >= 0 { timeline.disarm(self) }
  }

  /// Counts the whole duration down again from now, whether it runs, ran, or was cancelled.
  public func restart() { timeline.arm(self, afterNanoseconds: duration) }

  /// True when both are the same countdown.
  public static func == (left: Countdown, right: Countdown) -> Bool { left === right }

  /// Hashes the identity, so that a state that holds one can be `Hashable`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
