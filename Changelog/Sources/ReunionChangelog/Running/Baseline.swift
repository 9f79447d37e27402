/// A changelog that begins with what a database already has.
package enum Baseline {
  /// A file with one changeset, which makes the schema. It is read back before it is given, so that what
  /// it says is what the database has.
  package static func text(of database: any ChangelogDatabase) throws(ChangelogError) -> String {
    let statements = try asking(database) { () throws(DatabaseError) in
      try database.schemaStatements(without: ChangelogRun.ownTables)
    }
    guard !statements.isEmpty else {
      throw ChangelogError(.refused, "The database \(database.name) has no schema yet.")
    }
    let body = statements.map { $0 + ";\n" }.joined(separator: "\n")
    let text = """
      --liquibase formatted sql

      --changeset baseline:1 stripComments:false
      --comment: what the database had when its changelog began
      \(body)
      """
    try check(text, statements, database.dialect)
    return text
  }

  private static func check(
    _ text: String, _ statements: [String], _ dialect: Dialect
  ) throws(ChangelogError) {
    let source = try SourceText(path: "baseline.sql", Array(text.utf8))
    var parser = FormattedParser(
      source, try Selection(dialect: dialect), Parameters(), in46: Parameters())
    var found: [[UInt8]] = []
    while let changeset = try parser.next() {
      var cut = Statements(changeset.changes, of: changeset, dialect)
      while let statement = try cut.next() { found.append(Array(statement.bytes)) }
    }
    for (index, statement) in statements.enumerated() {
      let bytes = Array(SQLText.trimmed(Array(statement.utf8)[...]))
      guard index < found.count, found[index] == bytes else {
        throw ChangelogError(
          .refused,
          "A definition has lines that a changelog reads otherwise: “\(statement.prefix(100))”.")
      }
    }
  }
}
