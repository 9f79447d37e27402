/// Writes down what another database would be given: it is asked, and never changed.
final class ScriptDatabase: ChangelogDatabase {
  let database: any ChangelogDatabase
  private let write: (String) -> Void
  private(set) var isInTransaction = false
  /// Whether its BEGIN is written: of a transaction that changes nothing, nothing is.
  private var hasBegun = false

  init(_ database: any ChangelogDatabase, write: @escaping (String) -> Void) {
    self.database = database
    self.write = write
  }

  var dialect: Dialect { database.dialect }
  var name: String { database.name }
  var session: String { database.session }
  var historySchema: String? { database.historySchema }

  /// A line for whoever reads the script.
  func note(_ text: String) { write("-- \(text.replacing("\n", with: " "))\n") }

  func execute(_ statement: ArraySlice<UInt8>) {
    if isInTransaction, !hasBegun {
      write("BEGIN;\n")
      hasBegun = true
    }
    write(statement.text + (statement.last == 0x3b ? "\n" : ";\n"))
  }

  func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]] {
    try database.query(statement, values)
  }

  func begin() { isInTransaction = true }
  func commit() { end("COMMIT") }
  func rollBack() { end("ROLLBACK") }

  private func end(_ word: String) {
    if hasBegun { write("\(word);\n\n") }
    isInTransaction = false
    hasBegun = false
  }

  func currentTransaction() -> String? { nil }

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
