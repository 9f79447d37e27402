/// Reads the lines of a changeset that say what must hold before it.
enum PreconditionLine {
  /// Reads what follows `--preconditions`. The last word after each name counts, wherever it stands
  /// on the line, and what has no such name says nothing.
  static func reactions(
    _ text: String, into preconditions: inout Preconditions, at place: Place
  ) throws(ChangelogError) {
    let line = Array(text.utf8)[...]
    if let value = OptionsIn46.word(after: "onfail:", in: line) {
      preconditions.onFail = try reaction(value.text, "onFail", place)
    }
    if let value = OptionsIn46.word(after: "onerror:", in: line) {
      preconditions.onError = try reaction(value.text, "onError", place)
    }
    let script =
      OptionsIn46.word(after: "onsqloutput:", in: line)
      ?? OptionsIn46.word(after: "onupdatesql:", in: line)
    guard let script = script?.text.uppercased() else { return }
    guard let reaction = Preconditions.ScriptReaction(rawValue: script) else {
      throw ChangelogError(
        .refused, "onSqlOutput is \(script).", at: place,
        write: "--preconditions onSqlOutput:TEST (or FAIL, or IGNORE)")
    }
    preconditions.onScript = reaction
  }

  static func reaction(
    _ value: String, _ name: String, _ place: Place
  ) throws(ChangelogError) -> Preconditions.Reaction {
    if let reaction = Preconditions.Reaction(rawValue: value.uppercased()) { return reaction }
    throw ChangelogError(
      .refused, "\(name) is \(value).", at: place,
      write: "--preconditions \(name):MARK_RAN (or HALT, CONTINUE, WARN)")
  }

  /// Reads what follows `--precondition-`: a kind, a blank and what is asked.
  static func condition(
    _ text: ArraySlice<UInt8>, at place: Place
  ) throws(ChangelogError) -> Precondition {
    var scanner = TextScanner(text)
    let kind = scanner.take { TextScanner.isWord($0) || $0 == 0x2d }.text.lowercased()
    scanner.skipBlanks()
    switch kind {
    case "sql-check": return try query(&scanner, place)
    case "table-exists", "view-exists":
      let isTable = kind == "table-exists"
      var name: String?
      var schema: String?
      for word in scanner.restText.split(whereSeparator: \.isWhitespace) {
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { continue }
        switch parts[0].lowercased() {
        case "table" where isTable, "view" where !isTable: name = parts[1]
        case "schema": schema = parts[1]
        default: continue
        }
      }
      guard let name else {
        let word = isTable ? "table" : "view"
        throw ChangelogError(
          .refused, "The precondition names no \(word).", at: place,
          write: "--precondition-\(kind) \(word):NAME")
      }
      return isTable
        ? .table(name, schema: schema, place) : .view(name, schema: schema, place)
    default:
      throw ChangelogError(
        .refused, "There is no precondition \(kind) in SQL.", at: place,
        write: "--precondition-sql-check expectedResult:0 SELECT count(*) FROM …")
    }
  }

  /// `expectedResult:0 SELECT …`, where the result may be in quotes and its name left out.
  private static func query(
    _ scanner: inout TextScanner, _ place: Place
  ) throws(ChangelogError) -> Precondition {
    _ = scanner.take("expectedresult:")
    let expected: ArraySlice<UInt8>
    switch scanner.next {
    case let quote? where quote == 0x27 || quote == 0x22:
      scanner.skip(1)
      expected = scanner.take { $0 != quote }
      scanner.skip(1)
    default: expected = scanner.take(while: TextScanner.isWord)
    }
    let hasBlank = scanner.skipBlanks()
    let query = SQLText.trimmed(scanner.rest)
    guard !expected.isEmpty, hasBlank, !query.isEmpty else {
      throw ChangelogError(
        .refused, "The precondition does not say which result it expects of which query.",
        at: place,
        write: "--precondition-sql-check expectedResult:0 SELECT count(*) FROM …")
    }
    return .query(query.text, expected: expected.text, place)
  }
}
