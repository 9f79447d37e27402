import ReunionCore
package import ReunionDisk

extension Database {
  /// Throws where a foreign program left in a database what would act when a store reads or writes it:
  /// a trigger, a view in place of a table, or a table that a module computes. Cost: reads the schema.
  package static func checkSchema(_ connection: DatabaseConnection) throws(StoreError) {
    let statement = try connection.prepare("SELECT type, name, sql FROM sqlite_schema")
    defer { statement.finalize() }
    while try statement.step() {
      let (type, name, sql) = (statement.text(0), statement.text(1), statement.text(2))
      guard isForeign(type, name: name, sql: sql) else { continue }
      throw StoreError(
        .damaged,
        "\(connection.path) has a \(type) \(name.debugDescription) that no store has: another program"
          + " put it there. Restore a backup, or remove it with that program, and then adopt the store."
      )
    }
  }

  private static func isForeign(_ type: String, name: String, sql: String) -> Bool {
    switch type {
    case "trigger": return true
    case "view":
      return name.lowercased().hasPrefix("reunion_") && !ReservedEntity.hasName(name)
    case "table":
      let words = sql.lowercased().split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "(" }
      guard words.dropFirst().first == "virtual" else { return false }
      return words.firstIndex(of: "using").map { words[words.index(after: $0)...].first != "fts5" }
        ?? true
    default: return false
    }
  }
}
