extension UInt8 {
  /// White space of XML.
  @inline(__always) var isSpace: Bool { self == 32 || self &- 9 < 2 || self == 13 }

  /// What is between two numbers.
  @inline(__always) var isGap: Bool { isSpace || self == UInt8(ascii: ",") }
}

extension UnsafeBufferPointer<UInt8> {
  /// The text. Bytes that are no UTF-8 become replacement characters.
  @usableFromInline var text: String {
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
    guard let base = text.baseAddress, !text.isEmpty, text.count <= 64 else { return nil }
    let isNegative = base[0] == UInt8(ascii: "-")
    var index = isNegative || base[0] == UInt8(ascii: "+") ? 1 : 0
    var (digits, count, decimals) = (0, 0, -1)
    while index < text.count {
      let digit = base[index] &- 48
      if digit < 10 {
        digits = digits &* 10 &+ Int(digit)
        count &+= 1
      } else if base[index] == UInt8(ascii: "."), decimals < 0 {
        decimals = count
      } else {
        return text.longNumber
      }
      index &+= 1
    }
    // Up to 15 digits are exact, and so is a power of ten: their quotient is the nearest there is.
    guard count > 0 else { return nil }
    guard count <= 15 else { return text.longNumber }
    let value =
      decimals < 0 ? Double(digits) : Double(digits) / Self.powers[count &- decimals]
    return isNegative ? -value : value
  }

  /// A count of bytes: a whole number that is not below zero.
  var byteCount: Int? { number.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil } }

  private var longNumber: Double? {
    // Hexadecimal numbers, infinities and such are no numbers of a feed.
    guard allSatisfy({ $0 &- 48 < 10 || $0 &- 43 < 4 || $0 | 32 == 101 }) else { return nil }
    return Double(String(decoding: self, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Numbers with white space or commas between; nil where anything else is there.
  var numbers: [Double]? {
    var found: [Double] = []
    var start = 0
    while let part = part(from: &start) {
      guard let number = part.number else { return nil }
      found.append(number)
    }
    return found
  }

  /// The two or three numbers of one place: all with commas between them, or all with white space;
  /// nil for anything else, such as commas for decimal points.
  var tuple: [Double]? {
    let comma = UInt8(ascii: ",")
    let parts =
      contains(comma)
      ? split(separator: comma, omittingEmptySubsequences: false)
      : split(whereSeparator: \.isSpace)
    guard (2...3).contains(parts.count) else { return nil }
    let numbers = parts.compactMap { UnsafeBufferPointer(rebasing: $0).number }
    return numbers.count == parts.count ? numbers : nil
  }

  /// The numbers of places with white space between them and commas inside, as KML has them, also
  /// where people typed spaces beside the commas; nil where any part is no place's.
  var tuples: [[Double]]? {
    let comma = UInt8(ascii: ",")
    var found: [[Double]] = []
    var start = 0
    while start < count {
      // White space ends a tuple where no comma is before or after it.
      var end = start
      var last: UInt8 = 32
      while end < count {
        if self[end].isSpace {
          var next = end
          while next < count, self[next].isSpace { next += 1 }
          if last != 32, last != comma, next == count || self[next] != comma { break }
          end = next
        } else {
          last = self[end]
          end += 1
        }
      }
      let part = UnsafeBufferPointer(rebasing: self[start..<end])
      start = end
      if last == 32 { continue }
      guard part.contains(comma), let numbers = part.tuple else { return nil }
      found.append(numbers)
    }
    return found
  }

  /// One of the numbers, from 0.
  func number(at place: Int) -> Double? {
    var start = 0
    for _ in 0..<place where part(from: &start) == nil { return nil }
    return part(from: &start)?.number
  }

  /// What is next between white space and commas; nil at the end.
  private func part(from start: inout Int) -> UnsafeBufferPointer<UInt8>? {
    guard let base = baseAddress else { return nil }
    while start < count, base[start].isGap { start &+= 1 }
    let first = start
    while start < count, !base[start].isGap { start &+= 1 }
    return start == first ? nil : UnsafeBufferPointer(start: base + first, count: start &- first)
  }
}
