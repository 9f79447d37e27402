package import ReunionChangelog

extension PostgresDatabase {
  /// As `pg_dump` has them, which knows the order in which they run; it must be of the server's version
  /// or a newer one. A statement may be several that belong together.
  package func schemaStatements(without tables: Set<String>) throws(DatabaseError) -> [String] {
    let names = try connection.rows(
      """
      SELECT relname FROM pg_class
      WHERE relkind IN ('r', 'p') AND lower(relname) = ANY (string_to_array($1, ','))
        AND relnamespace = current_schema()::regnamespace
      """, [tables.map { $0.lowercased() }.joined(separator: ",")])
    let dump = try DumpPipe.schema(
      of: connection.address, without: names.compactMap { $0.first ?? nil })
    return Self.statements(in: String(decoding: dump, as: UTF8.self))
  }

  /// The parts of a dump between its headings, without its settings and the words to psql.
  static func statements(in dump: String) -> [String] {
    var statements: [String] = []
    var lines: [Substring] = []
    var isHeading = false
    func take() {
      var text = lines.joined(separator: "\n")
      while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
      while text.first?.isNewline == true { text.removeFirst() }
      if !text.isEmpty { statements.append(text) }
      lines = []
    }
    let all = dump.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in all.enumerated() {
      // A heading is "--", "-- Name: …", "--"; a comment in a function's body is none.
      let next = index + 1 < all.count ? all[index + 1] : ""
      if line == "--" && !isHeading
        && (next.hasPrefix("-- Name: ") || next.hasPrefix("-- PostgreSQL"))
      {
        take()
        isHeading = true
      } else if isHeading {
        isHeading = line != "--"
      } else if !statements.isEmpty || !isSetting(line) {
        lines.append(line)
      }
    }
    take()
    return statements.filter { !$0.hasPrefix("\\") && !$0.hasPrefix("CREATE SCHEMA public") }
  }

  /// What a dump begins with, for its own sake.
  private static func isSetting(_ line: Substring) -> Bool {
    line.isEmpty || line.hasPrefix("SET ") || line.hasPrefix("SELECT pg_catalog.set_config(")
      || line.hasPrefix("\\") || line.hasPrefix("-- Dumped ")
  }
}
