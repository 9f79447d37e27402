import CSQLite

/// A connection to a database file, with the statements that were prepared on it.
///
/// *Thread*: one at a time; whoever holds it sees to that (the gate of writes, the pool of reads). So it
/// is unchecked: it goes from thread to thread, and has no lock of its own.
package final class DatabaseConnection: @unchecked Sendable {
  /// The database file.
  package let path: String
  @usableFromInline package let handle: OpaquePointer
  /// What SQLite asks for the files of a disk other than the system's.
  private let vfs: DiskVFS?
  /// Whether other files of the process must leave this one alone: see `OpenDatabases`.
  private let isNoted: Bool
  private var isClosed = false
  private var statements: [String: Statement] = [:]

  /// Opens a file, and makes it where `mayCreate`.
  package init(
    path: String, on disk: any Disk, mayCreate: Bool = false, checksums: Bool = true,
    readOnly: Bool = false
  ) throws(StoreError) {
    self.path = path
    let vfsName: String?
    isNoted = disk is SystemDisk
    if isNoted {
      vfs = nil
      vfsName = checksums ? REUNION_CHECKSUM_VFS : nil
      let registered = reunion_checksum_vfs_register(nil, REUNION_CHECKSUM_VFS)
      guard registered == SQLITE_OK else {
        throw StoreError(.unexpected, "SQLite could not be started.", underlying: "\(registered)")
      }
    } else {
      let diskVFS = try DiskVFS.on(disk)
      vfs = diskVFS
      vfsName = checksums ? diskVFS.checksumName : diskVFS.name
    }
    var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    if mayCreate { flags |= SQLITE_OPEN_CREATE }
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(path, &opened, flags, vfsName)
    guard status == SQLITE_OK, let opened else {
      let message = String(cString: sqlite3_errstr(status))
      let system = opened.map { sqlite3_system_errno($0) } ?? 0
      sqlite3_close_v2(opened)
      throw StoreError(sqlite: status, system: system, message: message, path: path)
    }
    handle = opened
    if isNoted { OpenDatabases.add(path) }
    try check(sqlite3_busy_timeout(handle, 5000))
    try check(reunion_set_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1))
    try check(reunion_set_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0))
    try execute("PRAGMA cell_size_check = ON")
    if vfs != nil { try execute("PRAGMA temp_store = MEMORY") }
    if readOnly { try execute("PRAGMA query_only = ON") }
  }

  deinit { close() }

  /// Closes the connection and its statements; again it does nothing.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    for statement in statements.values { statement.finalize() }
    statements = [:]
    // With statements finalized it cannot fail; otherwise the handle goes when the last one does.
    sqlite3_close_v2(handle)
    if isNoted { OpenDatabases.remove(path) }
  }

  /// Takes the whole log into the file, and closes the connection: the file alone then holds everything, and may
  /// get another name.
  ///
  /// SQLite tries the same when the last connection closes, and tells nobody if it fails.
  package func closeTakingLog() throws(StoreError) {
    guard try number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
      throw StoreError(
        .inUse, "Another program has \(path) open: close it there, then try again.")
    }
    close()
  }

  /// Whether the log stays as it is when this connection, the last, is closed.
  package func keepLogOnClose(_ isKept: Bool) throws(StoreError) {
    try check(reunion_set_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isKept ? 1 : 0))
  }

  /// Whether it alone writes: then it keeps the locks of who writes and of who takes the log into
  /// the database between transactions, and others that try are told that the database is locked.
  /// Only once it has read. Without checksums it does nothing.
  package func keepLocks(_ isKept: Bool) {
    var flag: Int32 = isKept ? 1 : 0
    // The VFS below may not know of it; then the locks come and go with each transaction.
    _ = sqlite3_file_control(handle, "main", REUNION_KEEP_LOCKS, &flag)
  }

  /// Reserves room for checksums on the pages of a new database.
  package func reserveChecksums() throws(StoreError) {
    try check(reunion_reserve_checksums(handle))
  }

  /// Calls a closure with SQLite's handle.
  package func withHandle(_ body: (OpaquePointer) throws(StoreError) -> Void) throws(StoreError) {
    try body(handle)
  }

  /// How many rows the last statement that wrote has changed.
  @inlinable package var changeCount: Int32 { sqlite3_changes(handle) }

  /// Whether a transaction is under way.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs SQL that takes no values and gives none.
  package func execute(_ sql: String) throws(StoreError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Runs SQL that takes no values and gives none, and that is run often.
  @inlinable package func run(_ sql: String) throws(StoreError) { try statement(sql).run() }

  /// The statement of some SQL, prepared at its first use and kept; it stands at its start.
  package func statement(_ sql: String) throws(StoreError) -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      return statement
    }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// A statement that is not kept here: its holder releases it before the connection closes.
  package func prepare(_ sql: String) throws(StoreError) -> Statement {
    guard !isClosed else { throw StoreError(.closed, "The store at \(path) was closed.") }
    var prepared: OpaquePointer?
    try check(
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
    guard let prepared else { throw StoreError(.unexpected, "There is no statement in: \(sql)") }
    return Statement(prepared, connection: self)
  }

  /// The whole number that some SQL gives, `nil` where it gives no row.
  package func number(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int(0) : nil
  }

  /// Runs a closure in a transaction: all of it is on the disk when this returns, or nothing is.
  @inlinable package func transaction<Success>(
    _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    try execute(begin)
    do throws(StoreError) {
      let success = try body()
      try execute("COMMIT")
      return success
    } catch {
      try rollBack(after: error)
      throw error
    }
  }

  /// Rolls back what an error left; throws that error as `ioFailed` where even this fails.
  package func rollBack(after error: StoreError) throws(StoreError) {
    for statement in statements.values { statement.reset() }
    guard isInTransaction else { return }
    do throws(StoreError) {
      try execute("ROLLBACK")
    } catch let failure {
      throw StoreError(.ioFailed, error.message, underlying: failure.description)
    }
  }

  /// Throws the error of a status other than success.
  @inlinable package func check(_ status: Int32) throws(StoreError) {
    guard status != SQLITE_OK else { return }
    throw failure(status)
  }

  /// The error of a status.
  package func failure(_ status: Int32) -> StoreError {
    let isIO = status & 0xff == SQLITE_IOERR || status & 0xff == SQLITE_CANTOPEN
    return StoreError(
      sqlite: status, system: isIO ? sqlite3_system_errno(handle) : 0,
      message: String(cString: sqlite3_errmsg(handle)), path: path)
  }

  /// The error of bytes that this library did not write.
  package func damaged(_ what: String) -> StoreError { Statement.damaged(path: path, what) }
}
