/// An action that runs once, after a while, unless its countdown is cancelled or released first.
///
/// It needs no invalidation and keeps nobody alive: store it where it belongs, for example in a
/// state's associated value, and it dies with that. Countdowns are equal when they are the same.
///
/// ```swift
/// let timeout = Countdown(after: .seconds(10), clock: clock) { link.close() }
/// ```
///
/// *Thread*: any; the action runs where the clock runs its actions. A cancel that comes while the
/// action already runs does not wait for it.
public final class Countdown: Cancellable, Hashable {
  private let timer: Timer
  private let duration: Duration

  /// Starts counting down now.
  public init(
    after duration: Duration, clock: any FlowClock, _ action: @escaping @Sendable () -> Void
  ) {
    self.duration = duration
    timer = Timer(clock: clock) { _, _, _ in action() }
    restart()
  }

  deinit { timer.stop() }

  /// The time until the action runs; zero when it ran or was cancelled.
  public var remaining: Duration { timer.remaining }

  /// True until the action runs or is cancelled.
  public var isRunning: Bool { timer.isArmed }

  /// Stops it; `restart()` starts it again.
  public func cancel() { timer.stop() }

  /// Counts the whole duration down again from now, whether it runs, ran, or was cancelled.
  public func restart() { timer.start(at: timer.clock.now.advanced(by: duration)) }

  /// True when both are the same countdown.
  public static func == (left: Countdown, right: Countdown) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
