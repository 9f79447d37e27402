import Foundation
import Reunion
import Synchronization
import WordsCore

/// How rounds begin, count and end; on the umpire's queue.
extension Umpire {
  private static let recentSeconds = 86_400.0
  /// The most rounds at once: who opens tables without end takes the others' memory no more.
  private static let runningMax = 500
  /// The most of them at tables that one device opened: nobody takes the others' rounds.
  static let runningOfOneMax = 4

  /// Games of the last day.
  func recentGames(in space: SpaceID) throws -> [RecordID] {
    let since = Date(timeIntervalSince1970: Double(now) / 1000 - Self.recentSeconds)
    return try store.fetch(Query<Game>(in: space)).filter { $0.openedAt ?? since > since }
      .map(\.id)
  }

  /// Begins the next round of each game whose players are ready, and notes whose words have arrived.
  func consider(_ games: [RecordID], in space: SpaceID) throws {
    for id in games {
      guard let game = try store.fetch(Game.self, id, in: space) else { continue }
      let seats = try store.fetch(Query<Seat>(in: space).filter(\.game == Reference(id)))
      let running = state.withLock { state -> Bool in
        guard var round = state.running.values.first(where: { $0.game == id }) else { return false }
        for index in round.players.indices {
          // Nothing comes of who has left.
          let seat = seats.first { $0.id == round.players[index].seat }
          round.players[index].isDone = seat.map { $0.done >= round.number } ?? true
        }
        state.running[round.id] = round
        return true
      }
      guard !running, try mayBegin(id, in: space) else { continue }
      try begin(game, with: seats, in: space)
    }
  }

  /// Whether a table may have a round beside those that run.
  private func mayBegin(_ game: RecordID, in space: SpaceID) throws -> Bool {
    let opener = try opener(of: game, in: space)
    return state.withLock { state in
      state.running.count < Self.runningMax
        && state.running.values.count { $0.opener == opener } < Self.runningOfOneMax
    }
  }

  private func opener(of game: RecordID, in space: SpaceID) throws -> UInt64 {
    try store.creator(of: Game.self, game, in: space) ?? 0
  }

  private func begin(_ game: Game, with seats: [Seat], in space: SpaceID) throws {
    let rounds = try store.fetch(Query<GameRound>(in: space).filter(\.game == Reference(game.id)))
    let number = (rounds.map(\.number).max() ?? 0) + 1
    let guests = seats.map { Lobby.Guest(ready: $0.ready, hurries: $0.hurries) }
    guard let starters = Lobby.starters(of: guests, round: number, withBot: game.hasBot) else {
      return
    }
    let lexicon = (lists.first { $0.name == game.list } ?? lists[0]).lexicon
    let deal = try Deal(from: lexicon, seed: .random(in: 0...UInt64.max))
    let sieve = Sieve(deal.words)
    let round = Round(deal.rack, sieve, startsAt: now + Round.countdown, lasting: play)
    let colors = starters.map { seats[$0].color }
    let freeColor = (0..<4).first { !colors.contains($0) } ?? 3
    // The bot has no seat.
    var entrants: [(seat: Seat?, player: String)] = try starters.map { index in
      let device = try store.creator(of: Seat.self, seats[index].id, in: space) ?? 0
      return (seats[index], String(format: "%016llx", device))
    }
    if game.hasBot { entrants.append((nil, "bot")) }
    let (record, scores) = try store.write(in: space) { transaction in
      let record = try transaction.create(GameRound.self) {
        $0.game = Reference(game.id)
        $0.number = number
        $0.letters = deal.rack.text
        $0.sieve = sieve.bytes
        $0.wordCount = deal.words.count
        $0.startsAt = Date(milliseconds: round.startsAt)
        $0.endsAt = Date(milliseconds: round.endsAt)
      }
      let scores = try entrants.map { entrant in
        try transaction.create(Score.self) {
          $0.round = Reference(record.id)
          $0.seat = entrant.seat.map { Reference($0.id) }
          $0.player = entrant.player
          $0.name = entrant.seat?.name ?? "Bot"
          $0.color = entrant.seat?.color ?? freeColor
          $0.offset = entrant.seat?.offset ?? 0
        }
      }
      return (record, scores)
    }
    try take(record, scores, round, deal.words, in: space)
  }

