import WordsCore

/// A list of words that a seed makes: syllables, so that nine letters hold many.
enum Lists {
  private static let syllables = [
    "ta", "re", "no", "si", "le", "st", "an", "er", "in", "ed", "ar", "it", "on", "se", "li",
  ]

  /// The list as a file has it.
  static func bytes(_ count: Int = 20_000, seed: UInt64 = 1) -> [UInt8] {
    var random = Seeded(seed)
    var lines: [String] = []
    for _ in 0..<count {
      let length = Int.random(in: 1...4, using: &random)
      var word = (0..<length).map { _ in syllables.randomElement(using: &random) ?? "" }.joined()
      if Int.random(in: 0..<2, using: &random) == 0 { word.append("s") }
      lines.append(word)
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  static let lexicon = Lexicon(bytes())

  /// The words that nine letters hold, by trying every word of the file: it shares no code with the app.
  static func plainWords(_ bytes: [UInt8], in letters: String) -> Set<String> {
    let all = Dictionary(letters.map { ($0, 1) }, uniquingKeysWith: +)
    let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    return Set(words).filter { word in
      let wanted = Dictionary(word.map { ($0, 1) }, uniquingKeysWith: +)
      return (3...9).contains(word.count) && wanted.allSatisfy { (all[$0.key] ?? 0) >= $0.value }
    }
  }
}

/// Random numbers of a seed, by another generator than the app's: Marsaglia's xorshift64.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x2545_F491_4F6C_DD1D | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
