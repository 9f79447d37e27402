import Foundation
import Reunion
import ReunionFlow
import ReunionServer
import ReunionStore
import WordsCore

@testable import WordsUmpire

/// A real server with an umpire whose time a test moves, and players that join it over real sockets.
final class Table {
  /// The list of words: syllables that a seed puts together.
  static let lexicon = Lexicon(
    Array(
      ["ta", "re", "no", "si", "le", "st", "an", "er", "in"].flatMap { one in
        ["ta", "re", "no", "si", "le", "st", "an", "er", "in", ""].flatMap { two in
          ["ed", "ar", "it", "on", "se", ""].flatMap { three in
            ["", "s", "li", "t", "n", "ens"].map { one + two + three + $0 }
          }
        }
      }.joined(separator: "\n").utf8))

  let folder = "\(NSTemporaryDirectory())/words-\(UUID())"
  let clock = TestClock()
  let told = Told<String>()
  private let hasRule: Bool
  private(set) var umpire: Umpire?
  private var service: AppService?
  private var players: [Player] = []
  private let link: String
  private let port: UInt16

  /// A server; one without the rule shows what the rule is for.
  init(hasRule: Bool = true) throws {
    self.hasRule = hasRule
    let parts = try Self.parts(folder, port: 0, clock, told, hasRule)
    (umpire, service, port) = (parts.umpire, parts.service, parts.port)
    link = parts.service.here.link(parts.secret)
    try parts.umpire.start()
    try parts.service.start()
  }

  private static func parts(
    _ folder: String, port: UInt16, _ clock: TestClock, _ told: Told<String>, _ hasRule: Bool
  ) throws -> (umpire: Umpire, service: AppService, port: UInt16, secret: String) {
    var options = ServerOptions(
      ["--port", "\(port)", "--address", "127.0.0.1"], folder: folder + "/server")
    while try options.next() != nil {}
    var configuration = try options.configuration()
    configuration.notice = told.append
    let spaces = try ServedSpaces(folder: options.folder, entities: Umpire.model)
    let umpire = Umpire(
      of: spaces.store, lists: [("syllables", lexicon)], clock: clock, tell: told.append)
    if hasRule { configuration.rule = umpire.rule }
    let secret = try spaces.access.invite(.add)
    let taken = configuration.listener.port
    return (umpire, try AppService(spaces, configuration, options), taken, secret)
  }

  /// Ends the server, and starts another one on its folder and port.
  func restart(after: Duration) throws {
    end()
    clock.advance(by: after)
    let parts = try Self.parts(folder, port: port, clock, told, hasRule)
    (umpire, service) = (parts.umpire, parts.service)
    try parts.umpire.start()
    try parts.service.start()
  }

  /// Lets time pass, and go on while something is waited for: an alarm that is set just then would count from
  /// after the step.
  func pass<Value>(
    _ duration: Duration, then step: Duration = .seconds(1), until wait: () async throws -> Value
  ) async throws -> Value {
    clock.advance(by: duration)
    let passing = Task { [clock] in
      while true {
        try await pause(for: .milliseconds(200), because: "the server acts in between")
        clock.advance(by: step)
      }
    }
    defer { passing.cancel() }
    return try await wait()
  }

  private func end() {
    umpire?.stop()
    service?.stop()
    (umpire, service) = (nil, nil)
  }

  /// A phone that joins. Its clock is wrong by `wrongBy` milliseconds.
  func player(_ name: String, wrongBy: Int64 = 0) async throws -> Player {
    let player = try await Player(name, at: link, in: folder, clock, wrongBy)
    players.append(player)
    return player
  }

