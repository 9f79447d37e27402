public import ReunionDisk
public import ReunionStore

extension Store {
  /// Runs a SELECT over the store's views, as of the last commit. <doc:sql> says what they hold.
  ///
  /// ```swift
  /// let rows = try store.sql("SELECT caption, views FROM photo WHERE views > ? ORDER BY 1", [100])
  /// for row in rows { print(row["caption"]?.text ?? "", row["views"]?.integer ?? 0) }
  /// ```
  /// A view has the name of its entity, and a column for each field. A SELECT cannot write or
  /// change anything, and reads only the views, so that it may be a person's own.
  ///
  /// *Thread*: the caller's, which waits; writes go on meanwhile. *Cost*: opens a connection, which
  /// takes a third of a millisecond beside the SELECT itself.
  /// - Parameters:
  ///   - sql: One SELECT, with a `?` for each value.
  ///   - values: What takes their places, in their order.
  ///   - limits: How far it may go.
  /// - Returns: The rows, all of them.
  /// - Throws: `invalidSQL` with SQLite's words and the place in the text. It is for what is no
  ///   SELECT, reads something else than the views, or has another number of places than there are
  ///   values. `interrupted` if it goes over its limits or its task is cancelled. `damaged` and
  ///   `ioFailed` as the disk answers.
  public func sql(
    _ sql: String, _ values: [SQLValue] = [], limits: SQLLimits = SQLLimits()
  ) throws -> SQLRows {
    let console = try SQLConsole(
      DatabaseConnection(path: database.path, on: options.disk, checksums: options.checksPages))
    return try console.run(sql, values, limits)
  }

  /// Runs a SELECT over the views of the store in a folder, which may be in use; for tools that
  /// have no model.
  ///
  /// The views are those of the model that the store was last opened with.
  /// - Throws: `notFound` if there is no store, `newerVersion`, `damaged`; else as the method of a
  ///   store that is open.
  public static func sql(
    _ sql: String, _ values: [SQLValue] = [], inFolder folder: String, on disk: any Disk = .system,
    limits: SQLLimits = SQLLimits()
  ) throws -> SQLRows {
    try SQLConsole(folder: folder, on: disk).run(sql, values, limits)
  }

  /// The views of the store in a folder with their columns, by name: what a SELECT may read.
  ///
  /// - Throws: `notFound` if there is no store, `newerVersion`, `damaged`, `ioFailed`.
  public static func sqlViews(
    inFolder folder: String, on disk: any Disk = .system
  ) throws -> [(name: String, columns: [String])] {
    try SQLConsole(folder: folder, on: disk).views.map { ($0.name, $0.columns.map(\.name)) }
  }
}
