/// How long to wait before trying again: exponential, capped, with full jitter.
///
/// ```swift
/// let backoff = Backoff(initial: .milliseconds(500), cap: .seconds(30))
/// var chance = SystemRandomNumberGenerator()
/// for attempt in 0..<4 {
///   let ceiling = backoff.ceiling(attempt: attempt)    // 0.5 s, 1 s, 2 s, 4 s
///   print("at most \(ceiling), this time", backoff.delay(attempt: attempt, using: &chance))
/// }
/// ```
///
/// Attempt n waits a random time between zero and min(cap, initial × 2ⁿ), so that many clients that
/// lost the same server do not come back at once. It holds no count: whoever tries counts, and
/// starts over after a success. Source: "Exponential Backoff And Jitter", AWS Architecture Blog,
/// 2015.
public struct Backoff: Sendable, Hashable {
  /// The longest that attempt 0 may wait; zero or less, and no attempt waits.
  public var initial: Duration
  /// The longest that any attempt may wait.
  public var cap: Duration

  /// Makes a policy; the defaults suit a client that reconnects to a server.
  public init(initial: Duration = .milliseconds(500), cap: Duration = .seconds(60)) {
    self.initial = initial
    self.cap = cap
  }

  /// The longest that an attempt may wait; attempts count from 0, and one below that is 0.
  public func ceiling(attempt: Int) -> Duration {
    var ceiling = min(initial, cap)
    guard ceiling > .zero else { return .zero }
    for _ in 0..<max(0, attempt) {
      if ceiling >= cap { return cap }
      ceiling = min(cap, ceiling * 2)
    }
    return ceiling
  }

  /// A random wait for an attempt, from the caller's randomness: a seeded one makes a test repeat.
  /// It may be zero.
  public func delay(
    attempt: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let ceiling = ceiling(attempt: attempt).wholeNanoseconds
    return .nanoseconds(Int64.random(in: 0...ceiling, using: &generator))
  }
}
