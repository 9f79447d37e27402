/// A statement as the database is given it.
struct SQLStatement {
  let bytes: ArraySlice<UInt8>
  /// Where it begins in its file.
  let place: Place
  /// Its first words in capital letters, as "CREATE TABLE"; at most four.
  let words: [String]
}

/// Cuts the SQL of a changeset into statements, one after the other.
///
/// Triggers, functions and whatever stands in quotes, dollars or comments hold semicolons of their own.
struct StatementSplitter {
  private let text: SQLText
  private let options: SplitOptions
  private let delimiter: Delimiter
  private var tokenizer: Tokenizer
  private var counter = SQLText.LineCounter()

  init(_ text: SQLText, _ options: SplitOptions, _ dialect: Dialect) throws(ChangelogError) {
    self.text = text
    self.options = options
    delimiter = try Delimiter(options.endDelimiter, at: text.place(of: text.bytes.startIndex))
    tokenizer = Tokenizer(text, dialect)
  }

  /// The next statement; those with nothing but comments are left out.
  mutating func next() throws(ChangelogError) -> SQLStatement? {
    while !tokenizer.isAtEnd {
      if let statement = try statement() { return statement }
    }
    return nil
  }

  private mutating func statement() throws(ChangelogError) -> SQLStatement? {
    var draft = StatementDraft(text, options)
    var block = BlockTracker(tokenizer.dialect)
    while true {
      if options.splitsStatements, let end = lineDelimiter() {
        tokenizer.skip(to: end)
        return draft.finish(&counter)
      }
      if options.splitsStatements, case .text(let delimiter) = delimiter,
        isThere(delimiter, at: tokenizer.index)
      {
        tokenizer.skip(to: tokenizer.index + delimiter.count)
        return draft.finish(&counter)
      }
      guard let token = try tokenizer.next() else { return draft.finish(&counter) }
      let isEnd =
        block.take(token, text.bytes) && token.kind == .semicolon && delimiter == .usual
        && options.splitsStatements
      if isEnd { return draft.finish(&counter) }
      draft.add(token)
    }
  }

  /// Where the line ends that is nothing but a delimiter, and begins here.
  private func lineDelimiter() -> Int? {
    let index = tokenizer.index
    let bytes = text.bytes
    guard index < bytes.endIndex else { return nil }
    let delimiters: [[UInt8]]
    switch delimiter {
    case .usual: delimiters = Self.usualLines
    case .line(let line): delimiters = [line]
    case .text: return nil
    }
    let first = TextScanner.lowercased(bytes[index])
    guard let found = delimiters.first(where: { $0.first == first && isThere($0, at: index) })
    else {
      return nil
    }
    var before = index
    while before > bytes.startIndex, bytes[before - 1] == 0x20 || bytes[before - 1] == 0x09 {
      before -= 1
    }
    guard before == bytes.startIndex || bytes[before - 1] == 0x0a else { return nil }
    var end = index + found.count
    while end < bytes.endIndex, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
    guard end == bytes.endIndex || bytes[end] == 0x0a else { return nil }
    return end
  }

  private static let usualLines: [[UInt8]] = [Array("go".utf8), Array("/".utf8)]

  private func isThere(_ delimiter: [UInt8], at index: Int) -> Bool {
    guard delimiter.count <= text.bytes.endIndex - index else { return false }
    for (offset, byte) in delimiter.enumerated()
    where TextScanner.lowercased(text.bytes[index + offset]) != byte { return false }
    return true
  }
}

/// A statement while its tokens are read.
private struct StatementDraft {
  private let text: SQLText
  private let options: SplitOptions
  /// What has to go into it: nothing was left out between the first and the last of these.
  private var range: Range<Int>?
  /// What it has so far, where something was left out of it.
  private var collected: [UInt8] = []
  private var first: Int?
  private var words: [String] = []

  init(_ text: SQLText, _ options: SplitOptions) {
    self.text = text
    self.options = options
  }

  mutating func add(_ token: Token) {
    switch token.kind {
    case .lineComment, .blockComment:
      if options.stripsComments { return }
    case .blanks: if range == nil, collected.isEmpty { return }
    case .word:
      if words.count < 4 { words.append(text.bytes[token.range].text.uppercased()) }
      if first == nil { first = token.range.lowerBound }
    default: if first == nil { first = token.range.lowerBound }
    }
    guard let sofar = range else {
      range = token.range
      return
    }
    if sofar.upperBound != token.range.lowerBound {
      collected += text.bytes[sofar]
      range = token.range
    } else {
      range = sofar.lowerBound..<token.range.upperBound
    }
  }

  /// Nil where there is nothing but comments and blanks.
  consuming func finish(_ counter: inout SQLText.LineCounter) -> SQLStatement? {
    guard let first, let range else { return nil }
    let bytes: ArraySlice<UInt8>
    if collected.isEmpty {
      bytes = text.bytes[range]
    } else {
      collected += text.bytes[range]
      bytes = collected[...]
    }
    return SQLStatement(
      bytes: SQLText.trimmed(bytes), place: text.place(of: first, &counter), words: words)
  }
}
