/// Which codes were read where and how often, and which of them are certain enough to be told.
///
/// A field of modules proves itself by its error correction. The check of a linear code is a digit
/// at best: one that was read on few scan lines counts when several copies of the picture say the
/// same, and more of them than say anything else of that place.
struct SearchLedger {
  private struct Entry {
    var code: FoundCode
    var votes: Int
    var isCertain: Bool
    var wasLookedAt = false
  }

  /// Scan lines that make a linear code certain at once.
  static let linesCertain = 8
  private var entries: [Entry] = []

  /// What is certain, in the order in which it was found.
  var codes: [FoundCode] {
    entries.filter { entry in
      isCertain(entry) && !entries.contains { beats($0, entry) }
    }.map(\.code)
  }

  /// Linear codes that were read, and may be a misreading, and were not looked at again.
  mutating func takeDoubtful() -> [FoundCode] {
    var doubtful: [FoundCode] = []
    for at in entries.indices
    where entries[at].code.symbology.isLinear && !isCertain(entries[at])
      && !entries[at].wasLookedAt
    {
      entries[at].wasLookedAt = true
      doubtful.append(entries[at].code)
    }
    return doubtful
  }

  mutating func note(_ found: [FoundCode], linesMin: Int) {
    for code in found where !code.bytes.isEmpty {
      let isCertain =
        code.symbology.isLinear ? linesMin >= Self.linesCertain : code.bytes.count > 4
      if let at = entries.firstIndex(where: { $0.code.isSame(as: code) }) {
        entries[at].votes += 1
        entries[at].isCertain = entries[at].isCertain || isCertain
      } else {
        entries.append(Entry(code: code, votes: 1, isCertain: isCertain))
      }
    }
  }

  private func isCertain(_ entry: Entry) -> Bool {
    entry.isCertain || entry.votes >= entry.code.symbology.votesMin
  }

  /// Whether two readings are of one place, and this one is the better.
  private func beats(_ one: Entry, _ other: Entry) -> Bool {
    guard isCertain(one), !one.code.isSame(as: other.code), one.code.meets(other.code) else {
      return false
    }
    // The bars of a field of modules, or a part of a code, may look like a code.
    if one.code.symbology.isLinear != other.code.symbology.isLinear {
      return !one.code.symbology.isLinear
    }
    if one.isCertain != other.isCertain { return one.isCertain }
    if one.votes != other.votes { return one.votes > other.votes }
    return one.code.bytes.count > other.code.bytes.count
  }
}

extension Symbology {
  /// Copies of a picture that must agree on a code that was read on few scan lines.
  fileprivate var votesMin: Int {
    switch self {
    case .code128, .code93: 2
    default: isLinear ? 3 : 2
    }
  }
}

extension FoundCode {
  /// Whether both are readings of one code.
  func isSame(as other: FoundCode) -> Bool {
    symbology == other.symbology && bytes == other.bytes && meets(other)
  }

  /// Whether the fields that both span have a common part, about.
  func meets(_ other: FoundCode) -> Bool {
    let (one, two) = (bounds, other.bounds)
    return one.left <= two.right && two.left <= one.right && one.top <= two.bottom
      && two.top <= one.bottom
  }

  private var bounds: (left: Double, right: Double, top: Double, bottom: Double) {
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    return (xs.min() ?? 0, xs.max() ?? 0, ys.min() ?? 0, ys.max() ?? 0)
  }
}