  deinit {
    for player in players { try? player.replica.close() }
    end()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

/// Somebody at the table, with a replica of the group's space and of one of their own.
final class Player {
  let name: String
  let replica: Replica
  let group: SpaceID
  let mine: SpaceID
  let refused = Told<RefusedChange>()
  private let clock: TestClock
  private let wrongBy: Int64
  private var connections: [Connection] = []
  private var telling: SignalSubscription?
  private(set) var seat: Seat?

  init(
    _ name: String, at link: String, in folder: String, _ clock: TestClock, _ wrongBy: Int64
  ) async throws {
    (self.name, self.clock, self.wrongBy) = (name, clock, wrongBy)
    var options = StoreOptions()
    options.wallMilliseconds = { UInt64(Int64(clock.wallMilliseconds) + wrongBy) }
    replica = try Replica(folder: "\(folder)/\(name)", model: Umpire.model, options: options)
    group = try await replica.space(joining: link)
    mine = try replica.ownSpace()
    connections = [
      try replica.sync(group, joining: link), try replica.sync(mine, called: name),
    ]
    telling = replica.refusedChanges.observe(refused.append)
  }

  /// The time by this player's clock.
  var time: Int { Int(clock.wallMilliseconds) + Int(wrongBy) }

  func open(withBot: Bool = false) async throws -> Game {
    try await replica.write(in: group) { transaction in
      try transaction.create(Game.self) { ($0.list, $0.hasBot) = ("syllables", withBot) }
    }
  }

  func sit(at game: Game, color: Int = 0) async throws {
    seat = try await replica.write(in: group) { [name] transaction in
      try transaction.create(Seat.self) {
        ($0.game, $0.name, $0.color) = (Reference(game), name, color)
      }
    }
  }

  /// Gets ready for a round, with the offset that a page measures.
  func ready(_ number: Int, offset: Int? = nil, hurries: Bool = false) async throws {
    guard let seat else { return }
    let offset = offset ?? -Int(wrongBy)
    try await replica.write(in: group) { transaction in
      try transaction.set(\Seat.offset, of: seat.id, to: offset)
      try transaction.set(\Seat.hurries, of: seat.id, to: hurries)
      try transaction.set(\Seat.ready, of: seat.id, to: number)
    }
  }

  func isDone(_ number: Int) async throws {
    guard let seat else { return }
    try await replica.write(in: group) { try $0.set(\Seat.done, of: seat.id, to: number) }
  }

  @discardableResult
  func type(
    _ word: String, in round: GameRound, at time: Int? = nil, seat other: Seat? = nil,
    into space: SpaceID? = nil
  ) async throws -> Entry {
    let (seat, time) = (other ?? seat, time ?? self.time)
    return try await replica.write(in: space ?? mine) { transaction in
      try transaction.create(Entry.self) {
        ($0.round, $0.word, $0.typedAt) = (Reference(round), word, time)
        $0.seat = seat.map { Reference($0) }
      }
    }
  }

  /// Waits until the group's rounds are as they are wanted.
  func rounds(_ isWanted: ([GameRound]) -> Bool) async throws -> [GameRound] {
    for await rounds in try replica.live(Query<GameRound>(in: group)).values()
    where isWanted(rounds) {
      return rounds
    }
    throw CancellationError()
  }

  /// Waits for the round with that number.
  func round(_ number: Int, isOver: Bool = false) async throws -> GameRound {
    for await rounds in try replica.live(Query<GameRound>(in: group)).values() {
      if let found = rounds.first(where: { $0.number == number && $0.isOver == isOver }) {
        return found
      }
    }
    throw CancellationError()
  }

  /// Waits until the scores of a round are as they are wanted, and gives them by name.
  func scores(
    of round: GameRound, _ isWanted: ([String: Score]) -> Bool
  ) async throws -> [String: Score] {
    let query = Query<Score>(in: group).filter(\.round == Reference(round))
    for await scores in try replica.live(query).values() {
      let byName = Dictionary(scores.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
      if isWanted(byName) { return byName }
    }
    throw CancellationError()
  }

  /// Waits until something was refused of an entity's record, and gives the sentence.
  func sentence(of record: RecordID) async -> String {
    await refused.first { $0.record == record }?.sentence ?? ""
  }
}

/// What came so far, for a test that awaits it.
final class Told<Item: Sendable>: Sendable {
  private let items = Variable<[Item]>([])

  func append(_ item: Item) { items.update { $0.append(item) } }

  var count: Int { items.value.count }

  /// Waits for an item.
  func first(where isWanted: (Item) -> Bool) async -> Item? {
    for await items in items.signal.values() {
      if let found = items.first(where: isWanted) { return found }
    }
    return nil
  }
}
