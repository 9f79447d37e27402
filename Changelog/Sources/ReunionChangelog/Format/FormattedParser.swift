/// Reads a file of formatted SQL, one changeset after the other.
///
/// It keeps no SQL: a changeset says where in the file its lines stand.
struct FormattedParser {
  /// The parameters of the command and of all files so far.
  var parameters: Parameters
  private(set) var warnings: [Warning] = []

  private let source: SourceText
  private let selection: Selection
  /// Parameters as 4.6.2 knows them, which reads no `--property`.
  private let parametersIn46: Parameters
  private var local = Parameters()
  private var lines: LineReader
  private var logicalPath = LogicalPath()
  private var draft: ChangesetDraft?
  private var isDone = false
  private var isInComment = false
  private var hasWarnedOfStrays = false

  /// What the first line says of the paths of all changesets: as meant, and as 4.6.2 reads it.
  struct LogicalPath {
    var meant: String?
    var in46: String?
  }

  init(
    _ source: SourceText, _ selection: Selection, _ parameters: Parameters, in46: Parameters
  ) {
    self.source = source
    self.selection = selection
    self.parameters = parameters
    parametersIn46 = in46
    lines = LineReader(source)
  }

  /// What the first line of a file that is not blank says.
  enum Header {
    /// Nothing: all of the file is one changeset.
    case none
    case known
    /// That it is formatted SQL, in letters or blanks that Liquibase 4.6.2 does not know.
    case unknownTo46
  }

  static func header(of source: SourceText) -> Header {
    var lines = LineReader(source)
    while let (content, _) = lines.next() {
      let line = SQLText.trimmed(source.bytes[content])
      guard !line.isEmpty else { continue }
      var scanner = TextScanner(line)
      guard Self.takeHeader(&scanner) else { return .none }
      let words = source.bytes[content].dropFirst(2).drop(while: TextScanner.isBlank)
      let isKnown =
        source.bytes[content].starts(with: "--".utf8)
        && words.starts(with: "liquibase formatted".utf8)
      return isKnown ? .known : .unknownTo46
    }
    return .none
  }

  static func warningOfHeader(_ source: SourceText) -> Warning {
    Warning(
      Place(source.path, 1),
      "Liquibase 4.6.2 does not know this first line, and takes the file for one changeset. Here its "
        + "changesets are read.")
  }

  /// The number of the first line that begins a changeset; nil if no line does.
  static func firstChangeset(of source: SourceText) -> Int? {
    var lines = LineReader(source)
    while let (content, _) = lines.next() {
      var scanner = TextScanner(source.bytes[content])
      scanner.skipBlanks()
      guard scanner.take("--") else { continue }
      scanner.skipBlanks()
      if scanner.take("changeset"), scanner.skipBlanks(), scanner.rest.contains(0x3a) {
        return lines.number
      }
    }
    return nil
  }

  private static func takeHeader(_ scanner: inout TextScanner) -> Bool {
    guard scanner.take("--") else { return false }
    scanner.skipBlanks()
    guard scanner.take("liquibase") else { return false }
    return scanner.skipBlanks() && scanner.take("formatted")
  }

  mutating func next() throws(ChangelogError) -> Changeset? {
    while !isDone {
      guard let (content, end) = lines.next() else {
        isDone = true
        return try finish(isLast: true)
      }
      if let changeset = try read(content, end) { return changeset }
    }
    return nil
  }

  private var place: Place { Place(source.path, lines.number) }

  private mutating func read(
    _ content: Range<Int>, _ end: Int
  ) throws(ChangelogError) -> Changeset? {
    var scanner = TextScanner(source.bytes[content])
    scanner.skipBlanks()
    let isAtStart = scanner.index == content.lowerBound
    switch scanner.next {
    case 0x2d?:
      guard scanner.take("--") else {
        try NearMiss.check(scanner.rest, at: place)
        break
      }
      scanner.skipBlanks()
      return try directive(&scanner, content, end, isAtStart)
    case 0x2f? where scanner.take("/*"):
      scanner.skipBlanks()
      if scanner.take("liquibase"), scanner.skipBlanks(), scanner.take("rollback"), draft != nil {
        let isAlone = SQLText.trimmed(scanner.rest).isEmpty
        if isAlone { return try rollbackBlock(content.lowerBound..<end) }
      }
    default: break
    }
    addSQL(content, end)
    return nil
  }

  private mutating func addSQL(_ content: Range<Int>, _ end: Int) {
    if draft != nil {
      draft?.addSQL(content.lowerBound..<end, line: lines.number)
    } else {
      warnOfStray(source.bytes[content])
    }
  }

  private mutating func addOnlyIn46(_ range: Range<Int>) {
    draft?.addOnlyIn46(range, line: lines.number)
  }

  /// Tells of SQL in front of the first changeset, which nobody runs.
  private mutating func warnOfStray(_ line: ArraySlice<UInt8>) {
    let line = SQLText.trimmed(line)
    guard !line.isEmpty, !hasWarnedOfStrays else { return }
    if line.starts(with: "/*".utf8) { isInComment = true }
    if isInComment {
      isInComment = !line.suffix(2).elementsEqual("*/".utf8)
      return
    }
    guard !line.starts(with: "--".utf8) else { return }
    hasWarnedOfStrays = true
    warnings.append(Warning(place, "The line is in no changeset, and is not run."))
  }

