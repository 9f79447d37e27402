/// When a feed is asked next: in the interval that was named, and ever more rarely while it fails.
struct Schedule {
  /// The longest wait, in seconds.
  static let longest = 3600.0

  let interval: Double
  private(set) var failures = 0

  init(everySeconds interval: Double) { self.interval = interval }

  /// The feed was read, or had not changed: the seconds until the next look.
  mutating func succeeded() -> Double {
    failures = 0
    return interval
  }

  /// It failed: twice as long as before, and at least as long as its server asks for.
  mutating func failed(retryAfter: Double? = nil) -> Double {
    failures += 1
    let doubled = interval * Double(1 << min(failures, 12))
    return min(max(doubled, retryAfter ?? 0), max(Self.longest, interval))
  }
}
