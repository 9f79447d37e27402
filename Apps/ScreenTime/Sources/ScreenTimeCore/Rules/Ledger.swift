/// How much of a day was used. Each moment of a child counts once, on however many devices; each
/// use counts once, however often it arrived.
public struct Ledger: Sendable {
  private var devices: [String: [String: Placed]] = [:]
  #if SEEDED_BUGS
    var bug: LedgerBug?
  #endif

  /// None was used.
  public init() {}

  /// Takes a use, or what is known of it now.
  public mutating func take(_ placed: Placed) {
    if seeded(.countsArrivals), var known = devices[placed.device]?[placed.record] {
      known.use.length += placed.use.length
      devices[placed.device]?[placed.record] = known
      return
    }
    devices[placed.device, default: [:]][placed.record] = placed
  }

  /// Whether a test has that bug switched on.
  private func seeded(_ bug: LedgerBug) -> Bool {
    #if SEEDED_BUGS
      self.bug == bug
    #else
      false
    #endif
  }

  /// The milliseconds of a day that were spent in programs that count.
  ///
  /// *Complexity*: O(n log n) in the uses.
  public func time(on day: Day, where counts: (String) -> Bool = { _ in true }) -> Int64 {
    var stretches: [(start: Int64, end: Int64)] = []
    for uses in devices.values { stretches += Self.stretches(of: uses, on: day, where: counts) }
    if seeded(.countsDevicesTwice) { return stretches.reduce(0) { $0 + $1.end - $1.start } }
    return Self.union(stretches)
  }

  /// How far the clock of a device is ahead, in milliseconds, as its newest use shows; 0 where it is
  /// believed. What the very last one shows may not be known yet: then the one before it counts, unless the
  /// clock was set between them.
  public func skew(of device: String) -> Int64 {
    let last = (devices[device] ?? [:]).values
      .sorted { ($0.use.number, $0.use.start) > ($1.use.number, $1.use.start) }.prefix(2)
    guard let newest = last.first, let marked = last.first(where: \.isMarked),
      marked == newest
        || marked.use.ending != .clock && newest.use.start >= marked.use.start
    else { return 0 }
    return marked.use.start.minus(marked.start)
  }

  /// Where on the day a device was used. It has one focus: where its clock was set back, so that two uses
  /// seem to be at once, the later moves behind the earlier.
  private static func stretches(
    of uses: [String: Placed], on day: Day, where counts: (String) -> Bool
  ) -> [(start: Int64, end: Int64)] {
    let mine = uses.values.filter { $0.day == day && $0.use.length > 0 }
      .sorted { ($0.use.number, $0.start) < ($1.use.number, $1.start) }
    var stretches: [(start: Int64, end: Int64)] = []
    var free = Int64.min
    for placed in mine {
      let start = max(placed.start, free)
      free = start.plus(placed.use.length)
      if counts(placed.use.program) { stretches.append((start, free)) }
    }
    return stretches
  }

  private static func union(_ stretches: [(start: Int64, end: Int64)]) -> Int64 {
    var (total, reached): (Int64, Int64) = (0, .min)
    for stretch in stretches.sorted(by: { $0.start < $1.start }) where stretch.end > reached {
      total = total.plus(stretch.end.minus(max(stretch.start, reached)))
      reached = stretch.end
    }
    return total
  }
}

/// A bug that a test switches on, and must catch.
enum LedgerBug: CaseIterable, Sendable {
  case countsArrivals, countsDevicesTwice
}