  /// Tells of a line that would bring another file in a master file, and is a comment here.
  private mutating func warnOfInclude(_ text: ArraySlice<UInt8>, isFolder: Bool) {
    guard NamedValues(text)[isFolder ? "path" : "file"]?.isEmpty == false else { return }
    warnings.append(
      Warning(place, "The line is a comment: a file of SQL brings no other, a master file does."))
  }

  // MARK: Lines that say something

  private mutating func directive(
    _ scanner: inout TextScanner, _ content: Range<Int>, _ end: Int, _ isAtStart: Bool
  ) throws(ChangelogError) -> Changeset? {
    let word = scanner.take { TextScanner.isWord($0) || $0 == 0x2d }
    let hasBlank = scanner.next.map(TextScanner.isBlank) ?? false
    if word.isWord("changeset"), hasBlank || scanner.isAtEnd {
      return try begin(&scanner, source.bytes[content])
    }
    if word.isWord("liquibase") {
      var header = TextScanner(SQLText.trimmed(source.bytes[content]))
      if Self.takeHeader(&header) {
        logicalPath.meant = try AttributeReader(header.rest, at: place).attributes.logicalPath
        logicalPath.in46 = OptionsIn46.logicalPath(header.rest)
        if draft == nil { return nil }
      }
    }
    if word.isWord("include") || word.isWord("includeall"), hasBlank {
      warnOfInclude(scanner.rest, isFolder: word.isWord("includeall"))
    }
    if word.isWord("property"), hasBlank, try define(scanner.rest) {
      addOnlyIn46(content.lowerBound..<end)
      return nil
    }
    if isAtStart, word.isWord("ignorelines"), scanner.take(":") {
      return try ignoreLines(scanner.take(while: TextScanner.isWord))
    }
    let place = place
    if try draft?.read(word, &scanner, isAtStart: isAtStart, place) == true { return nil }
    addSQL(content, end)
    return nil
  }

  private mutating func begin(
    _ scanner: inout TextScanner, _ line: ArraySlice<UInt8>
  ) throws(ChangelogError) -> Changeset? {
    let finished = try finish(isLast: false)
    var next = try ChangesetDraft(&scanner, line, in: source, logicalPath, at: place)
    warnings += next.takeWarnings()
    draft = next
    return finished
  }

  /// The changeset that the lines so far make.
  private mutating func finish(isLast: Bool) throws(ChangelogError) -> Changeset? {
    guard let done = draft else { return nil }
    draft = nil
    var all = local
    all.merge(parameters)
    return try done.finish(isLast: isLast, all, in46: parametersIn46)
  }

  private mutating func ignoreLines(
    _ what: ArraySlice<UInt8>
  ) throws(ChangelogError) -> Changeset? {
    let start = place
    if what.isWord("start") {
      while let (content, _) = lines.next() {
        var scanner = TextScanner(source.bytes[content])
        guard scanner.take("--") else { continue }
        scanner.skipBlanks()
        if scanner.take("ignorelines:end") { return nil }
      }
      throw ChangelogError(
        .refused, "The lines to ignore have no end.", at: start, write: "--ignoreLines:end")
    }
    guard let count = Int(what.text), count > 0 else {
      throw ChangelogError(
        .refused, "It is not said how many lines to ignore.", at: start,
        write: "--ignoreLines:2 (or start, and later end)")
    }
    var left = count
    while left > 0, lines.next() != nil { left -= 1 }
    return nil
  }

  /// Reads `name:x value:y`; false where that is not what stands there.
  private mutating func define(_ text: ArraySlice<UInt8>) throws(ChangelogError) -> Bool {
    let words = NamedValues(text)
    guard let name = words["name"], let value = words["value"] else { return false }
    guard try selection.includes(contexts: words["context"] ?? words["contextfilter"], at: place),
      selection.includes(labels: words["labels"]), selection.includes(dbms: words["dbms"])
    else { return true }
    if words["global"]?.lowercased() == "false" {
      local.define(name, value)
    } else {
      parameters.define(name, value)
    }
    return true
  }

  private mutating func rollbackBlock(_ opening: Range<Int>) throws(ChangelogError)
    -> Changeset?
  {
    let start = place
    addOnlyIn46(opening)
    while let (content, end) = lines.next() {
      addOnlyIn46(content.lowerBound..<end)
      let line = source.bytes[content]
      let text = SQLText.trimmed(line)
      guard text.suffix(2).elementsEqual("*/".utf8) else {
        draft?.addRollback(content.lowerBound..<end, line: lines.number)
        continue
      }
      draft?.addRollback(content.lowerBound..<(text.endIndex - 2), line: lines.number)
      return nil
    }
    throw ChangelogError(
      .refused, "The rollback has no end.", at: start, write: "*/ on the line after its SQL")
  }
}
