/// What every dialect says of its tables in its own words.
extension ChangelogDatabase {
  /// The columns of a table in capital letters; none where there is no such table.
  func columns(of table: String) throws(DatabaseError) -> Set<String> {
    let rows =
      switch dialect {
      case .sqlite: try query("SELECT upper(name) FROM pragma_table_info($1)", [table])
      case .postgresql:
        try query(
          """
          SELECT upper(column_name) FROM information_schema.columns
          WHERE table_schema = current_schema() AND lower(table_name) = lower($1)
          """, [table])
      }
    return Set(rows.compactMap { $0.first ?? nil })
  }

  func hasTable(_ name: String, schema: String?) throws(DatabaseError) -> Bool {
    try has("table", "BASE TABLE", name, schema)
  }

  func hasView(_ name: String, schema: String?) throws(DatabaseError) -> Bool {
    try has("view", "VIEW", name, schema)
  }

  private func has(
    _ kind: String, _ longKind: String, _ name: String, _ schema: String?
  ) throws(DatabaseError) -> Bool {
    switch dialect {
    case .sqlite:
      return try !query(
        "SELECT 1 FROM sqlite_schema WHERE type = $1 AND lower(name) = lower($2)", [kind, name]
      ).isEmpty
    case .postgresql:
      return try !query(
        """
        SELECT 1 FROM information_schema.tables WHERE table_type = $1
        AND lower(table_name) = lower($2)
        AND lower(table_schema) = lower(coalesce($3, current_schema()))
        """, [longKind, name, schema]
      ).isEmpty
    }
  }
}

extension String {
  /// The text as SQL has it.
  var literal: String { "'" + replacing("'", with: "''") + "'" }
}

extension String? {
  /// The text as SQL has it, or NULL.
  var literal: String { self?.literal ?? "NULL" }
}
