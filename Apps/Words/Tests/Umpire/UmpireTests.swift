import Foundation
import Reunion
import ReunionStore
import Synchronization
import Testing
import WordsCore

@testable import WordsUmpire

/// Rounds over real replicas and a real server, whose time stands still until a test moves it.
@Suite struct UmpireTests {
  static func words(of round: GameRound) throws -> [String] {
    try Table.lexicon.words(in: Rack(round.letters)).map(\.text)
  }

  /// Two who play a first round, and the round.
  static func begin(
    _ table: Table, wrongBy: Int64 = 0, offset: Int? = nil
  ) async throws -> (ada: Player, ben: Player, round: GameRound) {
    let ada = try await table.player("Ada")
    let ben = try await table.player("Ben", wrongBy: wrongBy)
    let game = try await ada.open()
    try await ada.sit(at: game)
    try await ben.sit(at: game, color: 1)
    try await ada.ready(1)
    try await ben.ready(1, offset: offset)
    let round = try await ada.round(1)
    _ = try await ben.round(1)
    table.clock.advance(by: .seconds(10))
    return (ada, ben, round)
  }

  @Test
  func `a round from ready to the last word: live points, hidden words, an outcome, a rematch`()
    async throws
  {
    let table = try Table()
    let (ada, ben, round) = try await Self.begin(table)
    let words = try Self.words(of: round)
    #expect(words.count == round.wordCount && words.count >= 40)
    #expect(round.endsAt == round.startsAt?.addingTimeInterval(90))
    for word in words[0..<3] { try await ada.type(word, in: round) }
    for word in words[2..<4] { try await ben.type(word, in: round) }
    let live = try await ben.scores(of: round) { $0["Ada"]?.count == 3 && $0["Ben"]?.count == 2 }
    let base = words.map { Points.base(length: $0.count) }
    #expect(live["Ada"]?.points == base[0] + base[1] + base[2])
    // What the other typed is nowhere on this phone.
    #expect(live.values.allSatisfy { $0.words.isEmpty })
    for space in [ben.group, ben.mine] {
      let held = try await ben.replica.fetch(Query<Entry>(in: space)).map(\.word)
      #expect(!held.contains(words[0]) && !held.contains(words[1]))
    }
    table.clock.advance(by: .seconds(86))
    try await ada.isDone(1)
    try await ben.isDone(1)
    let over = try await ben.round(1, isOver: true)
    let scores = try await ben.scores(of: round) { $0["Ada"]?.words.isEmpty == false }
    #expect(scores["Ada"]?.words == words[0..<3].joined(separator: " "))
    #expect(scores["Ben"]?.words == words[2..<4].joined(separator: " "))
    #expect(scores["Ada"]?.points == 2 * base[0] + 2 * base[1] + base[2])
    #expect(scores["Ben"]?.points == base[2] + 2 * base[3])
    let longest = words[4...].map(\.count).max() ?? 0
    #expect(over.missed.split(separator: " ").allSatisfy { $0.count == longest })
    try await ada.ready(2)
    try await ben.ready(2)
    let next = try await ben.round(2)
    #expect(next.game == round.game && next.letters != "")
  }

  @Test func `who opens tables without end has four rounds at once, and others play`() async throws
  {
    let table = try Table()
    let (ada, ben) = (try await table.player("Ada"), try await table.player("Ben"))
    let most = Umpire.runningOfOneMax
    for _ in 0...most {
      try await ada.sit(at: ada.open(withBot: true))
      try await ada.ready(1)
    }
    // All of them are at the server before the last one's turn.
    for await seats in try ben.replica.live(Query<Seat>(in: ben.group)).values()
    where seats.count(where: { $0.ready == 1 }) == most + 1 { break }
    let game = try await ben.open(withBot: true)
    try await ben.sit(at: game)
    try await ben.ready(1)
    let rounds = try await ben.rounds { $0.contains { $0.game == Reference(game) } }
    #expect(rounds.count == most + 1)
    // One that ends makes room for the next.
    _ = try await table.pass(.seconds(100)) {
      try await ben.rounds { $0.count(where: \.isOver) == most + 1 }
    }
    try await ada.ready(1, hurries: true)
    _ = try await ben.rounds { $0.count == most + 2 }
  }

