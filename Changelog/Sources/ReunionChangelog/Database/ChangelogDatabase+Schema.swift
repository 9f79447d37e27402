/// What every dialect says of its tables in its own words.
extension ChangelogDatabase {
  /// The columns of a table in capital letters; none if there is no such table.
  func columns(of table: String) throws(DatabaseError) -> Set<String> {
    let rows =
      switch dialect {
      case .sqlite: try query("SELECT upper(name) FROM pragma_table_info($1)", [table])
      case .postgresql:
        try query(
          """
          SELECT upper(a.attname) FROM pg_catalog.pg_attribute a
          WHERE a.attrelid = (SELECT c.oid FROM pg_catalog.pg_class c
              WHERE c.relname = lower($1) AND c.relkind IN ('r', 'p', 'v') AND c.relnamespace =
                (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $2))
            AND a.attnum > 0 AND NOT a.attisdropped
          """, [table, historySchema])
      }
    return Set(rows.compactMap { $0.first ?? nil })
  }

  func hasTable(_ name: String, schema: String?) throws(DatabaseError) -> Bool {
    try has("table", "BASE TABLE", name, schema)
  }

  func hasView(_ name: String, schema: String?) throws(DatabaseError) -> Bool {
    try has("view", "VIEW", name, schema)
  }

  /// Whether a table has a column; names of SQLite are compared letter by letter, as Liquibase does.
  func hasColumn(
    _ name: String, of table: String, schema: String?
  ) throws(DatabaseError) -> Bool {
    switch dialect {
    case .sqlite:
      return try !query(
        """
        SELECT 1 FROM sqlite_schema s, pragma_table_info(s.name) c
        WHERE s.name = $1 AND c.name = $2
        """, [table, name]
      ).isEmpty
    case .postgresql:
      return try !query(
        """
        SELECT 1 FROM information_schema.columns WHERE lower(table_name) = lower($1)
        AND lower(column_name) = lower($2) AND lower(table_schema) = lower($3)
        """, [table, name, schema ?? historySchema]
      ).isEmpty
    }
  }

  /// Whether there is an index of this name, on any table if `table` is nil.
  func hasIndex(
    _ name: String, of table: String?, schema: String?
  ) throws(DatabaseError) -> Bool {
    let rows =
      switch dialect {
      case .sqlite:
        try query(
          "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND name = $1", [name])
      case .postgresql:
        try query(
          """
          SELECT tablename FROM pg_catalog.pg_indexes
          WHERE lower(indexname) = lower($1) AND lower(schemaname) = lower($2)
          """, [name, schema ?? historySchema])
      }
    return rows.contains { table == nil || $0.first??.lowercased() == table?.lowercased() }
  }

  func hasSequence(_ name: String, schema: String?) throws(DatabaseError) -> Bool {
    guard dialect == .postgresql else { return false }
    return try !query(
      """
      SELECT 1 FROM pg_catalog.pg_sequences
      WHERE lower(sequencename) = lower($1) AND lower(schemaname) = lower($2)
      """, [name, schema ?? historySchema]
    ).isEmpty
  }

  func rowCount(of table: String, schema: String?) throws(DatabaseError) -> String {
    let name = ([schema, table].compactMap { $0 }).joined(separator: ".")
    return try query("SELECT count(*) FROM \(name)").first?.first.flatMap { $0 } ?? "no"
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
        AND lower(table_schema) = lower($3)
        """, [longKind, name, schema ?? historySchema]
      ).isEmpty
    }
  }
}

extension ChangelogDatabase {
  /// A table of ours as SQL names it. A changeset may leave another search_path behind, as a dump of
  /// `pg_dump` does: the history stays where it is.
  func named(_ table: String) -> String {
    guard let schema = historySchema else { return table }
    // Any other may be a word of SQL, as user is.
    if schema == "public" { return "public." + table }
    return "\"" + schema.replacing("\"", with: "\"\"") + "\"." + table
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
