/// The keys of a file, which is kept out of version control.
///
/// A line is `name = value`; blank lines and those that begin with `#` are left out. A value is text,
/// or `env:NAME` for a variable of the environment, or `base64:…` for bytes.
package struct KeyList {
  /// What is wrong with the file, in a sentence with the line; never with a key.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package static let bytesMax = 4096
  private static let library = "ReunionKeys"

  package private(set) var keys: [(name: String, bytes: [UInt8])] = []

  package init(_ text: String, environment: [String: String]) throws(Failure) {
    // As Windows writes lines, too, and with the mark that its editors put in front.
    let text = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = Self.trimmed(line)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func wrong(_ sentence: String) -> Failure {
        Failure(description: "Line \(index + 1) of the keys: \(sentence)")
      }
      guard parts.count == 2 else { throw wrong("write name = value.") }
      let (name, value) = (Self.trimmed(parts[0]), Self.trimmed(parts[1]))
      guard Self.isName(name) else {
        throw wrong(
          "the name is not a Swift name: letters, digits and _, no digit in front, and none of "
            + "\(Self.reserved.sorted().joined(separator: ", ")).")
      }
      guard !keys.contains(where: { $0.name == name }) else {
        throw wrong("there is already a key \(name).")
      }
      let bytes: [UInt8]
      if value.hasPrefix("env:") {
        let variable = String(value.dropFirst(4))
        guard let found = environment[variable] else {
          throw wrong("the environment has no \(variable). Set it, or write the key itself.")
        }
        bytes = Array(found.utf8)
      } else if value.hasPrefix("base64:") {
        guard let decoded = Self.base64(value.dropFirst(7)) else {
          throw wrong("the text after base64: is not base64.")
        }
        bytes = decoded
      } else {
        bytes = Array(value.utf8)
      }
      guard (1...Self.bytesMax).contains(bytes.count) else {
        throw wrong("a key has 1 to \(Self.bytesMax) bytes, this one \(bytes.count).")
      }
      keys.append((name, bytes))
    }
  }

  /// Swift source with an `enum` of these keys, each masked by a pad from `random`.
  package func source(
    type: String, using random: inout some RandomNumberGenerator
  ) throws(Failure) -> String {
    guard Self.isName(type) else { throw Failure(description: "\(type) is not a type name.") }
    var source = """
      // Made anew at each build; the keys are in a file that is kept out of version control.
      import \(Self.library)

      enum \(type) {

      """
    for (name, bytes) in keys {
      let pad = bytes.map { _ in UInt8.random(in: 0...255, using: &random) }
      let masked = zip(bytes, pad).map { $0 ^ $1 }
      source += """
          static let `\(name)` = ObfuscatedKey(
            pad: "\(Self.hexadecimal(pad))",
            masked: "\(Self.hexadecimal(masked))")

        """
    }
    return source + "}\n"
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  private static let reserved: Set = ["self", "Self", "Type", "Protocol", "init", "_"]

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first),
      !reserved.contains(text)
    else { return false }
    return text.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    let rest = text.drop { $0.isWhitespace }
    return String(rest.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// Base64 (RFC 4648, §4), with or without its padding.
  private static func base64(_ text: Substring) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    let digits = text.utf8.reversed().drop { $0 == 61 }.reversed()
    guard digits.count % 4 != 1 else { return nil }
    for digit in digits {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> UInt32(count) & 0xFF))
      }
    }
    return bytes
  }
}
