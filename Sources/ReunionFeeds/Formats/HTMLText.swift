/// HTML of a title as plain text.
enum HTMLText {
  /// Without tags, and with the common character references as characters.
  static func plain(_ html: String) -> String {
    guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
      return html
    }
    var text = ""
    var rest = html[...]
    while let next = rest.first {
      if next == "<", let end = rest.firstIndex(of: ">") {
        rest = rest[rest.index(after: end)...]
      } else if next == "&", let (character, after) = reference(rest) {
        text.append(character)
        rest = after
      } else {
        text.append(next)
        rest.removeFirst()
      }
    }
    return text
  }

  private static func reference(_ text: Substring) -> (Character, Substring)? {
    // The longest that is known has eight characters between.
    guard let end = text.prefix(10).firstIndex(of: ";") else { return nil }
    let name = text[text.index(after: text.startIndex)..<end]
    let rest = text[text.index(after: end)...]
    if let known = names[String(name)] { return (known, rest) }
    guard name.first == "#" else { return nil }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let code = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return code.flatMap(Unicode.Scalar.init).map { (Character($0), rest) }
  }

  private static let names: [String: Character] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    "ndash": "–", "mdash": "—", "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“",
    "rdquo": "”", "deg": "°",
  ]
}