  @Test func `refuses what is not to be had, with a sentence, and counts none of it`() async throws
  {
    let table = try Table()
    let (ada, ben, round) = try await Self.begin(table)
    let words = try Self.words(of: round)
    try await ada.type(words[0], in: round)
    let unlisted = try #require(
      words.map { String($0.reversed()) }.first { !words.contains($0) })
    var refusals: [(Entry, String)] = []
    func refuse(_ sentence: String, _ entry: Entry) { refusals.append((entry, sentence)) }
    refuse("You have that word already.", try await ada.type(words[0], in: round))
    refuse("is not in the list of words.", try await ada.type(unlisted, in: round))
    refuse("No word is longer", try await ada.type(String(repeating: "ab", count: 60), in: round))
    refuse("before the letters", try await ada.type(words[1], in: round, at: ada.time - 60_000))
    refuse("in the future", try await ada.type(words[1], in: round, at: ada.time + 60_000))
    refuse("after the end", try await ada.type(words[1], in: round, at: ada.time + 600_000))
    refuse("You do not play", try await ada.type(words[1], in: round, seat: ben.seat))
    refuse("a space of your own", try await ada.type(words[1], in: round, into: ada.group))
    for (entry, sentence) in refusals {
      let said = await ada.sentence(of: entry.id)
      #expect(said.contains(sentence), "\(said)")
    }
    // Points and rounds are nobody's to write, and what was typed is nobody's to change.
    let forged = try await ben.replica.write(in: ben.group) { transaction in
      try transaction.create(Score.self) { ($0.round, $0.points) = (Reference(round), 9999) }
    }
    #expect(await ben.sentence(of: forged.id) == Refusal.serversWord.description)
    let invented = try await ben.replica.write(in: ben.group) { transaction in
      try transaction.create(GameRound.self) { ($0.game, $0.number) = (round.game, 7) }
    }
    #expect(await ben.sentence(of: invented.id) == Refusal.serversWord.description)
    let entry = try await ben.type(words[5], in: round)
    _ = try await ben.scores(of: round) { $0["Ben"]?.count == 1 }
    try await ben.replica.write(in: ben.mine) {
      try $0.set(\Entry.word, of: entry.id, to: words[0])
    }
    #expect(await ben.sentence(of: entry.id) == Refusal.stays.description)
    let scores = try await ben.scores(of: round) { $0["Ada"]?.count == 1 }
    #expect(scores.count == 2 && scores["Ben"]?.points == Points.base(length: words[5].count))
    // So late that nothing may come any more.
    _ = try await table.pass(.seconds(120)) { try await ada.round(1, isOver: true) }
    let overdue = try await ada.type(words[1], in: round, at: ada.time - 60_000)
    #expect(await ada.sentence(of: overdue.id) == Refusal.isOver.description)
    #expect(
      try await ada.scores(of: round) { $0["Ada"]?.words.isEmpty == false }["Ada"]?.count == 1)
  }

  @Test func `without the rule, forged points stand (negative control)`() async throws {
    let table = try Table(hasRule: false)
    let (ada, ben, round) = try await Self.begin(table)
    try await ben.replica.write(in: ben.group) { transaction in
      _ = try transaction.create(Score.self) {
        ($0.round, $0.points, $0.name) = (Reference(round), 9999, "Ben, forged")
      }
    }
    let scores = try await ada.scores(of: round) { $0["Ben, forged"] != nil }
    #expect(scores["Ben, forged"]?.points == 9999)
  }

  @Test(arguments: [-5 * 3_600_000, 7 * 3_600_000] as [Int64])
  func `a phone whose clock is wrong by hours plays along`(_ wrongBy: Int64) async throws {
    let table = try Table()
    let (ada, ben, round) = try await Self.begin(table, wrongBy: wrongBy)
    let word = try Self.words(of: round)[0]
    try await ben.type(word, in: round)
    _ = try await ada.scores(of: round) { $0["Ben"]?.count == 1 }
  }

  @Test func `with no offset agreed, its words are not in time (negative control)`() async throws {
    let table = try Table()
    let (_, ben, round) = try await Self.begin(table, wrongBy: -5 * 3_600_000, offset: 0)
    let entry = try await ben.type(Self.words(of: round)[0], in: round)
    #expect(await ben.sentence(of: entry.id).contains("before the letters were shown"))
  }

  @Test func `a server that is started again goes on with the round, and loses no word`()
    async throws
  {
    let table = try Table()
    let (ada, ben, round) = try await Self.begin(table)
    let words = try Self.words(of: round)
    for word in words[0..<2] { try await ada.type(word, in: round) }
    _ = try await ben.scores(of: round) { $0["Ada"]?.count == 2 }
    // It is away beyond the end; what was typed before counts all the same.
    let before = table.clock.wallMilliseconds
    try table.restart(after: .seconds(100))
    // A phone needs a while to hear that it is back.
    table.clock.advance(by: .seconds(14))
    try await ben.type(words[2], in: round, at: Int(before))
    let live = try await ada.scores(of: round) { $0["Ben"]?.count == 1 }
    #expect(live["Ada"]?.count == 2)
    let scores = try await table.pass(.seconds(20)) {
      try await ada.scores(of: round) { $0["Ben"]?.words.isEmpty == false }
    }
    #expect(scores["Ada"]?.words == words[0..<2].joined(separator: " "))
    #expect(scores["Ben"]?.words == words[2])
  }

  @Test func `the bot plays with one who is alone, and its points come one by one`() async throws {
    let table = try Table()
    let ada = try await table.player("Ada")
    let game = try await ada.open(withBot: true)
    try await ada.sit(at: game)
    try await ada.ready(1)
    let round = try await ada.round(1)
    let early = try await table.pass(.seconds(30), then: .milliseconds(500)) {
      try await ada.scores(of: round) { ($0["Bot"]?.count ?? 0) > 0 }
    }
    table.clock.advance(by: .seconds(70))
    try await ada.isDone(1)
    let scores = try await ada.scores(of: round) { $0["Bot"]?.words.isEmpty == false }
    #expect((early["Bot"]?.count ?? 0) < (scores["Bot"]?.count ?? 0))
    let all = try Set(Self.words(of: round))
    #expect(scores["Bot"]?.words.split(separator: " ").allSatisfy { all.contains("\($0)") } == true)
  }

  @Test func `a round that cannot be closed is tried again each second, and holds back no other`()
    async throws
  {
    let table = try Table()
    let umpire = try #require(table.umpire)
    var games: [Game] = []
    let players = [try await table.player("Ada"), try await table.player("Ben")]
    for player in players {
      games.append(try await player.open(withBot: true))
      try await player.sit(at: games[games.count - 1])
      try await player.ready(1)
    }
    let rounds = try await players[1].rounds { $0.count == 2 }
    let broken = try #require(rounds.first { $0.game?.id == games[0].id })
    // More words than the field of a score takes.
    let letters = Array("abcdefgh")
    let many = try letters.flatMap { one in
      try letters.flatMap { two in
        try letters.flatMap { three in
          try letters.map { try Word("\(one)\(two)\(three)\($0)") }
        }
      }
    }
    umpire.state.withLock { $0.running[broken.id]?.players[0].counted = Set(many) }
    let over = try await table.pass(.seconds(120)) {
      try await players[1].rounds { $0.contains { $0.isOver } }
    }
    #expect(over.filter(\.isOver).map(\.game?.id) == [games[1].id])
    umpire.queue.sync {}
    let before = table.told.count
    #expect(before > 0)
    // Half a second, in which time may pass once more on its own.
    for _ in 0..<50 {
      table.clock.advance(by: .milliseconds(10))
      umpire.queue.sync {}
    }
    #expect(table.told.count < before + 5)
    umpire.state.withLock { $0.running[broken.id]?.players[0].counted = [] }
    _ = try await table.pass(.seconds(1)) {
      try await players[1].rounds { $0.allSatisfy { $0.isOver } }
    }
  }

  @Test func `those who are ready begin without one who is not, where they do not want to wait`()
    async throws
  {
    let table = try Table()
    let players = [
      try await table.player("Ada"), try await table.player("Ben"), try await table.player("Eve"),
    ]
    let game = try await players[0].open()
    for player in players { try await player.sit(at: game) }
    for await seats in try players[1].replica.live(Query<Seat>(in: players[1].group)).values()
    where seats.count == 3 { break }
    try await players[0].ready(1)
    try await players[1].ready(1, hurries: true)
    let round = try await players[2].round(1)
    let scores = try await players[2].scores(of: round) { $0.count >= 2 }
    #expect(Set(scores.keys) == ["Ada", "Ben"])
  }
}
