/// A word in small letters: what people type and what lists hold are brought to one form.
///
/// An *ß* is two letters *s*; a combining mark joins its letter where that is one of Latin-1's.
public struct Word: Hashable, Sendable, Comparable {
  /// The fewest and the most letters of a word that counts.
  public static let lengths = 3...9
  /// The most bytes of a text that is looked at.
  public static let bytesMax = 128

  /// Its letters, each a scalar of Unicode.
  public let letters: [UInt16]

  init(letters: [UInt16]) { self.letters = letters }

  /// Reads a text of any length.
  ///
  /// - Throws: `empty`, `tooLong`, `tooShort` or `notLetters`.
  public init(_ text: String) throws(WordError) { try self.init(utf8: Array(text.utf8)) }

  /// Reads a text in UTF-8.
  init(utf8: [UInt8]) throws(WordError) {
    guard utf8.count <= Self.bytesMax else { throw .tooLong }
    guard let letters = Self.letters(of: utf8) else { throw .notLetters }
    guard !letters.isEmpty else { throw .empty }
    guard letters.count >= Self.lengths.lowerBound else { throw .tooShort }
    guard letters.count <= Self.lengths.upperBound else { throw .tooLong }
    self.letters = letters
  }

  /// The small letters of a text, without blanks around them; nil where something is none.
  static func letters(of utf8: [UInt8]) -> [UInt16]? {
    var letters: [UInt16] = []
    var hasEnded = false
    var rest = utf8[...]
    while let value = scalar(&rest) {
      // Lists may have lines as Windows writes them, and the mark that its editors put in front.
      if value == 0x20 || value == 0x09 || value == 0x0A || value == 0x0D || value == 0xFEFF {
        hasEnded = !letters.isEmpty
        continue
      }
      guard !hasEnded else { return nil }
      if value == 0xDF || value == 0x1E9E {
        letters += [0x73, 0x73]
      } else if let small = small(value) {
        letters.append(small)
      } else if let last = letters.last, let joined = joined(last, value) {
        letters[letters.count - 1] = joined
      } else {
        return nil
      }
    }
    return letters
  }

  /// The next scalar of UTF-8; what is malformed, or takes more than three bytes, is no letter's.
  static func scalar(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
    guard let first = rest.popFirst() else { return nil }
    guard first >= 0xC2 else { return first < 0x80 ? UInt32(first) : 0 }
    guard first < 0xF0 else { return 0 }
    let more = first < 0xE0 ? 1 : 2
    var value = UInt32(first & (more == 1 ? 0x1F : 0x0F))
    for _ in 0..<more {
      guard let byte = rest.popFirst(), byte & 0xC0 == 0x80 else { return 0 }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    return value
  }

  /// The small form of a letter of ASCII, Latin-1, or the Latin, Greek and Cyrillic blocks that keep both
  /// forms side by side; nil for what is no letter.
  static func small(_ value: UInt32) -> UInt16? {
    switch value {
    case 0x61...0x7A, 0xE0...0xF6, 0xF8...0xFF, 0x430...0x45F, 0x3B1...0x3C9: UInt16(value)
    case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE, 0x410...0x42F: UInt16(value + 0x20)
    case 0x391...0x3A1, 0x3A3...0x3A9: UInt16(value + 0x20)
    case 0x400...0x40F: UInt16(value + 0x50)
    case 0x100...0x137, 0x14A...0x177: UInt16(value | 1)
    case 0x139...0x148, 0x179...0x17E: UInt16(value + value % 2)
    default: nil
    }
  }

  /// The marks that may follow a letter, and where the letters that have them stand in Latin-1.
  private static let marks: [(mark: UInt32, plain: [UInt16], joined: [UInt16])] = [
    (0x300, [0x61, 0x65, 0x69, 0x6F, 0x75], [0xE0, 0xE8, 0xEC, 0xF2, 0xF9]),
    (0x301, [0x61, 0x65, 0x69, 0x6F, 0x75, 0x79], [0xE1, 0xE9, 0xED, 0xF3, 0xFA, 0xFD]),
    (0x302, [0x61, 0x65, 0x69, 0x6F, 0x75], [0xE2, 0xEA, 0xEE, 0xF4, 0xFB]),
    (0x303, [0x61, 0x6E, 0x6F], [0xE3, 0xF1, 0xF5]),
    (0x308, [0x61, 0x65, 0x69, 0x6F, 0x75, 0x79], [0xE4, 0xEB, 0xEF, 0xF6, 0xFC, 0xFF]),
    (0x30A, [0x61], [0xE5]), (0x327, [0x63], [0xE7]),
  ]

  private static func joined(_ letter: UInt16, _ mark: UInt32) -> UInt16? {
    for each in marks where each.mark == mark {
      for (plain, joined) in zip(each.plain, each.joined) where plain == letter { return joined }
    }
    return nil
  }

  /// The word as a text.
  public var text: String { Self.text(of: letters) }

  static func text(of letters: [UInt16]) -> String {
    String(decoding: utf8(of: letters), as: UTF8.self)
  }

  static func utf8(of letters: [UInt16]) -> [UInt8] {
    letters.flatMap { letter -> [UInt8] in
      let last = UInt8(letter & 0x3F) | 0x80
      if letter < 0x80 { return [UInt8(letter)] }
      if letter < 0x800 { return [UInt8(letter >> 6) | 0xC0, last] }
      return [UInt8(letter >> 12) | 0xE0, UInt8(letter >> 6 & 0x3F) | 0x80, last]
    }
  }

  /// By length, the longest first, and then by their letters.
  public static func < (one: Word, other: Word) -> Bool {
    guard one.letters.count == other.letters.count else {
      return one.letters.count > other.letters.count
    }
    return one.letters.lexicographicallyPrecedes(other.letters)
  }
}
