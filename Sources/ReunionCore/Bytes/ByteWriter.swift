/// Appends numbers and bytes to a buffer, in the forms that `ByteReader` reads.
package struct ByteWriter {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []

  /// Starts empty.
  package init() {}

  /// Starts again, in the same memory.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends one byte.
  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// Appends bytes as they are.
  package mutating func bytes(_ values: [UInt8]) { bytes.append(contentsOf: values) }

  /// Appends a fixed-width number, most significant byte first.
  @inline(never)
  package mutating func integer<I: FixedWidthInteger>(_ value: I) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends an unsigned LEB128 number, one to ten bytes.
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends a length and the bytes.
  package mutating func lengthPrefixed(_ values: [UInt8]) {
    varint(UInt64(values.count))
    bytes.append(contentsOf: values)
  }
}
