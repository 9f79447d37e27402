/// What the file holds.
extension SQLiteDatabase {
  package func state(without tables: Set<String>) throws(DatabaseError) -> DatabaseState {
    let isOurs = !isInTransaction
    if isOurs { try execute("BEGIN") }
    do throws(DatabaseError) {
      let state = try readState(without: Set(tables.map { $0.lowercased() }))
      if isOurs { try execute("COMMIT") }
      return state
    } catch {
      if isOurs { try rollBack() }
      throw error
    }
  }

  private func readState(without tables: Set<String>) throws(DatabaseError) -> DatabaseState {
    var state = DatabaseState(schema: [:], data: [:])
    let shadows = try names(of: "shadow")
    for object in try objects(without: tables) where !shadows.contains(object.table.lowercased()) {
      state.schema["\(object.kind) \(object.name)"] = Self.normalized(object.sql)
    }
    for table in try names(of: "table").union(names(of: "virtual"))
    where !tables.contains(table) && !table.hasPrefix("sqlite_") {
      let quoted = "\"" + table.replacing("\"", with: "\"\"") + "\""
      state.data[table] = try handle.digest("SELECT * FROM \(quoted)")
    }
    return state
  }

  package func schemaStatements(without tables: Set<String>) throws(DatabaseError) -> [String] {
    let shadows = try names(of: "shadow")
    let tables = Set(tables.map { $0.lowercased() })
    let order = ["table": 0, "index": 1, "view": 2, "trigger": 3]
    return try objects(without: tables).filter { !shadows.contains($0.table.lowercased()) }
      .enumerated().sorted { one, other in
        (order[one.element.kind] ?? 4, one.offset) < (order[other.element.kind] ?? 4, other.offset)
      }.map { $0.element.sql }
  }

  private struct SchemaObject {
    let kind: String
    let name: String
    let table: String
    let sql: String
  }

  /// All that somebody made, in the order in which it was.
  private func objects(without tables: Set<String>) throws(DatabaseError) -> [SchemaObject] {
    try handle.query(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid
      """, []
    ).compactMap { row in
      guard let kind = row[0], let name = row[1], let table = row[2], let sql = row[3],
        !tables.contains(table.lowercased())
      else { return nil }
      return SchemaObject(kind: kind, name: name, table: table, sql: sql)
    }
  }

  /// The tables of a kind, in small letters.
  private func names(of kind: String) throws(DatabaseError) -> Set<String> {
    Set(
      try handle.query(
        "SELECT lower(name) FROM pragma_table_list WHERE schema = 'main' AND type = $1", [kind]
      ).compactMap { $0[0] })
  }

  /// A definition as its tokens: SQLite keeps the text that somebody wrote, and what ALTER does to it
  /// leaves other blanks and quotes than were there.
  static func normalized(_ sql: String) -> String {
    let text = SQLText(Array(sql.utf8)[...], [], "")
    var tokenizer = Tokenizer(text, .sqlite)
    var words: [String] = []
    while true {
      // What SQLite has read cannot have a text without an end.
      guard let token = try? tokenizer.next() else { break }
      switch token.kind {
      case .blanks, .lineComment, .blockComment: continue
      case .quoted:
        let bytes = text.bytes[token.range]
        let inner = bytes.dropFirst().dropLast()
        let isName = bytes.first != 0x27 && !inner.isEmpty && inner.allSatisfy(TextScanner.isWord)
        words.append(isName ? inner.text : bytes.text)
      default: words.append(text.bytes[token.range].text)
      }
    }
    return words.joined(separator: " ")
  }
}
