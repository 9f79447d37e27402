import ReunionCore

/// The time by which what is old is deleted: that of the machine's clock, unless the clock leapt.
///
/// ```swift
/// let time = try store.settleTime()
/// if let notice = time.notice { print(notice) }
/// let monthAgo = time.earliest - 30 * 86_400_000
/// print("Older than", monthAgo, "is over.")
/// ```
/// One reading of a clock may be wrong by years. So a store keeps which time it last believed. A
/// clock that is more than four days from that is waited out. It is believed once it has gone on
/// for a week, of which a step between two readings counts for a day at most. A clock that is right
/// again is believed at once. So what a wrong clock would delete stays, and a machine that was off
/// for long deletes what is old a week later.
///
/// It is a value; `Store.settleTime()` keeps one.
public struct SettledTime: Hashable, Sendable {
  /// How far a clock may be from the time that was believed last: four days. A weekend passes
  /// unseen.
  static let leapMilliseconds: UInt64 = 4 * day
  /// How long a clock that leapt is waited out: seven days.
  static let patienceMilliseconds: UInt64 = 7 * day
  private static let day: UInt64 = 86_400_000

  /// The time that is believed, in milliseconds since 1970. While the clock counts as leapt, it
  /// stands still.
  public private(set) var settled: UInt64
  /// What the clock said last, in milliseconds since 1970.
  public private(set) var wall: UInt64
  /// How long a clock that leapt has gone on.
  private(set) var waited: UInt64 = 0

  /// Begins with a clock. Where others `knew` an earlier time, the clock may have leapt since: one
  /// that is more than four days after it is waited out.
  ///
  /// - Parameters:
  ///   - wall: what the clock says now, in milliseconds since 1970.
  ///   - earlier: the latest time that anything is known of; nil believes the clock.
  public init(wall: UInt64, knew earlier: UInt64? = nil) {
    self.wall = wall
    settled = min(wall, earlier ?? wall)
    if !isLeapt { settled = wall }
  }

  init(settled: UInt64, wall: UInt64, waited: UInt64) {
    (self.settled, self.wall, self.waited) = (settled, wall, waited)
  }

  /// Whether the clock is too far from the time that is believed: by more than four days, in either
  /// direction.
  public var isLeapt: Bool {
    max(wall, settled) - min(wall, settled) > Self.leapMilliseconds
  }

  /// The earlier of the two times. What is older than something by this time is older by any: by
  /// this, things are deleted.
  public var earliest: UInt64 { min(wall, settled) }
  /// The later of the two times. What is over by this time may be over: by this, rights end, and
  /// uses are noted.
  public var latest: UInt64 { max(wall, settled) }

  /// Takes a reading of the clock, in milliseconds since 1970. Read it at least once a day: of a
  /// longer step one day counts towards the week.
  public mutating func read(_ now: UInt64) {
    let (wasLeapt, last) = (isLeapt, wall)
    wall = now
    guard isLeapt else {
      (settled, waited) = (now, 0)
      return
    }
    guard wasLeapt, now >= last else {
      waited = 0
      return
    }
    waited += min(now - last, Self.day)
    if waited >= Self.patienceMilliseconds { (settled, waited) = (now, 0) }
  }

  /// What the host should know of a clock that leapt, in a few sentences with the remedy; nil where
  /// it did not.
  public var notice: String? {
    guard isLeapt else { return nil }
    let days = (latest - earliest) / Self.day
    return "The clock of this machine is \(days) days \(wall > settled ? "ahead of" : "behind")"
      + " what was known here. If it is wrong, set it. If it is right, there is nothing to do:"
      + " nothing is deleted for its age until the clock has gone on for a week."
  }
}
