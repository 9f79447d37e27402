/// What bytes are that are UTF-8.
enum UTF8Content { case ascii, beyond }

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes are UTF-8, and if so, whether all are ASCII; nil where they are not.
  ///
  /// *Source*: RFC 3629, the syntax of section 4.
  var utf8Content: UTF8Content? {
    guard let base = baseAddress else { return .ascii }
    let high: UInt64 = 0x8080_8080_8080_8080
    let bytes = UnsafeRawPointer(base)
    var index = 0
    while index &+ 8 <= count,
      bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & high == 0
    {
      index &+= 8
    }
    // The last eight, some of them a second time.
    if count >= 8, index &+ 8 > count,
      bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) & high == 0
    {
      return .ascii
    }
    return content(base, from: index)
  }

  private func content(_ base: UnsafePointer<UInt8>, from start: Int) -> UTF8Content? {
    let bytes = UnsafeRawPointer(base)
    var index = start
    var content = UTF8Content.ascii
    while index < count {
      let first = base[index]
      if first < 0x80 {
        index &+= 1
        while index &+ 8 <= count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          index &+= 8
        }
        continue
      }
      content = .beyond
      let length = sequenceLength(first)
      guard length > 0, index &+ length <= count, isSequence(base + index, length) else {
        return nil
      }
      index &+= length
    }
    return content
  }

  @inline(__always)
  private func sequenceLength(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  /// Whether the bytes after the first continue it: no longer form than needed, no surrogate, and
  /// nothing beyond U+10FFFF.
  @inline(__always)
  private func isSequence(_ start: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    let second = start[1]
    let allowed: ClosedRange<UInt8> =
      switch start[0] {
      case 0xE0: 0xA0...0xBF
      case 0xED: 0x80...0x9F
      case 0xF0: 0x90...0xBF
      case 0xF4: 0x80...0x8F
      default: 0x80...0xBF
      }
    guard second >= allowed.lowerBound, second <= allowed.upperBound else { return false }
    if length > 2, start[2] & 0xC0 != 0x80 { return false }
    return length < 4 || start[3] & 0xC0 == 0x80
  }
}
