import ReunionChangelog
import ReunionChangelogPostgres

/// A PostgreSQL database that does not do one of the things on which updates rely.
final class BuggyDatabase: ChangelogDatabase {
  enum Bug: String {
    /// Each statement is committed by itself, so that a kill leaves half a changeset.
    case half
    /// Everybody has the lock.
    case lockless
    /// The history is not read again once there is the lock.
    case forgetful
  }

  private let database: PostgresDatabase
  private let bug: Bug
  private var remembered: [[String?]]?

  init(_ database: PostgresDatabase, _ bug: Bug) {
    self.database = database
    self.bug = bug
  }

  var dialect: Dialect { database.dialect }
  var name: String { database.name }
  var session: String { database.session }

  func execute(_ statement: ArraySlice<UInt8>) throws(DatabaseError) {
    try database.execute(statement)
  }

  func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]] {
    let readsHistory = statement.hasPrefix("SELECT") && statement.contains("ORDEREXECUTED")
    guard bug == .forgetful, readsHistory else { return try database.query(statement, values) }
    if let remembered { return remembered }
    let rows = try database.query(statement, values)
    remembered = rows
    return rows
  }

  func begin() throws(DatabaseError) { if bug != .half { try database.begin() } }
  func commit() throws(DatabaseError) { if bug != .half { try database.commit() } }
  func rollBack() throws(DatabaseError) { try database.rollBack() }
  var isInTransaction: Bool { database.isInTransaction }

  func takeLock() throws(DatabaseError) -> Bool {
    try bug == .lockless ? true : database.takeLock()
  }
  func releaseLock() throws(DatabaseError) { try database.releaseLock() }
  func lockOwner() throws(DatabaseError) -> String? { try database.lockOwner() }

  func keepCopy() throws(DatabaseError) -> String? { try database.keepCopy() }
  func scratchCopy() throws(DatabaseError) -> any ChangelogDatabase { try database.scratchCopy() }
  func state(without tables: Set<String>) throws(DatabaseError) -> DatabaseState {
    try database.state(without: tables)
  }
  func schemaStatements(without tables: Set<String>) throws(DatabaseError) -> [String] {
    try database.schemaStatements(without: tables)
  }
  func close() { database.close() }
}
