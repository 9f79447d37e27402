/// A file of a changelog: its bytes, and the path that the history knows it by.
package struct SourceText: Sendable {
  package let path: String
  let bytes: [UInt8]
  /// Where its first line begins: after the mark that some editors put in front.
  let start: Int

  /// Bytes of a file; what is not UTF-8 is refused with its line.
  package init(path: String, _ bytes: [UInt8]) throws(ChangelogError) {
    self.path = path
    self.bytes = bytes
    start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
      throw ChangelogError(
        .refused, "The file is UTF-16. Save it as UTF-8.", at: Place(path, 1))
    }
    if let bad = UTF8Check.firstFault(in: bytes) {
      let line = bytes[..<bad].count { $0 == 0x0a } + 1
      throw ChangelogError(
        .refused,
        bytes[bad] == 0
          ? "There is a zero byte in the line: is it the file you mean?"
          : "The line is not UTF-8. Save the file as UTF-8.", at: Place(path, line))
    }
  }

  /// A text in the file, as the bytes say.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// The lines of a file, one after the other: they end in LF, CR LF or CR.
struct LineReader {
  /// The number of the line that was read last, from 1.
  private(set) var number = 0
  private let bytes: [UInt8]
  private var index: Int

  init(_ source: SourceText) {
    bytes = source.bytes
    index = source.start
  }

  /// The next line: what is in it, and where the one after it begins.
  mutating func next() -> (content: Range<Int>, end: Int)? {
    guard index < bytes.count else { return nil }
    number += 1
    let start = index
    let found = bytes.withUnsafeBufferPointer { bytes in
      var at = start
      while at < bytes.count, bytes[at] != 0x0a, bytes[at] != 0x0d { at += 1 }
      return at
    }
    index = found
    if index < bytes.count {
      let isReturn = bytes[index] == 0x0d
      index += 1
      if isReturn, index < bytes.count, bytes[index] == 0x0a { index += 1 }
    }
    return (start..<found, index)
  }
}

enum UTF8Check {
  /// The index of the first byte that is zero or no part of UTF-8; nil if there is none.
  static func firstFault(in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var at = 0
      while at < bytes.count {
        let byte = bytes[at]
        if byte < 0x80 {
          if byte == 0 { return at }
          at += 1
          continue
        }
        let count =
          switch byte {
          case 0xc2...0xdf: 2
          case 0xe0...0xef: 3
          case 0xf0...0xf4: 4
          default: 0
          }
        guard count > 0, at + count <= bytes.count else { return at }
        let second = bytes[at + 1]
        let isSecond =
          switch byte {
          case 0xe0: (0xa0...0xbf).contains(second)
          case 0xed: (0x80...0x9f).contains(second)
          case 0xf0: (0x90...0xbf).contains(second)
          case 0xf4: (0x80...0x8f).contains(second)
          default: (0x80...0xbf).contains(second)
          }
        guard isSecond else { return at }
        for more in 2..<max(2, count) where bytes[at + more] & 0xc0 != 0x80 { return at }
        at += count
      }
      return nil
    }
  }
}
