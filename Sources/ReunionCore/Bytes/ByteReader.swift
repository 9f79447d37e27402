/// Reads numbers and bytes from the front of a buffer; every read is checked against its end.
///
/// Cost: a read is O(bytes read). Nothing is allocated for a length that the buffer cannot hold.
package struct ByteReader: ~Copyable {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int

  /// Starts at the first byte, or at another one.
  package init(_ bytes: [UInt8], from start: Int = 0) {
    self.bytes = bytes
    position = min(start, bytes.count)
    end = bytes.count
  }

  /// The number of bytes not yet read.
  package var remaining: Int { end - position }

  /// Reads one byte.
  package mutating func byte() throws(WireError) -> UInt8 {
    guard position < end else { throw WireError(.truncated, "The message ends too early.") }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads `count` bytes.
  package mutating func bytes(_ count: Int) throws(WireError) -> [UInt8] {
    guard count >= 0, count <= remaining else {
      throw WireError(.truncated, "The message ends too early.")
    }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// Reads a fixed-width number, most significant byte first.
  package mutating func integer<I: FixedWidthInteger>(_: I.Type) throws(WireError) -> I {
    let width = I.bitWidth / 8
    guard width <= remaining else { throw WireError(.truncated, "The message ends too early.") }
    var value: I = 0
    for offset in 0..<width { value = value << 8 | I(truncatingIfNeeded: bytes[position + offset]) }
    position += width
    return value
  }

  /// Reads an unsigned LEB128 number; a longer form than needed is malformed.
  package mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw .malformed("A number is over 64 bits.") }
      value |= UInt64(next & 0x7f) << shift
      if next & 0x80 == 0 {
        guard next != 0 || shift == 0 else { throw .malformed("A number has a needless byte.") }
        return value
      }
      shift += 7
    }
  }

  /// Reads a varint that must not exceed `limit`.
  package mutating func varint(upTo limit: UInt64) throws(WireError) -> UInt64 {
    let value = try varint()
    guard value <= limit else { throw WireError(.tooLarge, "A number is over its limit.") }
    return value
  }

  /// Reads a count of items of which each takes at least `bytesEach`: never more than fit.
  mutating func count(bytesEach: Int) throws(WireError) -> Int {
    let value = try varint()
    guard value <= UInt64(remaining / bytesEach) else {
      throw WireError(.truncated, "The message ends too early.")
    }
    return Int(value)
  }

  /// Reads a length and that many bytes.
  package mutating func lengthPrefixed(upTo limit: Int) throws(WireError) -> [UInt8] {
    let length = try varint(upTo: UInt64(limit))
    return try bytes(Int(length))
  }

  /// Throws unless every byte was read.
  package func finish() throws(WireError) {
    guard remaining == 0 else { throw .malformed("The message has bytes after its end.") }
  }
}
