/// Which codes were read where and how often, and which of them are certain enough to be told.
///
/// A field of modules proves itself by its error correction. The check of a linear code is a digit
/// at best: one that was read on few scan lines counts when several copies of the picture say the
/// same.
///
/// On 560 photographs it finds 452 codes and misreads none. Told as read they are 460, and three
/// misreadings; with eight scan lines for all, 444 and two. Without the second look, 18 of 325
/// linear codes are missing. Decision 41 has the figures.
struct SearchLedger {
  private struct Entry {
    var code: FoundCode
    var votes: Int
    var isCertain: Bool
    var wasLookedAt = false
  }

  /// Scan lines that make a linear code certain at once.
  private static let linesCertain = 8
  private let picture: GreyPicture
  private let linear: UInt32
  private var entries: [Entry] = []

  /// Begins a ledger of one picture, in which codes of the symbologies are looked for.
  init(of picture: GreyPicture, symbologies: UInt32) {
    self.picture = picture
    linear = symbologies & Symbology.linearBits
  }

  /// What is certain, in the order in which it was found.
  var codes: [FoundCode] {
    entries.filter(isCertain).map(\.code)
  }

  /// Notes what a copy of the picture showed, each linear code on at least `linesMin` lines. Looks
  /// once more at the places of those that may be misread.
  mutating func note(_ found: [FoundCode], linesMin: Int) {
    count(found, linesMin: linesMin)
    for code in takeDoubtful() {
      for (copy, isTreated) in StraightLook(at: code).copies(of: picture) {
        // Many lines prove a code only where no treatment may have drawn the same fault into all.
        let linesMin = isTreated ? 2 : Self.linesCertain
        count(copy.codes(linear, linesMin: linesMin), linesMin: linesMin)
      }
    }
  }

  /// Linear codes that were read, and may be a misreading, and were not looked at again.
  private mutating func takeDoubtful() -> [FoundCode] {
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

  private mutating func count(_ found: [FoundCode], linesMin: Int) {
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
