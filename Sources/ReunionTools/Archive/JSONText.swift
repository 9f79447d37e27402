import ReunionCore
import ReunionStore

/// A JSON value to be written: exact numbers, and keys in the order in which they are given.
enum JSONText {
  case object([(String, JSONText)])
  case list([JSONText])
  case text(String)
  /// Digits as in JSON.
  case number(String)
  case bool(Bool)

  static func number(_ number: some BinaryInteger) -> JSONText { .number(String(number)) }

  /// The bytes, on one line; of the outermost object a key a line where it `isTall`.
  func bytes(isTall: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes, separator: isTall ? ",\n " : ",")
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private func write(to bytes: inout [UInt8], separator: String = ",") {
    switch self {
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, (key, value)) in members.enumerated() {
        if index > 0 { bytes += separator.utf8 }
        Self.write(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .list(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes += separator.utf8 }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .text(let text): Self.write(text, to: &bytes)
    case .number(let digits): bytes += digits.utf8
    case .bool(let bool): bytes += (bool ? "true" : "false").utf8
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0a: bytes += "\\n".utf8
      case ..<0x20, 0x7f: bytes += "\\u00\(Hexadecimal.text([byte]))".utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
