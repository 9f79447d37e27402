/// What ends a statement.
enum Delimiter: Equatable {
  /// A semicolon, or GO or / on a line of its own.
  case usual
  /// A text, wherever it stands outside of quotes and comments.
  case text([UInt8])
  /// A text on a line of its own.
  case line([UInt8])

  /// What Liquibase's `endDelimiter` says. There it is a regular expression; here it is a text, with
  /// `\n` for the beginning of a line and `$` or `\n` for its end.
  init(_ text: String?, at place: Place) throws(ChangelogError) {
    guard let text, !text.isEmpty, text != ";" else {
      self = .usual
      return
    }
    var rest = text[...]
    var isLine = false
    for start in ["\n", "\\n", "^"] where rest.hasPrefix(start) {
      rest = rest.dropFirst(start.count)
      isLine = true
    }
    for end in ["\\s*$", "\\s*\\n", "\\n", "\n", "$"]
    where rest.hasSuffix(end) && rest.count > end.count {
      rest = rest.dropLast(end.count)
      isLine = true
    }
    guard !rest.isEmpty, !rest.contains(where: { "\\^$*+?.()[]{}|".contains($0) }) else {
      throw ChangelogError(
        .refused, "endDelimiter:\(text) is a regular expression, and here it is a text.", at: place,
        write: "endDelimiter:@@, or \\n/ for a line with nothing but /")
    }
    let bytes = Array(rest.lowercased().utf8)
    // A word, or a lone slash, would stand within a statement, too.
    let isWord = bytes.allSatisfy { TextScanner.isWord($0) }
    self = isLine || isWord || bytes == [0x2f] ? .line(bytes) : .text(bytes)
  }
}
