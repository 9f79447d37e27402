/// Tells whether the bytes of a preview hold anything besides the picture.
///
/// Walks the segments of a JPEG (ITU-T T.81 annex B) or the chunks of a WebP (RFC 9649) and accepts
/// only the kinds that pixels need. EXIF is accepted when it holds nothing but orientation, colour
/// space and dimensions, which iPhones write into every JPEG that a web page makes.
struct PreviewBytes {
  let bytes: [UInt8]

  /// Whether a JPEG carries metadata, or bytes that no decoder looks at.
  var jpegHasMetadata: Bool {
    var at = 2
    while at + 4 <= bytes.count {
      guard bytes[at] == 0xFF else { return true }
      let marker = bytes[at + 1]
      if marker == 0xD9 { return at + 2 != bytes.count }
      if marker == 0xFF {
        at += 1
        continue
      }
      let size = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
      let end = at + 2 + size
      guard size >= 2, end <= bytes.count else { return true }
      let content = Array(bytes[at + 4..<max(at + 4, end)])
      switch marker {
      case 0xE0 where content.starts(with: Array("JFIF".utf8) + [0]) && size == 16: break
      case 0xE1 where EXIF(content)?.isOnlyTechnical == true && size <= 256: break
      case 0xE2 where content.starts(with: Array("ICC_PROFILE".utf8) + [0]): break
      case 0xEE where content.starts(with: Array("Adobe".utf8)) && size == 14: break
      case 0xE0...0xEF, 0xFE, 0x01, 0xD0...0xD8: return true
      default: break
      }
      at = marker == 0xDA ? endOfScan(from: end) : end
    }
    return at + 2 != bytes.count || bytes.suffix(2) != [0xFF, 0xD9]
  }

  /// The first marker after entropy-coded data.
  private func endOfScan(from start: Int) -> Int {
    var at = start
    while at + 1 < bytes.count {
      if bytes[at] == 0xFF, bytes[at + 1] != 0, !(0xD0...0xD7).contains(bytes[at + 1]),
        bytes[at + 1] != 0xFF
      {
        return at
      }
      at += 1
    }
    return bytes.count
  }

  /// Whether a WebP carries metadata, or bytes that no decoder looks at.
  var webpHasMetadata: Bool {
    guard bytes.count >= 12, long(4) + 8 == bytes.count else { return true }
    var at = 12
    while at + 8 <= bytes.count {
      let size = long(at + 4)
      let end = at + 8 + size + size % 2
      guard end <= bytes.count else { return true }
      switch String(decoding: bytes[at..<at + 4], as: UTF8.self) {
      case "VP8 ", "VP8L", "VP8X", "ALPH", "ICCP": break
      case "EXIF" where size <= 256:
        guard EXIF(Array(bytes[at + 8..<at + 8 + size]))?.isOnlyTechnical == true else {
          return true
        }
      default: return true
      }
      at = end
    }
    return at != bytes.count
  }

  private func long(_ at: Int) -> Int {
    guard at + 4 <= bytes.count else { return Int(UInt32.max) }
    return (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
  }
}
