import ReunionCore

/// The tags of commits whose last arrivals stand in one row of 64 arrivals.
///
/// Each commit that raises a space's arrival number draws a tag. A store that goes back to an earlier
/// state and goes on draws others, so that two histories differ in the tag of each commit after they
/// part, whatever their numbers are.
struct Tags: Equatable {
  /// The last arrival of a commit, its tag, and how many own changes there were by then.
  struct Run: Equatable {
    let end: UInt64
    let tag: UInt32
    let ownSeq: UInt64
  }

  static let arrivalsPerRow = UInt64(Arrivals.countMax)
  /// Of the rows before the last two blocks one each is kept.
  static let arrivalsPerBlock: UInt64 = 4096

  /// Row, lower half of the incarnation that wrote last, and a count of its changes: eight bytes, four
  /// and eight; then for each run a byte of place, four of tag, and in four the changes beyond that
  /// count. Empty if there is no run.
  private(set) var bytes: [UInt8] = []

  private static let headBytes = 20
  private static let runBytes = 9

  /// The row that an arrival stands in.
  static func row(of arrival: UInt64) -> UInt64 { (max(arrival, 1) - 1) / arrivalsPerRow }

  /// The block of an arrival.
  static func block(of arrival: UInt64) -> UInt64 { (max(arrival, 1) - 1) / arrivalsPerBlock }

  /// Whether the rows around an arrival are all kept, where `last` is the highest.
  static func isKept(_ arrival: UInt64, last: UInt64) -> Bool {
    block(of: arrival) + 1 >= block(of: last)
  }

  /// The tag that follows another. Source: the mixing function of SplitMix64.
  static func next(
    after previous: UInt32, random: UInt64, stamp: Stamp, arrival: UInt64
  ) -> UInt32 {
    var word = random ^ UInt64(previous) << 32
    for input in [stamp.rawValue, arrival] {
      word = (word &+ input) &* 0x9e37_79b9_7f4a_7c15
      word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
      word ^= word >> 31
    }
    return UInt32(truncatingIfNeeded: word)
  }

  init() {}

  /// Takes what a row holds.
  init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.isEmpty || bytes.count > Self.headBytes,
      bytes.isEmpty || (bytes.count - Self.headBytes).isMultiple(of: Self.runBytes)
    else { throw WireError(.malformed, "Tags are malformed.") }
    self.bytes = bytes
  }

  /// Which row: that of the arrivals from `row * 64 + 1` on.
  var row: UInt64 { integer(at: 0, bytes: 8) }

  /// The lower half of the incarnation that wrote last.
  var incarnation: UInt32 { UInt32(truncatingIfNeeded: integer(at: 8, bytes: 4)) }

  /// The count that those of the runs go on from.
  private var base: UInt64 { integer(at: 12, bytes: 8) }

  /// The last run that ends at an arrival or before it.
  func last(upTo arrival: UInt64) -> Run? {
    var start = bytes.count - Self.runBytes
    while start >= Self.headBytes {
      let end = row * Self.arrivalsPerRow + UInt64(bytes[start]) + 1
      if end <= arrival {
        return Run(
          end: end, tag: UInt32(truncatingIfNeeded: integer(at: start + 1, bytes: 4)),
          ownSeq: base + integer(at: start + 5, bytes: 4))
      }
      start -= Self.runBytes
    }
    return nil
  }

  /// Appends a run; where it stands in a later row, the one of before is given back, to be kept.
  mutating func append(_ run: Run, by site: Site) -> Tags? {
    let row = Self.row(of: run.end)
    var full: Tags?
    if bytes.isEmpty || row != self.row {
      full = bytes.isEmpty ? nil : self
      bytes = [UInt8](repeating: 0, count: Self.headBytes)
      bytes.reserveCapacity(Self.headBytes + Self.runBytes * Int(Self.arrivalsPerRow))
      set(row, at: 0, bytes: 8)
      set(run.ownSeq, at: 12, bytes: 8)
    }
    let incarnation = UInt32(truncatingIfNeeded: site.incarnation)
    if incarnation != self.incarnation, bytes.count > Self.headBytes { forgetCounts() }
    set(UInt64(incarnation), at: 8, bytes: 4)
    bytes.append(UInt8(truncatingIfNeeded: run.end - 1 - row * Self.arrivalsPerRow))
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
    set(UInt64(run.tag), at: bytes.count - 8, bytes: 4)
    set(min(run.ownSeq - min(base, run.ownSeq), UInt64(UInt32.max)), at: bytes.count - 4, bytes: 4)
    return full
  }

  /// Of a new incarnation there were no changes before.
  private mutating func forgetCounts() {
    set(0, at: 12, bytes: 8)
    for start in stride(from: Self.headBytes, to: bytes.count, by: Self.runBytes) {
      set(0, at: start + 5, bytes: 4)
    }
  }

  private func integer(at start: Int, bytes count: Int) -> UInt64 {
    guard bytes.count >= start + count else { return 0 }
    var value: UInt64 = 0
    for index in start..<start + count { value = value << 8 | UInt64(bytes[index]) }
    return value
  }

  private mutating func set(_ value: UInt64, at start: Int, bytes count: Int) {
    var rest = value
    for index in (start..<start + count).reversed() {
      bytes[index] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
  }
}
