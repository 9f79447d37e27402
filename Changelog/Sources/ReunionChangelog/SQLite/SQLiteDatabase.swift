import CChangelogSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file of SQLite that a changelog changes.
package final class SQLiteDatabase: ChangelogDatabase {
  package let dialect = Dialect.sqlite
  package let name: String
  package let historySchema: String? = nil
  package let session = "pid=\(getpid())"
  let handle: SQLiteHandle
  private let lock: FileLock?
  /// Whether the file goes with the connection.
  private let isScratch: Bool

  /// Opens a file, and makes it where `mayCreate`; `:memory:` is a database of this connection alone.
  package convenience init(_ path: String, mayCreate: Bool) throws(DatabaseError) {
    try self.init(path, mayCreate: mayCreate, isScratch: false)
  }

  private init(_ path: String, mayCreate: Bool, isScratch: Bool) throws(DatabaseError) {
    guard !path.isEmpty else {
      throw DatabaseError("the name of the file is empty", code: "14", isDisconnected: true)
    }
    name = "sqlite:\(path)"
    self.isScratch = isScratch
    handle = try SQLiteHandle(path, mayCreate: mayCreate)
    // The real name, so that all links to the file lead to the same lock.
    let file = sqlite3_db_filename(handle.pointer, "main").map { String(cString: $0) } ?? ""
    var real = file
    if !file.isEmpty, let resolved = realpath(file, nil) {
      real = String(cString: resolved)
      free(resolved)
    }
    lock = file.isEmpty || isScratch ? nil : FileLock(path: real + "-changelog-lock")
    // Reads a page, so that what is no database is told here.
    do throws(DatabaseError) {
      _ = try handle.query("SELECT count(*) FROM sqlite_schema", [])
    } catch  where error.code == "26" {
      throw DatabaseError("the file is not a database", code: error.code, isDisconnected: true)
    }
  }

  package func close() {
    lock?.release()
    handle.close()
    guard isScratch, handle.path != ":memory:" else { return }
    for ending in ["", "-journal", "-wal", "-shm"] { unlink(handle.path + ending) }
  }

  // MARK: Statements

  package func execute(_ statement: ArraySlice<UInt8>) throws(DatabaseError) {
    try handle.execute(statement)
  }

  package func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]]
  {
    try handle.query(statement, values)
  }

  package func begin() throws(DatabaseError) {
    try execute("BEGIN IMMEDIATE")
    // Rows may come before those that they refer to: what counts is how it ends.
    try execute("PRAGMA defer_foreign_keys = ON")
  }
  package func commit() throws(DatabaseError) { try execute("COMMIT") }
  package func rollBack() throws(DatabaseError) {
    if isInTransaction { try execute("ROLLBACK") }
  }

  package var isInTransaction: Bool { sqlite3_get_autocommit(handle.pointer) == 0 }

  package func currentTransaction() -> String? { nil }

  // MARK: The real lock

  package func takeLock() throws(DatabaseError) -> Bool { try lock?.take(session) ?? true }
  package func releaseLock() { lock?.release() }
  package func lockOwner() -> String? { lock?.owner() }

  // MARK: Copies and proofs

  package func keepCopy() throws(DatabaseError) -> String? {
    guard let lock else { return nil }
    let file = String(lock.path.dropLast("-changelog-lock".count))
    let stamp = try handle.query("SELECT strftime('%Y%m%d-%H%M%S', 'now')", []).first?.first ?? nil
    var path = "\(file).before-rollback-\(stamp ?? "")"
    var number = 1
    while access(path, F_OK) == 0 {
      number += 1
      path = "\(file).before-rollback-\(stamp ?? "")-\(number)"
    }
    // Nobody takes half a copy for one.
    let draft = path + ".part"
    unlink(draft)
    do throws(DatabaseError) {
      try handle.copy(to: draft)
    } catch {
      unlink(draft)
      throw error
    }
    guard rename(draft, path) == 0 else {
      throw DatabaseError(
        "the copy \(path) could not be named: \(String(cString: strerror(errno)))", code: "\(errno)"
      )
    }
    return path
  }

  package func scratchCopy() throws(DatabaseError) -> any ChangelogDatabase {
    guard let lock else {
      let copy = try SQLiteDatabase(":memory:", mayCreate: true, isScratch: true)
      try handle.copyContent(to: copy.handle)
      return copy
    }
    let path = lock.path.dropLast("-changelog-lock".count) + "-changelog-scratch"
    for ending in ["", "-journal", "-wal", "-shm"] { unlink(path + ending) }
    try handle.copy(to: String(path))
    return try SQLiteDatabase(String(path), mayCreate: false, isScratch: true)
  }
}
