/// Somebody to practise with: which words it finds, and when. The same seed finds the same.
public struct Bot: Sendable {
  /// Its words, each with the milliseconds since the start, in that order.
  public let finds: [(word: Word, after: Int64)]

  /// A bot of medium skill in a round of `play` milliseconds: it finds about one word in five
  /// seconds, mostly short ones.
  public init(words: [Word], seed: UInt64, lasting play: Int64 = Round.play) {
    var random = SplitMix(seed: seed ^ 0xB07)
    var left = words
    var finds: [(word: Word, after: Int64)] = []
    var after = Int64.random(in: 3_000...6_000, using: &random)
    while after < play, !left.isEmpty {
      // Of three that come to mind, the shortest is found.
      let thought = (0..<3).map { _ in Int.random(in: 0..<left.count, using: &random) }
      let index = thought.min { left[$0].letters.count < left[$1].letters.count } ?? 0
      finds.append((left.remove(at: index), after))
      after += Int64.random(in: 3_000...8_000, using: &random)
    }
    self.finds = finds
  }
}
