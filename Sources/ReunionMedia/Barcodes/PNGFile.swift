/// Writes PNG files (ISO/IEC 15948) of grey pixels, without compression.
enum PNGFile {
  /// A file of lines, each with a byte for its filter, 0 for none, before its pixels; `extra` chunks
  /// go before the pixels.
  static func grey(
    bits: UInt8, width: Int, height: Int, lines: [UInt8],
    extra: [(kind: String, content: [UInt8])] = []
  ) -> [UInt8] {
    let size = bigEndian(UInt32(width)) + bigEndian(UInt32(height))
    var file: [UInt8] = [0x89] + Array("PNG\r\n\u{1A}\n".utf8)
    file += chunk("IHDR", size + [bits, 0, 0, 0, 0])
    for (kind, content) in extra { file += chunk(kind, content) }
    file += chunk("IDAT", stored(lines))
    return file + chunk("IEND", [])
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(kind.utf8) + content
    return bigEndian(UInt32(content.count)) + body + bigEndian(crc32(body))
  }

  /// CRC-32 as in PNG.
  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    let table = (0..<256).map { start -> UInt32 in
      (0..<8).reduce(UInt32(start)) { rest, _ in
        rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1
      }
    }
    return ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 §3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65535)
      rest = rest.dropFirst(65535)
      let count = UInt16(block.count)
      stream.append(rest.isEmpty ? 1 : 0)
      for number in [count, ~count] { stream += [UInt8(number & 0xFF), UInt8(number >> 8)] }
      stream += block
    } while !rest.isEmpty
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    return stream + bigEndian(b << 16 | a)
  }
}
