/// The modulo 43 check character of Code 39 (ISO/IEC 16388, annex A).
enum Code39Check {
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%".utf8)

  /// Whether Code 39 has the letter.
  static func holds(_ letter: Unicode.Scalar) -> Bool {
    letter.isASCII && alphabet.contains(UInt8(letter.value))
  }

  /// The check character of a text; nil where Code 39 has no such letters.
  static func character(of text: some StringProtocol) -> Character? {
    var sum = 0
    for letter in text.utf8 {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      sum += value
    }
    return Character(Unicode.Scalar(alphabet[sum % 43]))
  }

  /// The text before its check character; nil where that is not right.
  static func body(of text: String) -> String? {
    guard text.utf8.count >= 2, let last = text.last, character(of: text.dropLast()) == last else {
      return nil
    }
    return String(text.dropLast())
  }
}
