/// A place in a list, between any two others: a whole number and a fraction, as bytes that sort.
///
/// Appending and prepending count the whole number, so that a place stays short (7 bytes among the
/// first 60,000); an insertion between two neighbours lengthens the fraction by a byte in about seven
/// at the same spot. Random bytes at the end keep places apart that are made at the same time.
/// Source: fractional indexing, D. Greenspan, "Implementing Fractional Indexing", 2020.
package struct Position: Hashable, Comparable, Sendable {
  /// The bytes, whose order is the places' order.
  package let bytes: [UInt8]

  /// The most bytes that a place may have.
  package static let bytesMax = 1024

  private static let jitterCount = 3
  private static let wholeMax: Int64 = 1 << 47

  /// Reads a place; nil where the bytes are none that `between` makes.
  package init?(bytes: [UInt8]) {
    guard bytes.count <= Self.bytesMax, bytes.last != 0, let parts = Self.parts(of: bytes),
      Self.head(parts.whole).count == bytes.count - parts.fraction.count
    else { return nil }
    self.bytes = bytes
  }

  private init(_ whole: Int64, _ fraction: [UInt8]) { bytes = Self.head(whole) + fraction }

  /// A place between two others, or beyond one; nil if no place fits. None fits if both are the
  /// same, if they stand the other way round, or if places have grown too long.
  package static func between(
    _ low: Position?, _ high: Position?, using random: inout some RandomNumberGenerator
  ) -> Position? {
    let below = low.flatMap { parts(of: $0.bytes) }
    let above = high.flatMap { parts(of: $0.bytes) }
    let jitter = Self.jitter(using: &random)
    switch (below, above) {
    case (nil, nil): return Position(0, jitter)
    case (let below?, nil):
      return below.whole < wholeMax
        ? Position(below.whole + 1, jitter)
        : fitting(below.whole, fraction(between: below.fraction, nil) + jitter)
    case (nil, let above?):
      return above.whole > -wholeMax
        ? Position(above.whole - 1, jitter)
        : fitting(above.whole, fraction(between: [], above.fraction) + jitter)
    case (let below?, let above?):
      guard let low, let high, low < high else { return nil }
      let room = above.whole - below.whole
      if room > 1 { return Position(below.whole + room / 2, jitter) }
      let end = room == 0 ? above.fraction : nil
      return fitting(below.whole, fraction(between: below.fraction, end) + jitter)
    }
  }

  /// Whether one stands before another.
  package static func < (left: Position, right: Position) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  private static func fitting(_ whole: Int64, _ fraction: [UInt8]) -> Position? {
    let position = Position(whole, fraction)
    return position.bytes.count <= bytesMax ? position : nil
  }

  /// Digits that stand strictly between, whatever follows them: of `low`, and of `high` (nil: 1).
  private static func fraction(between low: [UInt8], _ high: [UInt8]?) -> [UInt8] {
    var digits: [UInt8] = []
    var isBelow = high == nil
    while true {
      let index = digits.count
      let least = index < low.count ? Int(low[index]) : 0
      let most = isBelow || index >= (high?.count ?? 0) ? 256 : Int(high?[index] ?? 0)
      if most - least > 1 {
        digits.append(UInt8(least + (most - least) / 2))
        return digits
      }
      digits.append(UInt8(least))
      if least < most { isBelow = true }
    }
  }

  private static func jitter(using random: inout some RandomNumberGenerator) -> [UInt8] {
    var bits = random.next()
    var bytes: [UInt8] = []
    for _ in 0..<jitterCount {
      bytes.append(UInt8(truncatingIfNeeded: bits) | 1)
      bits >>= 8
    }
    return bytes
  }

  /// A whole number in bytes that sort: how many follow, then these; negative ones the other way.
  private static func head(_ whole: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = whole < 0 ? ~whole : whole
    repeat {
      bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    } while rest > 0
    let count = UInt8(bytes.count)
    return whole < 0 ? [0x80 - count] + bytes.map { ~$0 } : [0x80 + count] + bytes
  }

  private static func parts(of bytes: [UInt8]) -> (whole: Int64, fraction: [UInt8])? {
    guard let first = bytes.first else { return nil }
    let isNegative = first < 0x80
    let count = Int(isNegative ? 0x80 - first : first - 0x80)
    guard count >= 1, count <= 7, bytes.count > count else { return nil }
    var whole: Int64 = 0
    for byte in bytes[1...count] { whole = whole << 8 | Int64(isNegative ? ~byte : byte) }
    return (isNegative ? ~whole : whole, Array(bytes[(count + 1)...]))
  }
}
