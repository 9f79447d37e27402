/// The letters of a round with all the words that they hold, which are enough.
public struct Deal: Sendable {
  /// How many words there must be, how many of them with five letters at least, and how many there may be.
  public static let (least, leastLong, most) = (40, 10, 600)
  /// How many letters are dealt.
  public static let letterCount = Word.lengths.upperBound
  private static let triesMax = 5_000

  /// The letters, in an order that shows none of the words.
  public let rack: Rack
  /// All words that they hold, the longest first. One uses all letters.
  public let words: [Word]

  /// Letters of one of the list's longest words, by a seed: the same seed deals the same.
  ///
  /// - Throws: `malformed` where the list has too few words.
  public init(from lexicon: Lexicon, seed: UInt64) throws(WordError) {
    var random = SplitMix(seed: seed)
    for _ in 0..<(lexicon.count == 0 ? 0 : Self.triesMax) {
      let word = lexicon[Int.random(in: 0..<lexicon.count, using: &random)]
      guard word.letters.count == Self.letterCount, lexicon.isUsual(word) else { continue }
      let rack = Rack(letters: word.letters.shuffled(using: &random))
      let words = lexicon.words(in: rack)
      guard Self.isEnough(words), rack.letters != word.letters else { continue }
      (self.rack, self.words) = (rack, words)
      return
    }
    throw WordError(
      .malformed,
      "This list has too few words: no nine letters of it hold forty. Name a longer list.")
  }

  /// Letters and all their words, as they were dealt before.
  init(rack: Rack, words: [Word]) { (self.rack, self.words) = (rack, words) }

  /// Whether words are enough for a round, and not too many for a table.
  public static func isEnough(_ words: [Word]) -> Bool {
    let long = words.count { $0.letters.count >= 5 }
    return words.count >= least && long >= leastLong && words.count <= most
      && words.contains { $0.letters.count == letterCount }
  }
}
