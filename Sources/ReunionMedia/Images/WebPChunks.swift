/// The chunks of a WebP file (RFC 9649) that our own encoder wrote.
enum WebPChunks {
  /// The file with its pixels alone: libvips adds an EXIF block even where it was told not to.
  static func withoutMetadata(_ file: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    var at = 12
    while at + 8 <= file.count {
      let size = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
      let end = min(at + 8 + size + size % 2, file.count)
      switch String(decoding: file[at..<at + 4], as: UTF8.self) {
      case "VP8 ", "VP8L", "ALPH": kept += file[at..<end]
      case "VP8X":
        var header = Array(file[at..<end])
        // The flags of a profile, of EXIF and of XMP.
        if header.count > 8 { header[8] &= ~0x2C }
        kept += header
      default: break
      }
      at = end
    }
    let length = UInt32(clamping: kept.count + 4)
    return Array(file.prefix(4)) + withUnsafeBytes(of: length.littleEndian, Array.init)
      + Array("WEBP".utf8) + kept
  }
}