  /// Plays a round whose records are on the disk.
  private func take(
    _ record: GameRound, _ scores: [Score], _ round: Round, _ words: [Word], in space: SpaceID
  ) throws {
    let players = scores.sorted { $0.id < $1.id }.map {
      RunningRound.Player(
        seat: $0.seat?.id, device: UInt64($0.player, radix: 16) ?? 0, score: $0.id,
        offset: Int64($0.offset))
    }
    let game = record.game?.id ?? record.id
    var running = RunningRound(
      id: record.id, space: space, game: game, opener: try opener(of: game, in: space),
      number: record.number, round: round, words: words, players: players)
    if players.contains(where: { $0.seat == nil }) {
      let play = round.endsAt - round.startsAt
      running.botFinds = Bot(words: words, seed: record.id.low, lasting: play).finds[...]
    }
    state.withLock { $0.running[record.id] = running }
  }

  /// Takes up the rounds that a server which was killed had begun, with what was entered.
  func takeUp() throws {
    let spaces = try store.spaces
    for space in spaces {
      for record in try store.fetch(Query<GameRound>(in: space)) where !record.isOver {
        guard let rack = try? Rack(record.letters), let sieve = try? Sieve(bytes: record.sieve),
          let startsAt = record.startsAt?.milliseconds, let endsAt = record.endsAt?.milliseconds
        else { continue }
        let ofRound = Query<Score>(in: space).filter(\.round == Reference(record.id))
        let scores = try store.fetch(ofRound)
        let game = try record.game.flatMap { game in
          try store.fetch(Game.self, game.id, in: space)
        }
        let lexicon = lists.first { $0.name == game?.list }?.lexicon
        let words = (lexicon ?? lists[0].lexicon).words(in: rack).filter(sieve.passes)
        var round = Round(rack, sieve, startsAt: startsAt, lasting: endsAt - startsAt)
        // A player who typed a word while the server was away may still send it.
        round.closesAt = max(round.closesAt, now + Round.grace)
        try take(record, scores, round, words, in: space)
      }
    }
    let ids = state.withLock { Array($0.running.keys) }
    for space in ids.isEmpty ? [] : spaces {
      for id in ids {
        let entries = Query<Entry>(in: space).filter(\.round == Reference(id))
        try count(store.fetch(entries).map(\.id), in: space)
      }
    }
  }

  /// Counts entries that are on the disk, of a space of a player's; of all of it where they are not named.
  func count(_ entries: [RecordID]?, in space: SpaceID) throws {
    let entries = try entries ?? store.fetch(Query<Entry>(in: space)).map(\.id)
    var changed: Set<RecordID> = []
    for id in entries {
      guard let entry = try store.fetch(Entry.self, id, in: space), let round = entry.round?.id,
        let device = try store.creator(of: Entry.self, id, in: space)
      else { continue }
      let isNew = state.withLock {
        $0.running[round]?.count(entry.word, as: id, by: device) ?? false
      }
      if isNew { changed.insert(round) }
    }
    for round in changed { try show(round) }
  }

  func countBot(in round: RecordID, by now: Int64) throws {
    if state.withLock({ $0.running[round]?.countBot(by: now) ?? false }) { try show(round) }
  }

  /// Shows everybody the points as they stand.
  private func show(_ id: RecordID) throws {
    guard let round = state.withLock({ $0.running[id] }) else { return }
    try store.write(in: round.space) { transaction in
      for player in round.players {
        guard let score = try transaction.fetch(Score.self, player.score),
          score.count != player.counted.count
        else { continue }
        try transaction.set(\Score.points, of: score.id, to: player.points)
        try transaction.set(\Score.count, of: score.id, to: player.counted.count)
      }
    }
  }

  /// Makes the points final, and shows everybody all words.
  func close(_ id: RecordID) throws {
    try countBot(in: id, by: .max)
    guard let round = state.withLock({ $0.running[id] }) else { return }
    let finds = round.players.map { $0.counted.sorted() }
    let outcome = Outcome(finds: finds, words: round.words)
    try store.write(in: round.space) { transaction in
      for (index, player) in round.players.enumerated()
      where try transaction.fetch(Score.self, player.score) != nil {
        let words = finds[index].map(\.text).joined(separator: " ")
        try transaction.set(\Score.points, of: player.score, to: outcome.points[index])
        try transaction.set(\Score.count, of: player.score, to: finds[index].count)
        try transaction.set(\Score.words, of: player.score, to: words)
      }
      guard try transaction.fetch(GameRound.self, id) != nil else { return }
      let missed = outcome.missed.map(\.text).joined(separator: " ")
      try transaction.set(\GameRound.missed, of: id, to: missed)
      try transaction.set(\GameRound.isOver, of: id, to: true)
    }
    state.withLock { $0.running[id] = nil }
  }
}

extension Date {
  fileprivate init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  fileprivate var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
