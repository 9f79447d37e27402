/// A statement as the database is given it.
struct SQLStatement {
  let bytes: ArraySlice<UInt8>
  /// Where its first word stands in its file.
  let place: Place
  /// The line on which its bytes begin, which may be that of a comment before the first word.
  let line: Int
  /// Its first words in capital letters, as "CREATE TABLE"; at most four.
  let words: [String]
  /// What it does to the transaction that it is in.
  let transactionWord: TransactionWord?

  /// The most bytes of one. A database holds a statement several times while it reads it.
  static let bytesMax = 24 << 20
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

  /// Cuts what was left whole, as if nothing had been said of its delimiter.
  init(_ whole: SQLStatement, _ options: SplitOptions, _ dialect: Dialect) throws(ChangelogError) {
    let text = SQLText(
      whole.bytes, [SQLText.Mark(offset: 0, line: whole.line)], whole.place.file)
    try self.init(text, SplitOptions(stripsComments: options.stripsComments), dialect)
  }

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
        return try draft.finish(&counter)
      }
      if options.splitsStatements, case .text(let delimiter) = delimiter,
        isThere(delimiter, at: tokenizer.index)
      {
        tokenizer.skip(to: tokenizer.index + delimiter.count)
        return try draft.finish(&counter)
      }
      guard let token = try tokenizer.next() else { return try draft.finish(&counter) }
      let isEnd =
        block.take(token, text.bytes) && token.kind == .semicolon && delimiter == .usual
        && options.splitsStatements
      if isEnd { return try draft.finish(&counter) }
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
  private var start: Int?
  private var first: Int?
  private var words: [String] = []
  /// Whether it has only words that begin and end transactions.
  private var isOfTransactions = true

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
      add(word: token.range)
    default:
      if first == nil { first = token.range.lowerBound }
      if text.bytes[token.range.lowerBound] != 0x2c { isOfTransactions = false }
    }
    if start == nil { start = token.range.lowerBound }
    guard let sofar = range else {
      range = token.range
      return
    }
    if sofar.upperBound != token.range.lowerBound {
      // Of one that is refused for its length no more is kept.
      if collected.count <= SQLStatement.bytesMax { collected += text.bytes[sofar] }
      range = token.range
    } else {
      range = sofar.lowerBound..<token.range.upperBound
    }
  }

  private mutating func add(word range: Range<Int>) {
    if first == nil { first = range.lowerBound }
    guard words.count < 4 || isOfTransactions else { return }
    let word = text.bytes[range].text.uppercased()
    if words.count < 4 { words.append(word) }
    if !TransactionWord.words.contains(word) { isOfTransactions = false }
  }

  /// Nil where there is nothing but comments and blanks.
  consuming func finish(
    _ counter: inout SQLText.LineCounter
  ) throws(ChangelogError) -> SQLStatement? {
    guard let first, let start, let range else { return nil }
    let line = text.place(of: start, &counter).line
    let place = text.place(of: first, &counter)
    guard range.count + collected.count <= SQLStatement.bytesMax else {
      throw ChangelogError(
        .refused,
        "The statement has more than \(SQLStatement.bytesMax >> 20) MiB, and a database would hold it "
          + "in memory several times.", at: place,
        write: "several statements, each with a part of the rows")
    }
    let bytes: ArraySlice<UInt8>
    if collected.isEmpty {
      bytes = text.bytes[range]
    } else {
      collected += text.bytes[range]
      bytes = collected[...]
    }
    return SQLStatement(
      bytes: SQLText.trimmed(bytes), place: place, line: line, words: words,
      transactionWord: TransactionWord(words, isOfTransactions))
  }
}
