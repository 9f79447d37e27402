package import ReunionChangelog

extension PostgresDatabase {
  /// Schema and data of all schemas but the system's, read from the catalog; no program is needed.
  ///
  /// It costs a read of all rows. Of rare kinds, such as operators and text search, the names alone are
  /// in it, and rows of foreign tables and large objects are not.
  package func state(without tables: Set<String>) throws(DatabaseError) -> DatabaseState {
    let isNested = isInTransaction
    try connection.run(
      isNested
        ? "SAVEPOINT reunion_state" : "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    // Its settings end with it, so that nothing of the session changes.
    let end = isNested ? "ROLLBACK TO reunion_state" : "ROLLBACK"
    let state: DatabaseState
    do throws(DatabaseError) {
      // Every name is told with its schema, and every value as any session would write it.
      try connection.run("SET LOCAL search_path = pg_catalog")
      try connection.run("SET LOCAL row_security = off")
      for setting in ["DateStyle = ISO", "IntervalStyle = postgres", "TimeZone = UTC"] {
        try connection.run("SET LOCAL \(setting)")
      }
      state = try read(without: Set(tables.map { $0.lowercased() }))
    } catch {
      // What went wrong is told, whatever ending it says.
      _ = try? connection.run(end)
      throw error
    }
    try connection.run(end)
    if isNested { try connection.run("RELEASE reunion_state") }
    return state
  }

  private func read(without tables: Set<String>) throws(DatabaseError) -> DatabaseState {
    func isLeftOut(_ table: String?) -> Bool {
      guard let table else { return false }
      let parts = table.split(separator: ".")
      return parts.last.map { tables.contains($0.lowercased()) } == true
        && (parts.count == 1 || String(parts[0]) == schema)
    }
    var schemaTexts: [String: String] = [:]
    for query in Catalog.queries {
      for row in try connection.rows(query, [schema]) where !isLeftOut(row[2]) {
        schemaTexts["\(row[0] ?? "") \(row[1] ?? "")"] = row[3] ?? ""
      }
    }
    var data: [String: DatabaseState.TableState] = [:]
    for row in try connection.rows(Catalog.stores, [schema]) {
      guard let name = row[0], let table = row[1], !isLeftOut(table) else { continue }
      let told = try connection.rows(Catalog.digest(of: table))
      guard let count = told.first?[0].flatMap({ Int($0) }), let digest = told.first?[1] else {
        continue
      }
      data[name] = .init(rowCount: count, digest: digest)
    }
    return DatabaseState(schema: schemaTexts, data: data)
  }
}
