/// Knows whether a semicolon ends the statement, or one of those inside of it.
struct BlockTracker {
  private let dialect: Dialect
  /// The first words, in capital letters.
  private var words: [String] = []
  private var depth = 0
  private var parentheses = 0
  /// In a trigger of SQLite: what was read last that is neither blank nor comment.
  private var last = Last.other

  private enum Last {
    case semicolon
    /// END behind a semicolon.
    case end
    case other
  }

  init(_ dialect: Dialect) { self.dialect = dialect }

  /// Takes a token; whether it is one that ends the statement if it is a semicolon.
  mutating func take(_ token: Token, _ bytes: ArraySlice<UInt8>) -> Bool {
    switch token.kind {
    case .blanks, .lineComment, .blockComment: return false
    case .semicolon:
      let isEnd =
        switch dialect {
        case .sqlite: !isTrigger || last == .end
        case .postgresql: depth == 0 && parentheses == 0
        }
      last = .semicolon
      return isEnd
    case .opening: parentheses += 1
    case .closing: parentheses = max(0, parentheses - 1)
    case .word:
      // The words that count are short.
      let word = token.range.count <= 10 ? bytes[token.range].text.uppercased() : ""
      if words.count < 5 { words.append(word) }
      take(word)
      return false
    default: break
    }
    last = .other
    return false
  }

  private mutating func take(_ word: String) {
    switch dialect {
    case .sqlite: last = word == "END" && last == .semicolon ? .end : .other
    case .postgresql:
      guard isRoutine, parentheses == 0 else { return }
      switch word {
      case "BEGIN": depth += 1
      case "CASE" where depth > 0: depth += 1
      case "END": depth = max(0, depth - 1)
      default: break
      }
    }
  }

  private var isTrigger: Bool {
    var rest = words[...]
    if rest.first == "EXPLAIN" { rest = rest.dropFirst() }
    guard rest.first == "CREATE" else { return false }
    rest = rest.dropFirst()
    if rest.first == "TEMP" || rest.first == "TEMPORARY" { rest = rest.dropFirst() }
    return rest.first == "TRIGGER"
  }

  /// CREATE [OR REPLACE] FUNCTION or PROCEDURE, whose body may be BEGIN ATOMIC … END.
  private var isRoutine: Bool {
    guard words.first == "CREATE" else { return false }
    var rest = words.dropFirst()
    if rest.first == "OR" { rest = rest.dropFirst(2) }
    return rest.first == "FUNCTION" || rest.first == "PROCEDURE"
  }
}
