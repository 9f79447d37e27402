import ReunionChangelog

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A database that does what it is asked, but for one seeded bug.
final class BuggyDatabase: ChangelogDatabase {
  private let database: any ChangelogDatabase
  private let bug: String
  private var remembered: [String: [[String?]]] = [:]

  init(_ database: any ChangelogDatabase, bug: String) {
    self.database = database
    self.bug = bug
  }

  var dialect: Dialect { database.dialect }
  var name: String { database.name }
  var session: String { database.session }

  func execute(_ statement: ArraySlice<UInt8>) throws(DatabaseError) {
    // Steps outside of a transaction are recorded only once they are done.
    if bug == "late-steps",
      String(decoding: statement, as: UTF8.self).contains("REUNION_CHANGELOG_STEP")
    {
      return
    }
    try database.execute(statement)
  }

  func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]] {
    // The history is not read again once the lock is there.
    guard bug == "stale-history",
      statement.contains("FROM DATABASECHANGELOG ORDER BY") || !values.isEmpty
    else { return try database.query(statement, values) }
    let key = statement + values.map { $0 ?? "" }.joined()
    if let rows = remembered[key] { return rows }
    let rows = try database.query(statement, values)
    remembered[key] = rows
    return rows
  }

  /// Whether a changeset and its row are in one transaction.
  private var isWhole: Bool { bug != "no-transaction" }
  private var isPretended = false

  func begin() throws(DatabaseError) {
    if isWhole { try database.begin() } else { isPretended = true }
  }

  func commit() throws(DatabaseError) {
    if isWhole { try database.commit() } else { isPretended = false }
  }

  func rollBack() throws(DatabaseError) {
    isPretended = false
    try database.rollBack()
  }

  var isInTransaction: Bool { isPretended || database.isInTransaction }

  func takeLock() throws(DatabaseError) -> Bool {
    switch bug {
    // Everybody believes to have it.
    case "no-lock": return true
    // A file that nobody removes when its process dies.
    case "lasting-lock":
      return LastingLock.take(name.dropFirst("sqlite:".count) + ".lasting")
    default: return try database.takeLock()
    }
  }

  func releaseLock() throws(DatabaseError) {
    if bug == "lasting-lock" { LastingLock.release(name.dropFirst("sqlite:".count) + ".lasting") }
    try database.releaseLock()
  }

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

/// A lock that a process takes along into its grave.
private enum LastingLock {
  static func take(_ path: Substring) -> Bool {
    let opened = open(String(path), O_CREAT | O_EXCL | O_WRONLY, 0o644)
    guard opened >= 0 else { return false }
    close(opened)
    return true
  }

  static func release(_ path: Substring) { unlink(String(path)) }
}
