/// A point on a clock's monotonic time line, in nanoseconds since an origin of that clock's own.
///
/// ```swift
/// let clock = SystemClock.shared
/// let start = clock.now
/// _ = try await replica.fetch(Query<Photo>(in: space))
/// print("It took", start.duration(to: clock.now))
/// ```
///
/// Moments of one clock compare and subtract; they mean nothing on another clock, in another
/// process, or after a restart: keep none on a disk. Use `FlowClock.wallMilliseconds` for the time
/// of day.
public struct Moment: InstantProtocol, Sendable, Hashable, CustomStringConvertible {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// Makes the moment that many nanoseconds after the clock's origin; of a `TestClock` that is when
  /// it was made.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The moment a duration later; it stays at the end of the time line instead of overflowing.
  public func advanced(by duration: Duration) -> Moment {
    advanced(byNanoseconds: duration.wholeNanoseconds)
  }

  func advanced(byNanoseconds step: Int64) -> Moment {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(step)
    return Moment(nanoseconds: overflow ? (step < 0 ? .min : .max) : sum)
  }

  /// The time from this moment to another; negative when the other one is earlier.
  public func duration(to other: Moment) -> Duration {
    .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
  }

  /// The same in nanoseconds, kept within what 64 bits hold.
  func nanoseconds(to other: Moment) -> Int64 {
    let (gap, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return overflow ? (self < other ? .max : .min) : gap
  }

  /// True when this moment comes before the other one.
  public static func < (left: Moment, right: Moment) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The seconds since the clock's origin, such as "12.5 s".
  public var description: String { "\(Double(nanoseconds) / 1e9) s" }
}

extension Duration {
  /// The duration in whole nanoseconds, kept within what 64 bits hold (292 years).
  var wholeNanoseconds: Int64 {
    let nanosecond: UInt64 = 1_000_000_000
    let magnitude = attoseconds.magnitude
    let (high, low) = (UInt64(magnitude >> 64), UInt64(truncatingIfNeeded: magnitude))
    guard high < nanosecond else { return attoseconds < 0 ? .min : .max }
    let quotient = nanosecond.dividingFullWidth((high, low)).quotient
    return attoseconds < 0 ? Int64(clamping: -Int128(quotient)) : Int64(clamping: quotient)
  }
}
