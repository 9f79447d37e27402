import Foundation
import Reunion
import Synchronization

/// Somebody at a table, as a phone is: a copy of the group's space, one of their own, and real sockets.
final class Player: Sendable {
  let name: String
  let replica: Replica
  let group: SpaceID
  private let mine: SpaceID
  private let connections: [Connection]
  /// When each of the others' words was seen here: by the player's score and how many words it had.
  let seen = Mutex<[RecordID: [Int: ContinuousClock.Instant]]>([:])
  private let watching = Mutex<SignalSubscription?>(nil)

  init(_ name: String, at link: String, in folder: String) async throws {
    self.name = name
    var options = StoreOptions()
    // As in a browser, which shows what came before it is on the disk.
    options.durability = .normal
    replica = try Replica(folder: "\(folder)/\(name)", model: .words, options: options)
    group = try await replica.space(joining: link)
    mine = try replica.ownSpace()
    connections = [
      try replica.sync(group, joining: link), try replica.sync(mine, called: name),
    ]
  }

  /// Waits for the round of a game.
  func round(of game: Game) async throws -> GameRound {
    let query = Query<GameRound>(in: group).filter(\.game == Reference(game))
    for await rounds in try replica.live(query).values() {
      if let round = rounds.first { return round }
    }
    throw CancellationError()
  }

  /// Notes when points of a round come here.
  func watch(_ round: GameRound) throws {
    let query = Query<Score>(in: group).filter(\.round == Reference(round))
    let watching = try replica.live(query).observe { [weak self] scores in
      let now = ContinuousClock.now
      self?.seen.withLock { seen in
        for score in scores where seen[score.id]?[score.count] == nil {
          seen[score.id, default: [:]][score.count] = now
        }
      }
    }
    self.watching.withLock { $0 = watching }
  }

  /// Types a word, and gives when.
  func type(_ word: String, in round: GameRound, seat: Seat) async throws
    -> ContinuousClock.Instant
  {
    let began = ContinuousClock.now
    try await replica.write(in: mine) { transaction in
      _ = try transaction.create(Entry.self) {
        ($0.round, $0.seat, $0.word) = (Reference(round), Reference(seat), word)
        $0.typedAt = Int(Date().timeIntervalSince1970 * 1000)
      }
    }
    return began
  }
}
