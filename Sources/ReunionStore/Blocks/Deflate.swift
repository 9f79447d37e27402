import CDeflate
package import ReunionDisk

/// Deflated bytes in a zlib stream, which carries a checksum (RFC 1950).
package enum Deflate {
  /// How hard it is tried: on records in columns, 6 takes half as long again and saves a fiftieth.
  private static let level: Int32 = 4

  /// Deflates bytes. Cost: about 20 ms a mebibyte.
  package static func deflated(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var status = Z_OK
    let room = Int(count)
    let deflated = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
      status = compress2(buffer.baseAddress, &count, bytes, uLong(bytes.count), level)
      filled = status == Z_OK ? Int(count) : 0
    }
    guard status == Z_OK else {
      throw StoreError(.unexpected, "Bytes could not be deflated; please report this.")
    }
    return deflated
  }

  /// The CRC-32 of bytes.
  static func checksum(of bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(0, bytes, uInt(bytes.count)))
  }

  /// Inflates a whole stream; nil if it is damaged, or has another number of bytes.
  package static func inflated(_ bytes: [UInt8], byteCount: Int) -> [UInt8]? {
    var count = uLong(byteCount)
    var status = Z_OK
    let inflated = [UInt8](unsafeUninitializedCapacity: max(byteCount, 1)) { buffer, filled in
      status = uncompress(buffer.baseAddress, &count, bytes, uLong(bytes.count))
      filled = status == Z_OK ? Int(count) : 0
    }
    return status == Z_OK && inflated.count == byteCount ? inflated : nil
  }
}
