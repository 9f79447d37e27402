import Reunion
import WordsCore

/// A round that is being played, or of which words may still arrive.
struct RunningRound {
  /// Somebody who plays it.
  struct Player {
    /// None for the bot.
    let seat: RecordID?
    let device: UInt64
    let score: RecordID
    /// What their clock lacks to the server's, in milliseconds.
    let offset: Int64
    /// The words that were let in, each with the record that brought it: one that comes again counts once.
    var taken: [Word: RecordID] = [:]
    /// Those that are on the disk.
    var counted: Set<Word> = []
    /// Whether all their words have arrived.
    var isDone = false

    /// What the words count while the round runs.
    var points: Int { counted.reduce(0) { $0 + Points.base(length: $1.letters.count) } }
  }

  let id: RecordID
  let space: SpaceID
  let game: RecordID
  /// The device that opened the table.
  let opener: UInt64
  let number: Int
  var round: Round
  /// All words that there are.
  let words: [Word]
  var players: [Player]
  /// What the bot finds, the next first.
  var botFinds: ArraySlice<(word: Word, after: Int64)> = []

  /// Lets a word in that a device typed.
  ///
  /// - Throws: a sentence that says why it does not count.
  mutating func admit(
    _ text: String, as record: RecordID, by device: UInt64, at seat: RecordID?,
    typedAt: Int64, receivedAt: Int64
  ) throws(Refusal) {
    guard let index = players.firstIndex(where: { $0.seat == seat && $0.device == device }) else {
      throw .notPlaying
    }
    let player = players[index]
    let word: Word
    do throws(WordError) {
      word = try round.admit(
        text, typedAt: typedAt &+ player.offset, receivedAt: receivedAt
      ) { player.taken[$0].map { $0 != record } ?? false }
    } catch { throw Refusal(error.description) }
    players[index].taken[word] = record
  }

  /// Counts a word that is on the disk; false where it was counted before, or is none of the round's.
  mutating func count(_ text: String, as record: RecordID, by device: UInt64) -> Bool {
    guard let index = players.firstIndex(where: { $0.device == device && $0.seat != nil }),
      let word = try? Word(text), round.rack.holds(word), round.sieve.passes(word)
    else { return false }
    players[index].taken[word] = record
    return players[index].counted.insert(word).inserted
  }

  /// Counts what the bot has found by now; false where that is nothing new.
  mutating func countBot(by now: Int64) -> Bool {
    guard let index = players.firstIndex(where: { $0.seat == nil }) else { return false }
    var isNew = false
    while let find = botFinds.first, round.startsAt + find.after <= now {
      isNew = players[index].counted.insert(find.word).inserted || isNew
      botFinds = botFinds.dropFirst()
    }
    return isNew
  }

  /// Whether the points may become final: all words have arrived, or none may arrive any more.
  func mayClose(at now: Int64) -> Bool {
    let isComplete = players.allSatisfy { $0.isDone || $0.seat == nil }
    // What was let in at the last moment is on the disk by then.
    return now >= round.closesAt + Round.slack || (now >= round.endsAt && isComplete)
  }

  /// When something is to be done about it next.
  func nextMoment(after now: Int64) -> Int64 {
    let bot = botFinds.first.map { round.startsAt + $0.after } ?? .max
    let end = now < round.endsAt ? round.endsAt : round.closesAt + Round.slack
    return min(bot, end)
  }
}

/// Why the server does not accept something, as a sentence for its author.
struct Refusal: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static let notPlaying = Refusal("You do not play this round.")
  static let isOver = Refusal(
    "That round is not running: words may arrive 15 seconds after its end.")
  static let isShown = Refusal("Words go to a space of your own, so that nobody sees them.")
  static let stays = Refusal("What was typed stays as it is.")
  static let serversWord = Refusal("Rounds and points are the server's word.")
}
