extension UInt8 {
  /// White space of XML.
  @inline(__always) var isSpace: Bool { self == 32 || self &- 9 < 2 || self == 13 }
}

extension UnsafeBufferPointer<UInt8> {
  /// The text. Bytes that are no UTF-8 become replacement characters.
  var text: String {
    if #available(macOS 26, iOS 26, *), let content = utf8Content {
      let span = UTF8Span(
        unchecked: Span(_unsafeElements: self), isKnownASCII: content == .ascii)
      return String(copying: span)
    }
    return String(decoding: self, as: UTF8.self)
  }

  /// The bytes without white space around them.
  @inline(__always)
  var trimmed: UnsafeBufferPointer<UInt8> {
    guard let base = baseAddress else { return self }
    var (start, end) = (0, count)
    while start < end, base[start].isSpace { start += 1 }
    while end > start, base[end - 1].isSpace { end -= 1 }
    return UnsafeBufferPointer(start: base + start, count: end - start)
  }

  /// The text without white space around it.
  @inline(__always) var string: String { trimmed.text }

  /// The text without white space around it; nil where nothing is left.
  var nonemptyString: String? {
    let trimmed = trimmed
    return trimmed.isEmpty ? nil : trimmed.text
  }

  /// A finite decimal number, the nearest one that there is.
  var number: Double? {
    let text = trimmed
    guard !text.isEmpty, text.count <= 64 else { return nil }
    // Up to 15 digits are exact, and so is their quotient by a power of ten.
    var (digits, count, fraction, index) = (0, 0, -1, 0)
    if text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") { index = 1 }
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "."), fraction < 0 {
        fraction = count
      } else if byte &- 48 < 10 {
        digits = digits &* 10 &+ Int(byte &- 48)
        count += 1
      } else {
        count = 99
        break
      }
      index += 1
    }
    if count == 0 { return nil }
    if count <= 15 {
      let value = Double(digits) / Self.powers[fraction < 0 ? 0 : count - fraction]
      return text[0] == UInt8(ascii: "-") ? -value : value
    }
    // Hexadecimal numbers, infinities and such are no numbers of a feed.
    guard text.allSatisfy({ $0 &- 48 < 10 || $0 &- 43 < 4 || $0 | 32 == 101 }) else { return nil }
    return Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Numbers with white space or commas between; nil where anything else is there.
  var numbers: [Double]? {
    var found: [Double] = []
    found.reserveCapacity(3)
    var start = 0
    for index in 0...count {
      let isGap = index == count || self[index].isSpace || self[index] == UInt8(ascii: ",")
      guard isGap else { continue }
      if index > start {
        let part = UnsafeBufferPointer(rebasing: self[start..<index])
        guard let number = part.number else { return nil }
        found.append(number)
      }
      start = index + 1
    }
    return found
  }
}
