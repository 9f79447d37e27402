/// A piece of SQL.
struct Token {
  enum Kind {
    /// Letters, digits and what else a name or a number has.
    case word
    /// A text or a name in quotes of whatever kind.
    case quoted
    case lineComment
    case blockComment
    case blanks
    case semicolon
    case opening
    case closing
    /// Any other byte.
    case other
  }

  let kind: Kind
  let range: Range<Int>
}

/// Reads SQL of a dialect token by token. What has no end is an error at the place where it begins.
struct Tokenizer {
  let dialect: Dialect
  let text: SQLText
  private let bytes: ArraySlice<UInt8>
  private(set) var index: Int

  init(_ text: SQLText, _ dialect: Dialect) {
    self.text = text
    self.dialect = dialect
    bytes = text.bytes
    index = bytes.startIndex
  }

  var isAtEnd: Bool { index == bytes.endIndex }

  mutating func next() throws(ChangelogError) -> Token? {
    guard index < bytes.endIndex else { return nil }
    let start = index
    let kind = try take()
    return Token(kind: kind, range: start..<index)
  }

  /// Moves forward past a place that lies ahead.
  mutating func skip(to end: Int) { index = end }

  private func byte(_ ahead: Int = 0) -> UInt8? {
    index + ahead < bytes.endIndex ? bytes[index + ahead] : nil
  }

  private mutating func take() throws(ChangelogError) -> Token.Kind {
    let first = bytes[index]
    switch first {
    case 0x20, 0x09...0x0d:
      while let next = byte(), TextScanner.isBlank(next) { index += 1 }
      return .blanks
    case 0x2d where byte(1) == 0x2d:
      while let next = byte(), next != 0x0a { index += 1 }
      return .lineComment
    case 0x2f where byte(1) == 0x2a:
      try takeBlockComment()
      return .blockComment
    case 0x27, 0x22:
      try takeQuoted(first, escapes: false)
      return .quoted
    case 0x60 where dialect == .sqlite:
      try takeQuoted(first, escapes: false)
      return .quoted
    case 0x5b where dialect == .sqlite:
      let start = index
      while let next = byte(), next != 0x5d { index += 1 }
      guard !isAtEnd else { throw endless("name in brackets", start, "]") }
      index += 1
      return .quoted
    case 0x24 where dialect == .postgresql:
      return try takeDollars() ? .quoted : .other
    case 0x3b:
      index += 1
      return .semicolon
    case 0x28, 0x29:
      index += 1
      return first == 0x28 ? .opening : .closing
    case _ where Self.isName(first):
      return try takeWord()
    default:
      index += 1
      return .other
    }
  }

  private static func isName(_ byte: UInt8) -> Bool { TextScanner.isWord(byte) || byte >= 0x80 }

  private mutating func takeWord() throws(ChangelogError) -> Token.Kind {
    let start = index
    while let next = byte(), Self.isName(next) || next == 0x24 { index += 1 }
    // E'it\'s', where a backslash hides the quote.
    if dialect == .postgresql, byte() == 0x27, index == start + 1, bytes[start] | 0x20 == 0x65 {
      try takeQuoted(0x27, escapes: true)
      return .quoted
    }
    return .word
  }

  /// Takes a text in quotes, in which a double quote is one.
  private mutating func takeQuoted(_ quote: UInt8, escapes: Bool) throws(ChangelogError) {
    let start = index
    index += 1
    while let next = byte() {
      index += 1
      if escapes, next == 0x5c, !isAtEnd {
        index += 1
      } else if next == quote {
        guard byte() == quote else { return }
        index += 1
      }
    }
    let what = quote == 0x27 ? "text" : "name"
    throw endless("\(what) in quotes", start, String(decoding: [quote], as: UTF8.self))
  }

  /// Takes a comment. In PostgreSQL another one may be in it; in SQLite it may end with the text.
  private mutating func takeBlockComment() throws(ChangelogError) {
    let start = index
    var depth = 0
    while let next = byte() {
      if next == 0x2f, byte(1) == 0x2a, depth == 0 || dialect == .postgresql {
        depth += 1
        index += 2
      } else if next == 0x2a, byte(1) == 0x2f {
        depth -= 1
        index += 2
        if depth == 0 { return }
      } else {
        index += 1
      }
    }
    throw endless("comment", start, "*/")
  }

  /// Takes `$tag$ … $tag$`; false where the dollar begins no such text: then only it is taken.
  private mutating func takeDollars() throws(ChangelogError) -> Bool {
    let start = index
    var end = index + 1
    while end < bytes.endIndex, Self.isName(bytes[end]) { end += 1 }
    let hasDigit = start + 1 < end && (0x30...0x39).contains(bytes[start + 1])
    guard end < bytes.endIndex, bytes[end] == 0x24, !hasDigit else {
      index += 1
      return false
    }
    let tag = bytes[start...end]
    index = end + 1
    while let next = byte() {
      if next == 0x24, bytes[index...].starts(with: tag) {
        index += tag.count
        return true
      }
      index += 1
    }
    throw endless("text between dollars", start, tag.text)
  }

  private func endless(_ what: String, _ start: Int, _ end: String) -> ChangelogError {
    ChangelogError(
      .refused, "The \(what) that begins here has no end.", at: text.place(of: start),
      write: "\(end) where it ends")
  }
}
