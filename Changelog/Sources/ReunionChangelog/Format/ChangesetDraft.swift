/// A changeset while its lines are read.
struct ChangesetDraft {
  private var changeset: Changeset
  private var body: Body
  private var options: SplitOptions
  private var rollback: Body
  private let rollbackOptions: SplitOptions
  /// As Liquibase 4.6.2 reads it, from the first line on that it reads otherwise.
  private var bodyIn46: Body?
  private let optionsIn46: SplitOptions
  private let source: SourceText
  private var warnings: [Warning]

  /// Reads what follows `--changeset`: author, colon, id and attributes.
  init(
    _ scanner: inout TextScanner, _ line: ArraySlice<UInt8>, in source: SourceText,
    _ logicalPath: FormattedParser.LogicalPath, at place: Place
  ) throws(ChangelogError) {
    scanner.skipBlanks()
    let author: ArraySlice<UInt8> =
      Self.quoted(&scanner, before: 0x3a) ?? scanner.take { $0 != 0x3a }
    guard !author.isEmpty, scanner.take(":") else { throw Self.nameless(line, place) }
    scanner.skipBlanks()
    let id: ArraySlice<UInt8> =
      Self.quoted(&scanner, before: nil) ?? scanner.take { !TextScanner.isBlank($0) }
    guard !id.isEmpty else { throw Self.nameless(line, place) }
    let reader = try AttributeReader(scanner.rest, at: place)
    self.source = source
    changeset = Changeset(
      id.text, author.text,
      in: reader.attributes.logicalPath ?? logicalPath.meant ?? source.path, at: place, [])
    changeset.attributes = reader.attributes
    let pathIn46 = OptionsIn46.logicalPath(line) ?? logicalPath.in46 ?? source.path
    if pathIn46 != changeset.path { changeset.pathIn46 = pathIn46 }
    options = reader.options
    rollbackOptions = reader.rollbackOptions
    body = Body(source)
    warnings = reader.warnings
    rollback = Body(source)
    optionsIn46 = OptionsIn46.read(line)
  }

  private static func nameless(_ line: ArraySlice<UInt8>, _ place: Place) -> ChangelogError {
    ChangelogError(
      .refused, "The changeset has no author and id.", at: place, write: "--changeset AUTHOR:ID")
  }

  /// A text in quotes; nil if no such text begins here, or something other than `next` follows it.
  private static func quoted(
    _ scanner: inout TextScanner, before next: UInt8?
  ) -> ArraySlice<UInt8>? {
    var ahead = scanner
    // Liquibase takes either quote.
    guard let quote = ahead.next, quote == 0x22 || quote == 0x27 else { return nil }
    ahead.skip(1)
    let text = ahead.take { $0 != quote }
    guard !text.isEmpty, ahead.next == quote else { return nil }
    ahead.skip(1)
    guard next == nil || ahead.next == next else { return nil }
    scanner = ahead
    return text
  }

  mutating func takeWarnings() -> [Warning] {
    defer { warnings = [] }
    return warnings
  }

  mutating func addSQL(_ range: Range<Int>, line: Int) {
    body.add(range, line: line)
    bodyIn46?.add(range, line: line)
  }

  mutating func addRollback(_ range: Range<Int>, line: Int) { rollback.add(range, line: line) }

  /// Adds a line that is SQL for Liquibase 4.6.2 alone.
  mutating func addOnlyIn46(_ range: Range<Int>, line: Int) {
    if bodyIn46 == nil { bodyIn46 = body }
    bodyIn46?.add(range, line: line)
  }

