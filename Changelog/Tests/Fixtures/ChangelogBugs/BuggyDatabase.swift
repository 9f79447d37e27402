import Foundation
import ReunionChangelog

/// A database that does not do one of the things on which updates rely.
final class BuggyDatabase: ChangelogDatabase {
  enum Bug: String {
    /// Each statement is committed by itself, so that a kill leaves half a changeset.
    case half
    /// Everybody has the lock.
    case lockless
    /// The lock is a file that nobody removes when its process dies.
    case lasting
    /// The history is not read again once there is the lock.
    case forgetful
    /// What runs outside of a transaction is not written down before it does.
    case unwritten
  }

  private let database: any ChangelogDatabase
  private let bug: Bug
  private var remembered: [String: [[String?]]] = [:]
  private var isPretended = false

  init(_ database: any ChangelogDatabase, _ bug: Bug) {
    self.database = database
    self.bug = bug
  }

  var dialect: Dialect { database.dialect }
  var name: String { database.name }
  var session: String { database.session }
  var historySchema: String? { database.historySchema }

  func execute(_ statement: ArraySlice<UInt8>) throws(DatabaseError) {
    if bug == .unwritten,
      String(decoding: statement, as: UTF8.self).contains("REUNION_CHANGELOG_STEP")
    {
      return
    }
    try database.execute(statement)
  }

  func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]] {
    let readsHistory = statement.hasPrefix("SELECT") && statement.contains("ORDEREXECUTED")
    // Whether there is a history at all is a part of it.
    guard bug == .forgetful, readsHistory || values.first == "DATABASECHANGELOG" else {
      return try database.query(statement, values)
    }
    if let rows = remembered[statement] { return rows }
    let rows = try database.query(statement, values)
    remembered[statement] = rows
    return rows
  }

  func begin() throws(DatabaseError) {
    if bug == .half { isPretended = true } else { try database.begin() }
  }

  func commit() throws(DatabaseError) {
    if bug == .half { isPretended = false } else { try database.commit() }
    if bug == .lockless {
      pause(for: .milliseconds(20), because: "others come in between, as on a busy machine")
    }
  }

  func rollBack() throws(DatabaseError) {
    isPretended = false
    try database.rollBack()
  }

  var isInTransaction: Bool { isPretended || database.isInTransaction }

  func currentTransaction() throws(DatabaseError) -> String? {
    // Without a transaction every statement has its own.
    bug == .half ? nil : try database.currentTransaction()
  }

  func takeLock() throws(DatabaseError) -> Bool {
    switch bug {
    case .lockless: true
    case .lasting: open(lastingPath, O_CREAT | O_EXCL | O_WRONLY, 0o644) >= 0
    default: try database.takeLock()
    }
  }

  func releaseLock() throws(DatabaseError) {
    if bug == .lasting { unlink(lastingPath) }
    try database.releaseLock()
  }

  private var lastingPath: String { name.dropFirst("sqlite:".count) + ".lasting" }

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
