/// A file of `name=value` lines, as Java has them.
enum PropertyFile {
  static func values(of source: SourceText) -> [(name: String, value: String)] {
    var values: [(name: String, value: String)] = []
    var lines = LineReader(source)
    var front: [UInt8] = []
    while let (content, _) = lines.next() {
      let line = front + source.bytes[content].drop(while: TextScanner.isBlank)
      front = []
      guard let first = line.first, first != 0x23, first != 0x21 else { continue }
      // A line that ends in an odd number of backslashes goes on.
      if line.reversed().prefix(while: { $0 == 0x5c }).count % 2 == 1 {
        front = Array(line.dropLast())
        continue
      }
      values.append(pair(line))
    }
    if !front.isEmpty { values.append(pair(front)) }
    return values
  }

  /// A name up to the first `=`, `:` or blank that no backslash hides, and the value after it.
  private static func pair(_ line: [UInt8]) -> (name: String, value: String) {
    var end = 0
    while end < line.count, line[end] != 0x3d, line[end] != 0x3a, !TextScanner.isBlank(line[end]) {
      end += line[end] == 0x5c ? 2 : 1
    }
    end = min(end, line.count)
    var rest = line[end...].drop(while: TextScanner.isBlank)
    if rest.first == 0x3d || rest.first == 0x3a {
      rest = rest.dropFirst().drop(while: TextScanner.isBlank)
    }
    return (text(line[..<end]), text(rest))
  }

  /// A text without its backslashes.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var plain: [UInt8] = []
    var scanner = TextScanner(bytes)
    while let byte = scanner.next {
      scanner.skip(1)
      guard byte == 0x5c, let escaped = scanner.next else {
        plain.append(byte)
        continue
      }
      scanner.skip(1)
      switch escaped {
      case 0x6e: plain.append(0x0a)
      case 0x74: plain.append(0x09)
      case 0x72: plain.append(0x0d)
      case 0x75:
        let digits = scanner.rest.prefix(4)
        scanner.skip(4)
        let letter = UInt32(digits.text, radix: 16).flatMap(UnicodeScalar.init)
        plain += Array(String(Character(letter ?? "?")).utf8)
      default: plain.append(escaped)
      }
    }
    return plain[...].text
  }
}
