/// A part of a block as it travels and is kept: deflated, in a zlib stream, which carries a checksum (RFC 1950).
package struct PackedPart: Hashable, Sendable {
  /// How many bytes it has, inflated.
  package var byteCount: Int
  /// The stream.
  package var bytes: [UInt8]

  /// The type of the message.
  package static let type: UInt8 = 21
  /// The most bytes of a stream, which goes as one message.
  package static let bytesMax = 1024 * 1024 - 64

  /// Takes its parts as they are.
  package init(byteCount: Int, bytes: [UInt8]) {
    self.byteCount = byteCount
    self.bytes = bytes
  }
}
