/// Text of scripts that put no spaces between words, as an index of words has it: each letter of such a
/// script is a word, so that a word of a person is a phrase, wherever it stands.
///
/// The scripts are Chinese characters, Kana, Bopomofo, Yi, Thai, Lao, Khmer and Burmese. All other text
/// stays as it is. Source: The Unicode Standard, chapters 16 and 18; Unicode Standard Annex #29, section 4.
enum UnspacedText {
  /// The text with a space around each letter of such a script. Doing it again changes nothing.
  ///
  /// A vowel sign or tone mark becomes a letter of its own, from the private use area: SQLite's tokenizer
  /// takes marks for spaces, and กิน and กัน would be one word. *Cost*: one look at each byte for other
  /// scripts. Bytes that are no UTF-8 stay as they are.
  static func gapped(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0xe0 }) else { return text }
    var gapped: [UInt8] = []
    gapped.reserveCapacity(text.count + text.count / 2)
    var isAfterLetter = false
    var position = 0
    while position < text.count {
      let (scalar, byteCount) = scalar(of: text, at: position)
      let letter = scalar.flatMap(letter)
      let isGap = letter == nil ? isAfterLetter : !gapped.isEmpty
      if isGap, gapped.last != space, text[position] != space { gapped.append(space) }
      if let letter {
        gapped.append(contentsOf: Array(String(letter).utf8))
      } else {
        gapped.append(contentsOf: text[position..<position + byteCount])
      }
      isAfterLetter = letter != nil
      position += byteCount
    }
    return gapped
  }

  private static let space = UInt8(ascii: " ")

  /// The scalar of three or four bytes at a position, and how many bytes to go on by.
  private static func scalar(of text: [UInt8], at position: Int) -> (Unicode.Scalar?, Int) {
    let first = text[position]
    let byteCount = first >= 0xf0 ? 4 : 3
    guard first >= 0xe0, first < 0xf8, position + byteCount <= text.count else { return (nil, 1) }
    var number = UInt32(first & (byteCount == 4 ? 0x07 : 0x0f))
    for byte in text[position + 1..<position + byteCount] {
      guard byte & 0xc0 == 0x80 else { return (nil, 1) }
      number = number << 6 | UInt32(byte & 0x3f)
    }
    guard number >= 0x800 else { return (nil, 1) }
    return (Unicode.Scalar(number), byteCount)
  }

  /// What stands for a scalar of such a script in the index; nil for one of another script.
  private static func letter(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x2e80...0x2fdf, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3038...0x303c,
      0x3041...0x3096, 0x309d...0x309f, 0x30a1...0x30fa, 0x30fc...0x30ff, 0x3105...0x312f,
      0x31a0...0x31bf, 0x31f0...0x31ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa48c,
      0xf900...0xfaff, 0xff66...0xff9f, 0x1aff0...0x1b16f, 0x20000...0x3fffd:
      scalar
    case 0x0e01...0x0eff: syllabic(scalar, marksFrom: 0xe000, 0x0e00)
    case 0x1000...0x109f: syllabic(scalar, marksFrom: 0xe100, 0x1000)
    case 0x1780...0x17ff: syllabic(scalar, marksFrom: 0xe200, 0x1780)
    case 0xa9e0...0xa9ff: syllabic(scalar, marksFrom: 0xe300, 0xa9e0)
    case 0xaa60...0xaa7f: syllabic(scalar, marksFrom: 0xe320, 0xaa60)
    // What marks became.
    case 0xe000...0xe33f: scalar
    default: nil
    }
  }

  private static func syllabic(
    _ scalar: Unicode.Scalar, marksFrom mark: UInt32, _ first: UInt32
  ) -> Unicode.Scalar? {
    switch scalar.properties.generalCategory {
    case .otherLetter, .modifierLetter: scalar
    case .nonspacingMark, .spacingMark: Unicode.Scalar(mark + scalar.value - first)
    default: nil
    }
  }
}
