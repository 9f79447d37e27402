/// The letters of a round: each may be used as often as it is there.
public struct Rack: Equatable, Sendable {
  /// The letters as they are shown.
  public let letters: [UInt16]

  init(letters: [UInt16]) { self.letters = letters }

  /// Reads letters as `text` has them.
  ///
  /// - Throws: `malformed`.
  public init(_ text: String) throws(WordError) { try self.init(utf8: Array(text.utf8)) }

  init(utf8: [UInt8]) throws(WordError) {
    guard utf8.count <= Word.bytesMax, let letters = Word.letters(of: utf8),
      Word.lengths.contains(letters.count)
    else { throw .malformed }
    self.letters = letters
  }

  /// The letters as a text.
  public var text: String { Word.text(of: letters) }

  /// The letter that a word needs and that is not there, or not often enough; nil if all are there.
  func missing(of word: [UInt16]) -> UInt16? {
    var left = letters
    for letter in word {
      guard let index = left.firstIndex(of: letter) else { return letter }
      left.remove(at: index)
    }
    return nil
  }

  /// Whether a word can be laid with the letters.
  public func holds(_ word: Word) -> Bool { missing(of: word.letters) == nil }
}
