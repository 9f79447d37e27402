/// What SQLite says only when somebody uses a table, a view or a trigger.
extension SQLiteDatabase {
  package func faults(withRows: Bool) throws(DatabaseError) -> Set<String> {
    let rows = withRows ? try danglingKeys() : []
    return try Set(rows).union(missingParents()).union(brokenObjects())
  }

  /// Rows that refer to none, by table and parent.
  func danglingKeys() throws(DatabaseError) -> [String] {
    var faults: [String] = []
    let tables = try handle.query(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')",
      []
    ).compactMap { $0[0] }
    for table in tables where !table.hasPrefix("sqlite_") {
      do throws(DatabaseError) {
        for row in try handle.query(
          "SELECT parent, count(*) FROM pragma_foreign_key_check($1) GROUP BY 1", [table])
        {
          let count = row[1] == "1" ? "1 row refers" : "\(row[1] ?? "") rows refer"
          faults.append("table \(table): \(count) to no row of \(row[0] ?? "")")
        }
      } catch  where error.message.contains("foreign key mismatch") {
        faults.append("table \(table): \(error.message)")
      }
    }
    return faults
  }

  /// Tables that refer to one that is not there.
  private func missingParents() throws(DatabaseError) -> [String] {
    try handle.query(
      """
      SELECT DISTINCT t.name, k."table" FROM pragma_table_list t, pragma_foreign_key_list(t.name) k
      WHERE t.schema = 'main' AND t.type = 'table'
        AND lower(k."table") NOT IN (SELECT lower(name) FROM pragma_table_list WHERE schema = 'main')
      """, []
    ).map { "table \($0[0] ?? ""): it refers to \($0[1] ?? ""), which is not there" }
  }

  /// Views and triggers that speak of what is not there.
  private func brokenObjects() throws(DatabaseError) -> [String] {
    var faults: [String] = []
    for row in try handle.query("SELECT name FROM sqlite_schema WHERE type = 'view'", []) {
      guard let name = row[0] else { continue }
      if let why = complaint("SELECT * FROM \(Self.quoted(name))") {
        faults.append("view \(name): \(why)")
      }
    }
    for row in try handle.query(
      "SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger'", [])
    {
      guard let table = row[0] else { continue }
      let name = Self.quoted(table)
      var statements = ["INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)"]
      for column in try handle.query(
        "SELECT name FROM pragma_table_info($1)", [table]
      ).compactMap({ $0[0] }) {
        statements.append("UPDATE \(name) SET \(Self.quoted(column)) = \(Self.quoted(column))")
      }
      let complaints = statements.compactMap { complaint($0) }
      if let why = complaints.first { faults.append("a trigger of \(table): \(why)") }
    }
    return faults
  }

  /// What SQLite says of a statement, where it is about what is not there: functions and modules of an
  /// application are not here, and nothing is wrong with them.
  private func complaint(_ statement: String) -> String? {
    guard let why = handle.complaint(of: statement) else { return nil }
    let isMissing =
      why.contains("no such table") || why.contains("no such column")
      || why.contains("no column named")
      || why.contains("no such view")
    return isMissing ? why : nil
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}
