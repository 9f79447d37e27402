/// A day of a place: the count of days since 1970-01-01 on its wall calendar.
public struct Day: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01; negative before.
  public var number: Int

  /// The day with a number.
  public init(number: Int) { self.number = number }

  /// The day that a wall clock shows.
  ///
  /// - Parameters:
  ///   - wall: milliseconds since 1970 in UTC.
  ///   - offset: seconds east of UTC.
  public init(wall: Int64, offset: Int) {
    number = Int(Self.local(wall, offset).floored(by: Self.milliseconds))
  }

  /// The milliseconds since its midnight that a wall clock shows, 0 to 86,399,999.
  public static func time(wall: Int64, offset: Int) -> Int64 {
    let local = local(wall, offset)
    return local &- local.floored(by: milliseconds) &* milliseconds
  }

  /// From 0, a Monday, to 6.
  public var weekday: Int { ((number % 7) + 10) % 7 }

  /// Whether one is before the other.
  public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

  static let milliseconds: Int64 = 86_400_000

  /// Clocks may say anything: what does not fit stays at the last moment that does.
  private static func local(_ wall: Int64, _ offset: Int) -> Int64 {
    let (sum, isOver) = wall.addingReportingOverflow(Int64(clamping: offset).clamped * 1000)
    return isOver ? wall : sum
  }
}

extension Int64 {
  func floored(by divisor: Int64) -> Int64 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }

  /// An offset of a zone: no place is further from UTC than 26 hours.
  fileprivate var clamped: Int64 { Swift.min(Swift.max(self, -93_600), 93_600) }

  /// The difference, which stays at the greatest or least where it does not fit.
  func minus(_ other: Int64) -> Int64 {
    let (difference, isOver) = subtractingReportingOverflow(other)
    return isOver ? (self < 0 ? .min : .max) : difference
  }

  /// The sum, which stays at the greatest or least where it does not fit.
  func plus(_ other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other < 0 ? .min : .max) : sum
  }
}
