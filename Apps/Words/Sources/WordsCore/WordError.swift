/// Why a word does not count, as a sentence for who typed it.
public struct WordError: Error, Equatable, Sendable {
  /// What is wrong.
  public enum Code: Equatable, Sendable {
    /// Nothing was typed.
    case empty
    /// It has something that is no letter.
    case notLetters
    /// It has too few letters, or too many.
    case tooShort, tooLong
    /// It needs a letter that is not there, or not often enough.
    case notInLetters
    /// The list of words does not have it.
    case notInList
    /// The same player has it already.
    case double
    /// It was typed before the letters were shown, or after the end.
    case early, late
    /// It arrived too long after the end.
    case overdue
    /// It says that it was typed in the future.
    case ahead
    /// The list of words, or what a page asks, is none.
    case malformed
  }

  /// What is wrong.
  public let code: Code
  /// The sentence, around the letters that it is about.
  private let sentence: (before: StaticString, after: StaticString)
  private let letters: [UInt16]

  init(
    _ code: Code, _ before: StaticString, _ letters: [UInt16] = [], _ after: StaticString = ""
  ) {
    self.code = code
    sentence = (before, after)
    self.letters = letters
  }

  /// The sentence in UTF-8.
  var utf8: [UInt8] {
    sentence.before.withUTF8Buffer(Array.init) + Word.utf8(of: letters)
      + sentence.after.withUTF8Buffer(Array.init)
  }

  /// The sentence.
  public var description: String { String(decoding: utf8, as: UTF8.self) }

  /// Whether both are the same, said of the same letters.
  public static func == (one: WordError, other: WordError) -> Bool {
    one.code == other.code && one.letters == other.letters
  }

  static let empty = WordError(.empty, "Type a word.")
  static let notLetters = WordError(.notLetters, "A word has letters alone.")
  static let tooShort = WordError(.tooShort, "A word needs three letters at least.")
  static let tooLong = WordError(.tooLong, "No word is longer than the letters that are there.")
  static let double = WordError(.double, "You have that word already.")
  static let early = WordError(.early, "That word was typed before the letters were shown.")
  static let late = WordError(.late, "That word was typed after the end.")
  static let overdue = WordError(.overdue, "That word arrived too long after the end.")
  static let ahead = WordError(.ahead, "That word says that it was typed in the future.")
  static let malformed = WordError(.malformed, "The page asked for what this version cannot do.")
}

extension WordError: CustomStringConvertible {}