  /// Reads a line that begins with two dashes and a word; false where it is SQL, as a comment is.
  mutating func read(
    _ word: ArraySlice<UInt8>, _ scanner: inout TextScanner, isAtStart: Bool, _ place: Place
  ) throws(ChangelogError) -> Bool {
    let text = scanner.rest
    switch word.text.lowercased() {
    case "comment" where isAtStart:
      guard let comment = Self.behindColon(text) else { return false }
      changeset.comment = SQLText.trimmed(comment).text
    case "comments" where isAtStart && text.first == 0x3a:
      throw ChangelogError(
        .refused, "The line would be run as SQL.", at: place, write: "--comment" + text.text)
    case "validchecksum" where isAtStart:
      guard let checksum = Self.behindColon(text) else { return false }
      changeset.validChecksums.append(checksum.text.trimmed)
    case "rollback":
      guard text.first == 0x20 else { return false }
      rollback.add((text.startIndex + 1)..<text.endIndex, line: place.line)
    case "preconditions":
      var preconditions = changeset.preconditions ?? Preconditions()
      try PreconditionLine.reactions(text.text, into: &preconditions, at: place)
      changeset.preconditions = preconditions
    case let name
    where name.hasPrefix("precondition-") && !name.contains("_") && text.first == 0x20:
      var preconditions = changeset.preconditions ?? Preconditions()
      let condition = word.dropFirst("precondition-".utf8.count) + text
      preconditions.conditions.append(try PreconditionLine.condition(condition, at: place))
      changeset.preconditions = preconditions
    default: return false
    }
    return true
  }

  /// The text after a word, an optional colon and a blank.
  private static func behindColon(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let text = text.first == 0x3a ? text.dropFirst() : text
    return text.first == 0x20 ? text.dropFirst() : nil
  }

  /// The changeset, once its last line was read.
  consuming func finish(
    isLast: Bool, _ parameters: Parameters, in46: Parameters
  ) throws(ChangelogError) -> Changeset {
    guard !body.isBlank || bodyIn46?.isBlank == false else {
      throw ChangelogError(
        .refused, "The changeset has no SQL.", at: changeset.place,
        write: "SQL below the line, or SELECT 1; where there is nothing to do")
    }
    var bodyIn46 = bodyIn46 ?? body
    var optionsIn46 = optionsIn46
    let isReadOtherwise = self.bodyIn46 != nil || optionsIn46 != options || in46 != parameters
    if isLast {
      Self.takeSlash(of: body, &options)
      Self.takeSlash(of: bodyIn46, &optionsIn46)
    }
    body.parameters = parameters
    rollback.parameters = parameters
    changeset.changes = [Change(body, options)]
    if isReadOtherwise {
      bodyIn46.parameters = in46
      changeset.asIn46 = [Change(bodyIn46, optionsIn46)]
    }
    changeset.rollback = try inverse()
    return changeset
  }

  /// A line `/` at the very end of a file is the delimiter, which is in the checksum.
  private static func takeSlash(of body: Body, _ options: inout SplitOptions) {
    guard options.endDelimiter == nil else { return }
    // Lines that are no SQL may stand before and behind it.
    let pieces = body.pieces.filter { !SQLText.trimmed(body.source.bytes[$0.range]).isEmpty }
    guard let last = pieces.last else { return }
    var text = body.source.bytes[last.range]
    while let byte = text.last, byte <= 0x20 { text.removeLast() }
    let line = text.reversed().prefix { $0 != 0x0a && $0 != 0x0d }
    let isAlone = pieces.count == 1 && SQLText.trimmed(text).count == 1
    if line.elementsEqual("/".utf8), !isAlone {
      options.endDelimiter = "\n/$"
    }
  }

  private func inverse() throws(ChangelogError) -> Changeset.Rollback {
    guard !rollback.isBlank else { return rollback.pieces.isEmpty ? .missing : .nothing }
    let first = SQLText.trimmed(source.bytes[rollback.pieces[0].range]).prefix(4096)
    let words = first.text.lowercased()
    if words.hasPrefix("not required") { return .nothing }
    if rollback.pieces.count == 1, words == "empty" || words == "empty;" { return .nothing }
    if words.hasPrefix("changesetid:") || words.hasPrefix("changesetauthor:")
      || words.hasPrefix("changesetpath:")
    {
      let place = Place(source.path, rollback.pieces[0].line)
      let named = NamedValues(first)
      guard let id = named["changesetid"], let author = named["changesetauthor"] else {
        throw ChangelogError(
          .refused, "The rollback does not name a changeset.", at: place,
          write: "--rollback changesetId:ID changesetAuthor:AUTHOR")
      }
      return .changeset(id: id, author: author, path: named["changesetpath"], place)
    }
    return .sql([Change(rollback, rollbackOptions)])
  }
}
