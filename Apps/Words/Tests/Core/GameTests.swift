import Testing

@testable import WordsCore

@Suite struct GameTests {
  @Test func `longer words count more, and a word of one more than a word of all`() {
    for length in 4...9 { #expect(Points.base(length: length) > Points.base(length: length - 1)) }
    for players in 2...4 {
      for finders in 1..<players {
        #expect(
          Points.value(length: 5, finders: finders, players: players)
            > Points.value(length: 5, finders: finders + 1, players: players))
      }
      #expect(
        Points.value(length: 5, finders: players, players: players) == Points.base(length: 5))
    }
    #expect(Points.base(length: -1) == 0 && Points.base(length: 99) == Points.base(length: 9))
  }

  @Test func `the outcome has everyone's points, and the longest that nobody found`() throws {
    let words = try ["stone", "notes", "tone", "note", "one"].map { try Word($0) }
    let outcome = Outcome(
      finds: [[words[0], words[4]], [words[4], words[2], words[2]]], words: words)
    #expect(outcome.points == [4 * 2 + 1, 1 + 2 * 2])
    #expect(outcome.missed.map(\.text) == ["notes"])
    #expect(Outcome(finds: [words, []], words: words).missed.isEmpty)
    #expect(Outcome(finds: [], words: []) == Outcome(finds: [], words: []))
  }

  @Test func `a round begins when all are ready, or those who are do not want to wait`() {
    typealias Guest = Lobby.Guest
    func starters(_ ready: [Int], hurries: Int? = nil, bot: Bool = false, round: Int = 1) -> [Int]?
    {
      let guests = ready.enumerated().map { Guest(ready: $1, hurries: $0 == hurries) }
      return Lobby.starters(of: guests, round: round, withBot: bot)
    }
    #expect(starters([]) == nil && starters([], bot: true) == nil)
    #expect(starters([1]) == nil)
    #expect(starters([1], bot: true) == [0])
    #expect(starters([1, 0]) == nil)
    #expect(starters([1, 1]) == [0, 1])
    #expect(starters([1, 1], round: 2) == nil)
    #expect(starters([1, 2, 2], round: 2) == nil)
    #expect(starters([1, 2, 2], hurries: 1, round: 2) == [1, 2])
    #expect(starters([1, 2, 2], hurries: 0, round: 2) == nil)
    #expect(starters([1, 1, 1, 1, 1]) == [0, 1, 2, 3])
    #expect(starters([1, 1, 1, 1], bot: true) == [0, 1, 2])
    #expect(starters([0, 1, 1, 1, 1]) == [1, 2, 3, 4])
  }

  @Test func `the bot finds words of the round in time, the same of the same seed`() throws {
    let deal = try Deal(from: Lists.lexicon, seed: 5)
    let bot = Bot(words: deal.words, seed: 8)
    #expect(bot.finds.count >= 8 && bot.finds.count <= 30)
    #expect(Set(bot.finds.map(\.word)).count == bot.finds.count)
    #expect(Set(bot.finds.map(\.word)).isSubset(of: deal.words))
    #expect(bot.finds.allSatisfy { $0.after > 0 && $0.after < Round.play })
    #expect(zip(bot.finds, bot.finds.dropFirst()).allSatisfy { $0.after < $1.after })
    #expect(Bot(words: deal.words, seed: 8).finds.map(\.word) == bot.finds.map(\.word))
    #expect(Bot(words: deal.words, seed: 9).finds.map(\.word) != bot.finds.map(\.word))
    #expect(Bot(words: [], seed: 1).finds.isEmpty)
    let short = Bot(words: deal.words, seed: 8, lasting: 10_000)
    #expect(!short.finds.isEmpty && short.finds.allSatisfy { $0.after < 10_000 })
  }
}
