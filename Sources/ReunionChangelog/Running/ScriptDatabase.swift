/// Writes down what another database would be given: it is asked, and never changed.
final class ScriptDatabase: ChangelogDatabase {
  let database: any ChangelogDatabase
  private let write: (String) -> Void
  private(set) var isInTransaction = false

  init(_ database: any ChangelogDatabase, write: @escaping (String) -> Void) {
    self.database = database
    self.write = write
  }

  var dialect: Dialect { database.dialect }
  var name: String { database.name }
  var session: String { database.session }

  /// A line for whoever reads the script.
  func note(_ text: String) { write("-- \(text.replacing("\n", with: " "))\n") }

  func execute(_ statement: ArraySlice<UInt8>) {
    write(statement.text + (statement.last == 0x3b ? "\n" : ";\n"))
  }

  func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]] {
    try database.query(statement, values)
  }

  func begin() {
    write("BEGIN;\n")
    isInTransaction = true
  }

  func commit() {
    write("COMMIT;\n\n")
    isInTransaction = false
  }

  func rollBack() {
    guard isInTransaction else { return }
    write("ROLLBACK;\n\n")
    isInTransaction = false
  }

  func takeLock() -> Bool { true }
  func releaseLock() {}
  func lockOwner() throws(DatabaseError) -> String? { try database.lockOwner() }
  func keepCopy() -> String? { nil }
  func scratchCopy() throws(DatabaseError) -> any ChangelogDatabase { try database.scratchCopy() }

  func state(without tables: Set<String>) throws(DatabaseError) -> DatabaseState {
    try database.state(without: tables)
  }

  func schemaStatements(without tables: Set<String>) throws(DatabaseError) -> [String] {
    try database.schemaStatements(without: tables)
  }

  func close() {}
}
