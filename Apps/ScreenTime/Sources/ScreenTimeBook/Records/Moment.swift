package import Foundation

extension Date {
  /// Milliseconds since 1970; the nearest that fit, for a date that somebody made up.
  package var milliseconds: Int64 {
    let value = (timeIntervalSince1970 * 1000).rounded()
    if value.isNaN { return 0 }
    return value <= -9e18
      ? -9_000_000_000_000_000_000
      : value >= 9e18 ? 9_000_000_000_000_000_000 : Int64(value)
  }

  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
