import Foundation
import Reunion
import Synchronization
import WordsCore
import WordsUmpire

// WordsBench LINK GAMES WORDS PROCESS: games of four at once, in which each player types WORDS
// words. Prints as JSON how long the points of a word take to another player's copy, and how much
// CPU time the server, which is that process, needs from each word to the next, in milliseconds.

let arguments = CommandLine.arguments
guard arguments.count == 5, let gameCount = Int(arguments[2]), let wordCount = Int(arguments[3]),
  let server = pid_t(arguments[4])
else {
  print(
    "Say the guests' link, how many games, how many words each player types, and the server's process."
  )
  exit(2)
}
let folder = NSTemporaryDirectory() + "words-bench-\(UUID())"
defer { try? FileManager.default.removeItem(atPath: folder) }
let seated = 4

/// A game with its players, and their seats.
struct Bench {
  let game: Game
  let players: [Player]
  let seats: [Seat]
}

var games: [Bench] = []
for number in 0..<gameCount {
  var players: [Player] = []
  for seat in 0..<seated {
    players.append(try await Player("\(number)-\(seat)", at: arguments[1], in: folder))
  }
  let group = players[0].group
  let game = try players[0].replica.write(in: group) { transaction in
    try transaction.create(Game.self) { $0.list = WordList.usual[0] }
  }
  var seats: [Seat] = []
  for (color, player) in players.enumerated() {
    seats.append(
      try player.replica.write(in: group) { transaction in
        try transaction.create(Seat.self) {
          ($0.game, $0.name, $0.color) = (Reference(game), player.name, color)
        }
      })
  }
  games.append(Bench(game: game, players: players, seats: seats))
}
for bench in games {
  for (player, seat) in zip(bench.players, bench.seats) {
    try player.replica.write(in: player.group) { try $0.set(\Seat.ready, of: seat.id, to: 1) }
  }
}
let lexicon = try WordList.read([WordList.usual[0]])[0].lexicon
var rounds: [GameRound] = []
for bench in games {
  let round = try await bench.players[0].round(of: bench.game)
  for player in bench.players {
    _ = try await player.round(of: bench.game)
    try player.watch(round)
  }
  rounds.append(round)
}
let latest = rounds.compactMap(\.startsAt).max() ?? Date()
try await Task.sleep(for: .seconds(max(0, latest.timeIntervalSinceNow) + 1))

/// When each word was typed: the game, the player's number, which of their words, and when.
var typed: [(game: Int, player: Int, count: Int, at: ContinuousClock.Instant)] = []
let words = try rounds.map { try lexicon.words(in: Rack($0.letters)).map(\.text) }
/// The server's CPU time before each word, and after the last.
var used: [Double] = []
// Each types a word in five seconds, one player after the other.
let beat = Duration.seconds(5)
let start = ContinuousClock.now
for count in 1...wordCount {
  for (number, bench) in games.enumerated() {
    for index in bench.players.indices {
      let word = words[number][(index * 7 + count) % words[number].count]
      used.append(try cpuMilliseconds(of: server))
      let at = try await bench.players[index].type(
        word, in: rounds[number], seat: bench.seats[index])
      typed.append((number, index, count, at))
      let next = start + beat * Double(typed.count) / Double(gameCount * seated)
      try await Task.sleep(until: next, clock: .continuous)
    }
  }
}
try await Task.sleep(for: .seconds(3))
used.append(try cpuMilliseconds(of: server))

var milliseconds: [Double] = []
var missing = 0
for word in typed {
  let bench = games[word.game]
  let other = bench.players[(word.player + 1) % seated]
  let scores = try other.replica.fetch(
    Query<Score>(in: other.group).filter(\.round == Reference(rounds[word.game])))
  let score = scores.first { $0.seat?.id == bench.seats[word.player].id }
  let seen = other.seen.withLock { seen in
    score.flatMap { seen[$0.id]?.filter { $0.key >= word.count }.values.min() }
  }
  if let seen {
    let took = (seen - word.at).components
    milliseconds.append(Double(took.seconds) * 1e3 + Double(took.attoseconds) / 1e15)
  } else {
    missing += 1
  }
}
milliseconds.sort()
// What comes after the last word is of several.
let needed = zip(used.dropFirst(), used).map(-).dropLast().sorted()
func part(_ share: Double, of milliseconds: [Double]) -> Double {
  milliseconds.isEmpty ? 0 : milliseconds[Int(Double(milliseconds.count - 1) * share)]
}
let answer: [String: Double] = [
  "games": Double(gameCount), "players": Double(gameCount * seated),
  "words": Double(typed.count), "missing": Double(missing), "p50": part(0.5, of: milliseconds),
  "p95": part(0.95, of: milliseconds),
  "most": part(1, of: milliseconds),
  "cpuMean": ((used.last ?? 0) - (used.first ?? 0)) / Double(typed.count),
  "cpuP95": part(0.95, of: needed),
]
let json = try JSONSerialization.data(withJSONObject: answer, options: [.sortedKeys])
print(String(decoding: json, as: UTF8.self))
try? FileManager.default.removeItem(atPath: folder)
exit(0)
