/// A hybrid logical clock reading: 48 bits of milliseconds since 1970 and a 16-bit counter.
///
/// Source: Kulkarni et al., "Logical Physical Clocks", 2014. A full counter borrows from the
/// milliseconds. Ties between stamps go to the higher site.
package struct Stamp: Hashable, Comparable, Sendable {
  /// The 64 bits; 0 means "none".
  package let rawValue: UInt64

  /// Makes the stamp of these bits.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Makes the first stamp of a millisecond.
  package init(milliseconds: UInt64) { rawValue = milliseconds << 16 }

  /// No stamp: before every other.
  package static let none = Stamp(rawValue: 0)

  /// Stamps with the top bit set are malformed.
  package static let limit = Stamp(rawValue: UInt64(1) << 63)

  /// What a guest writes is below this, so that whoever edits it has stamps left to write later ones.
  package static let guestLimit = Stamp(rawValue: UInt64(1) << 63 - UInt64(1) << 48)

  /// The milliseconds since 1970.
  package var milliseconds: UInt64 { rawValue >> 16 }

  /// One of the next 4,096 stamps, below the limit.
  func spread(by number: UInt64) -> Stamp {
    Stamp(rawValue: min(rawValue, Stamp.limit.rawValue - 2 - (number & 0xFFF)) + 1 + number & 0xFFF)
  }

  /// The first later stamp, below the limit, that has the last twelve bits of a number: with two numbers that are less
  /// than 4,096 apart nobody gets one stamp, whatever was replaced.
  func next(of number: UInt64) -> Stamp {
    let after = min(rawValue, Stamp.limit.rawValue - 2) + 1
    let marked = after & ~0xFFF | number & 0xFFF
    let next = marked < after ? marked + 0x1000 : marked
    return Stamp(rawValue: next < Stamp.limit.rawValue ? next : after)
  }

  /// Whether the left one comes first.
  package static func < (left: Stamp, right: Stamp) -> Bool { left.rawValue < right.rawValue }
}

/// The clock of one replica: gives stamps to its transactions and follows those that it receives.
///
/// A clock that is wrong poisons nothing: a remote stamp more than five minutes ahead of the wall
/// clock does not advance this one, and a clock that far ahead itself returns to the wall.
package struct HybridClock: Hashable, Sendable {
  /// The last stamp given or followed.
  package private(set) var last: Stamp

  /// How far ahead of the wall clock a stamp may be and still be followed, in milliseconds.
  package static let aheadMillisecondsMax: UInt64 = 5 * 60 * 1000

  /// Goes on from a stamp that was kept.
  package init(last: Stamp = .none) { self.last = last }

  /// The stamp of a transaction that is made now: later than `replaced`, the latest stamp of the
  /// cells that it writes, so that an edit made after seeing a value beats it everywhere.
  ///
  /// `seq` is the number of the site's last change: it tells apart the transactions that replace one
  /// stamp that is not followed, and those of a time that a clock which was put back lives twice.
  package mutating func next(
    wallMilliseconds: UInt64, replacing replaced: Stamp, seq: UInt64
  ) -> Stamp {
    let wall = Stamp(milliseconds: wallMilliseconds)
    if isAhead(last, of: wallMilliseconds) { last = wall.spread(by: seq) }
    let stamp = max(wall, max(last, replaced).spread(by: 0))
    guard isAhead(stamp, of: wallMilliseconds) else {
      last = stamp
      return stamp
    }
    return replaced.next(of: seq)
  }

  /// Follows a stamp that was received.
  package mutating func observe(_ stamp: Stamp, wallMilliseconds: UInt64) {
    if stamp > last, !isAhead(stamp, of: wallMilliseconds) { last = stamp }
  }

  private func isAhead(_ stamp: Stamp, of wallMilliseconds: UInt64) -> Bool {
    stamp.milliseconds > wallMilliseconds + Self.aheadMillisecondsMax
  }
}
