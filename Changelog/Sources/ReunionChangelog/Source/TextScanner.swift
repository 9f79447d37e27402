/// Reads words off a line, or another text, from the left. Blanks are Java's `\s`.
struct TextScanner {
  let bytes: ArraySlice<UInt8>
  private(set) var index: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  init(_ text: String) { self.init(Array(text.utf8)[...]) }

  var isAtEnd: Bool { index == bytes.endIndex }
  var rest: ArraySlice<UInt8> { bytes[index...] }
  var restText: String { String(decoding: rest, as: UTF8.self) }
  var next: UInt8? { isAtEnd ? nil : bytes[index] }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  /// Letters, digits and the underscore: Java's `\w`.
  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f: true
    default: false
    }
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }

  /// Leaves blanks behind; whether there were any.
  @discardableResult
  mutating func skipBlanks() -> Bool {
    let start = index
    while let byte = next, Self.isBlank(byte) { index += 1 }
    return index > start
  }

  /// Takes a text in small letters, in whatever letters it stands there; nothing where another is there.
  mutating func take(_ word: StaticString) -> Bool {
    guard word.utf8CodeUnitCount <= bytes.endIndex - index else { return false }
    for offset in 0..<word.utf8CodeUnitCount
    where Self.lowercased(bytes[index + offset]) != word.utf8Start[offset] {
      return false
    }
    index += word.utf8CodeUnitCount
    return true
  }

  /// Takes bytes while they are such; none is a text, too.
  mutating func take(while isSuch: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = index
    while let byte = next, isSuch(byte) { index += 1 }
    return bytes[start..<index]
  }

  mutating func skip(_ count: Int) { index = min(index + count, bytes.endIndex) }
}

extension ArraySlice<UInt8> {
  /// The bytes as a text.
  var text: String { String(decoding: self, as: UTF8.self) }

  /// Whether they are a word in small letters, in whatever letters they stand there.
  func isWord(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for (offset, byte) in enumerated()
    where TextScanner.lowercased(byte) != word.utf8Start[offset] { return false }
    return true
  }
}
