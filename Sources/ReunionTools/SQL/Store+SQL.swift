public import ReunionDisk
public import ReunionStore

extension Store {
  /// Runs a SELECT over the store's views, as of the last commit. `docs/sql.md` says what they hold.
  ///
  /// ```swift
  /// let rows = try store.sql("SELECT title, pages FROM book WHERE pages > ? ORDER BY 1", [100])
  /// for row in rows { print(row["title"] ?? nil, row["pages"]?.integer ?? 0) }
  /// ```
  /// A view has the name of its entity, and a column for each field. A SELECT cannot write or
  /// change anything, and reads only the views.
  /// - Throws: `invalidSQL` with SQLite's words and the place in the text; `interrupted` if it goes
  ///   over its limits or its task is cancelled. *Cost*: opens a connection, which takes a third of
  ///   a millisecond beside the SELECT itself.
  public func sql(
    _ sql: String, _ values: [SQLValue] = [], limits: SQLLimits = SQLLimits()
  ) throws -> SQLRows {
    let console = try SQLConsole(
      DatabaseConnection(path: database.path, on: options.disk, checksums: options.checksPages))
    return try console.run(sql, values, limits)
  }

  /// Runs a SELECT over the views of the store in a folder, which may be in use; for tools that
  /// have no model.
  public static func sql(
    _ sql: String, _ values: [SQLValue] = [], inFolder folder: String, on disk: any Disk = .system,
    limits: SQLLimits = SQLLimits()
  ) throws -> SQLRows {
    try SQLConsole(folder: folder, on: disk).run(sql, values, limits)
  }

  /// The views of the store in a folder with their columns, by name.
  public static func sqlViews(
    inFolder folder: String, on disk: any Disk = .system
  ) throws -> [(name: String, columns: [String])] {
    try SQLConsole(folder: folder, on: disk).views.map { ($0.name, $0.columns.map(\.name)) }
  }
}
