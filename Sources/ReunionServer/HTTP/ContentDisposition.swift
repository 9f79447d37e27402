/// The Content-Disposition field that makes a browser save a file under a name.
enum ContentDisposition {
  /// An attachment of that name, which may hold any Unicode. Folders in it are cut off, and control
  /// characters and what no file system takes become `_`.
  ///
  /// *Source*: RFC 6266 with the encoding of RFC 8187 (5987), and an ASCII name for old clients.
  static func attachment(_ name: String) -> String {
    let last = name.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
    let scalars = last.unicodeScalars.map { scalar -> Unicode.Scalar in
      isUnsafe(scalar) ? "_" : scalar
    }
    var clean = String(String.UnicodeScalarView(scalars))
    if clean.isEmpty || clean == "." || clean == ".." { clean = "file" }
    let ascii = String(
      String.UnicodeScalarView(
        clean.unicodeScalars.map { $0.isASCII && $0 != "\"" && $0 != "%" ? $0 : "_" }))
    return "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(encode(clean))"
  }

  /// Control characters, and marks that change the direction in which a name is read, so that
  /// `gpj.exe` cannot look like `exe.jpg`.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: "<>:|?*".unicodeScalars.contains(scalar)
    }
  }

  private static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: bytes.append(byte)
      default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
