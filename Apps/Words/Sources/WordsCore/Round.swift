/// When a round begins and ends, and which words it takes: what a page says at once, and the server has the
/// last word on.
///
/// All times are milliseconds since 1970 by the server's clock.
public struct Round: Sendable {
  /// How long one plays if nobody says otherwise, and the time from the last "ready" to the start.
  public static let (play, countdown): (Int64, Int64) = (90_000, 5_000)
  /// For how long after the end a word may arrive.
  public static let grace: Int64 = 15_000
  /// How far a word's time may be off, since no offset is exact.
  public static let slack: Int64 = 1_000

  /// The letters.
  public let rack: Rack
  /// The words that it takes.
  public let sieve: Sieve
  /// When the letters are shown.
  public let startsAt: Int64
  /// Until when words are received.
  public var closesAt: Int64
  /// When the time is over.
  public let endsAt: Int64

  /// A round that starts at a time, and lasts `play` milliseconds.
  public init(_ rack: Rack, _ sieve: Sieve, startsAt: Int64, lasting play: Int64 = Self.play) {
    (self.rack, self.sieve, self.startsAt) = (rack, sieve, startsAt)
    endsAt = startsAt + play
    closesAt = endsAt + Self.grace
  }

  /// The word of a text in UTF-8, where it is to be had and the player does not have it yet.
  ///
  /// - Throws: a sentence that says why it does not count.
  static func read(
    _ utf8: [UInt8], with rack: Rack, _ sieve: Sieve, has: (Word) -> Bool
  ) throws(WordError) -> Word {
    let word = try Word(utf8: utf8)
    if let letter = rack.missing(of: word.letters) {
      throw rack.letters.contains(letter)
        ? WordError(.notInLetters, "There are not so many ", [letter], " among the letters.")
        : WordError(.notInLetters, "There is no ", [letter], " among the letters.")
    }
    guard !has(word) else { throw .double }
    guard sieve.passes(word) else {
      throw WordError(.notInList, "“", word.letters, "” is not in the list of words.")
    }
    return word
  }

  /// The word of a text that was typed and received at these times.
  ///
  /// - Throws: a sentence that says why it does not count.
  public func admit(
    _ text: String, typedAt: Int64, receivedAt: Int64, has: (Word) -> Bool
  ) throws(WordError) -> Word {
    let word = try Self.read(Array(text.utf8), with: rack, sieve, has: has)
    guard typedAt >= startsAt - Self.slack else { throw .early }
    guard typedAt < endsAt else { throw .late }
    guard typedAt <= receivedAt + Self.slack else { throw .ahead }
    guard receivedAt <= closesAt else { throw .overdue }
    return word
  }
}
