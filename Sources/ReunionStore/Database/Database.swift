import ReunionCore
package import ReunionDisk

/// The database file of a store: made, checked and opened.
///
/// *Errors*: a file of a newer version, of something else or with damage is reported and left as it
/// is. *Durability*: a new database is made and switched to write-ahead logging under
/// `synchronous = EXTRA`; without that a power cut can bring the deleted rollback journal back.
package struct Database: Sendable {
  package let path: String
  package let options: StoreOptions

  package init(path: String, options: StoreOptions) {
    self.path = path
    self.options = options
  }

  /// Opens the file to write, and makes it if it does not exist. Where a store `isExpected`,
  /// because one was here before, a lost file is damage.
  package func open(isExpected: Bool) throws(StoreError) -> DatabaseConnection {
    let connection: DatabaseConnection
    do throws(StoreError) {
      connection = try openChecked(isExpected: isExpected)
    } catch {
      guard try settleLog() else { throw error }
      connection = try openChecked(isExpected: isExpected)
    }
    do throws(StoreError) {
      try connection.execute("PRAGMA page_size = \(DatabasePages.byteCount)")
      let version = try connection.number("PRAGMA user_version") ?? 0
      let application = try connection.number("PRAGMA application_id") ?? 0
      let tables = try connection.number("SELECT count(*) FROM sqlite_schema") ?? 0
      if version == 0, application == 0, tables == 0, !isExpected {
        try create(connection)
      } else {
        try check(version: version, application: application)
        try checkLog(connection)
      }
      try useLog(connection)
      try DurabilityMode(connection).change(to: options.durability)
      try configure(connection)
      try connection.keepLogOnClose(false)
    } catch {
      connection.close()
      throw error
    }
    return connection
  }

  /// Opens the file anew, after a failure or for reads.
  func reopen(readOnly: Bool = false) throws(StoreError) -> DatabaseConnection {
    let connection = try DatabaseConnection(
      path: path, on: options.disk, checksums: options.checksPages, readOnly: readOnly)
    if options.isReadOnly { try connection.keepLogOnClose(true) }
    if !readOnly { try configure(connection) }
    return connection
  }

  /// Opens the file as it is, for reads alone: nothing is checked before it is read.
  func openToRead() throws(StoreError) -> DatabaseConnection {
    guard try options.disk.byteCount(path) ?? 0 > 0 else {
      throw StoreError(.notFound, "There is no store at \(path): name the folder that has one.")
    }
    let connection = try reopen(readOnly: true)
    do throws(StoreError) {
      try checkVersion(connection)
      return connection
    } catch {
      connection.close()
      throw error
    }
  }

  /// Throws unless every page and every table is as it should be. Cost: reads the whole file.
  package static func verify(_ connection: DatabaseConnection) throws(StoreError) {
    let statement = try connection.statement("PRAGMA quick_check(1)")
    defer { statement.reset() }
    guard try statement.step(), statement.text(0) == "ok" else {
      let found = "quick_check: \(statement.text(0))"
      guard !found.contains("error code=\(SQLiteIOError.data)") else {
        throw StoreError(
          .damaged, StoreError.foreignSentence(connection.path), underlying: found)
      }
      throw damaged(connection.path, found)
    }
  }

  /// Copies a database's file and its log as they lie there, damaged or not. No store may have it
  /// open.
  package static func copyFiles(
    _ path: String, to target: String, on disk: any Disk
  ) throws(StoreError) {
    for end in ["-wal", "-journal"] where try disk.exists(path + end) {
      let source = try disk.open(path + end, .reading)
      try source.copy(to: disk.open(target + end, .creating))
    }
    let connection = try DatabaseConnection(path: path, on: disk, checksums: false)
    defer { connection.close() }
    try connection.copyFile(to: disk.open(target, .creating))
  }

  /// Removes a database's file and what SQLite keeps beside it.
  package static func removeFiles(_ path: String, on disk: any Disk) throws(StoreError) {
    for end in ["", "-wal", "-shm", "-journal"] { try disk.remove(path + end) }
  }

  /// Throws unless this version can read the file.
  package func checkVersion(_ connection: DatabaseConnection) throws(StoreError) {
    try check(
      version: try connection.number("PRAGMA user_version") ?? 0,
      application: try connection.number("PRAGMA application_id") ?? 0)
  }

  /// Throws where the log was damaged: SQLite would drop what was committed, and not tell. A log
  /// that was written under `normal` may be torn anywhere.
  package static func checkLog(_ connection: DatabaseConnection, on disk: any Disk)
    throws(StoreError)
  {
    guard try DurabilityMode(connection).current() == .full else { return }
    try checkWhole(connection.path, on: disk)
  }

  private func checkLog(_ connection: DatabaseConnection) throws(StoreError) {
    guard options.seededBugs.logModeNotKept else {
      return try Self.checkLog(connection, on: options.disk)
    }
    if options.durability == .full { try Self.checkWhole(path, on: options.disk) }
  }

  private static func checkWhole(_ path: String, on disk: any Disk) throws(StoreError) {
    guard try LogCheck.isWhole(path + "-wal", on: disk) else {
      throw damaged(path, "the write-ahead log is broken in the middle")
    }
  }

  private func create(_ connection: DatabaseConnection) throws(StoreError) {
    try makeDurable(connection)
    if options.checksums { try connection.reserveChecksums() }
    try connection.transaction { () throws(StoreError) in
      try connection.execute("PRAGMA application_id = \(DatabaseSchema.applicationID)")
      try connection.execute("PRAGMA user_version = \(DatabaseSchema.version)")
      for table in DatabaseSchema.tables + [Table(entity: 0, columns: []).create] {
        try connection.execute(table)
      }
      try DurabilityMode(connection).note(options.durability)
      try PositionKey.make(options.random, connection)
    }
  }

  /// Has the database write ahead to a log from now on, where it does not yet: a new one, or one
  /// whose making was broken off.
  private func useLog(_ connection: DatabaseConnection) throws(StoreError) {
    for sql in ["PRAGMA journal_mode", "PRAGMA journal_mode = WAL"] {
      let mode = try connection.statement(sql)
      defer { mode.reset() }
      if try mode.step(), mode.text(0) == "wal" { return }
      try makeDurable(connection)
    }
    throw StoreError(
      .notWritable, "\(path) is on a disk that cannot hold a store: choose a local folder.",
      underlying: "no write-ahead log")
  }

  /// Makes durable what is written before there is a log; otherwise a power cut brings a journal
  /// back.
  private func makeDurable(_ connection: DatabaseConnection) throws(StoreError) {
    try connection.execute("PRAGMA synchronous = EXTRA")
  }

  private func configure(_ connection: DatabaseConnection) throws(StoreError) {
    let isNormal = try DurabilityMode(connection).current() == .normal
    let isFull = options.durability == .full || !isNormal
    try connection.execute("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    try connection.execute("PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
    try connection.execute("PRAGMA cache_size = -\(options.writerCacheKibibytes)")
    // The locks are those of the log, which the first read opens.
    _ = try connection.number("SELECT count(*) FROM sqlite_schema")
    connection.keepLocks(true)
    #if canImport(Darwin)
      try connection.execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    #endif
  }

  private func check(version: Int64, application: Int64) throws(StoreError) {
    guard application == DatabaseSchema.applicationID else {
      throw damaged("the application id is \(application)")
    }
    guard version <= DatabaseSchema.version else {
      throw StoreError(
        .newerVersion,
        "\(path) was written by a newer version (\(version)): update this program to open it.")
    }
    guard version >= 1 else { throw damaged("the version is \(version)") }
  }

  /// Makes SQLite take back or take over what a log beside the file holds; false if there is no
  /// log. A header that a power cut tore needs this, for example.
  private func settleLog() throws(StoreError) -> Bool {
    var isLog = false
    for end in ["-journal", "-wal"] where try options.disk.byteCount(path + end) ?? 0 > 0 {
      isLog = true
    }
    guard isLog, try options.disk.exists(path) else { return false }
    let connection = try DatabaseConnection(
      path: path, on: options.disk, checksums: options.checksPages)
    defer { connection.close() }
    _ = try connection.number("SELECT count(*) FROM sqlite_schema")
    _ = try connection.number("PRAGMA wal_checkpoint(TRUNCATE)")
    return true
  }

  /// Opens the file, and looks at its header before SQLite does: it alone says whether pages carry
  /// checksums. The file is read by SQLite's descriptor: see `OpenDatabases`.
  private func openChecked(isExpected: Bool) throws(StoreError) -> DatabaseConnection {
    let isThere = try options.disk.byteCount(path) ?? 0 > 0
    guard isThere || !isExpected else { throw damaged("the file is missing or empty") }
    let connection = try DatabaseConnection(
      path: path, on: options.disk, mayCreate: !isThere, checksums: options.checksPages)
    do throws(StoreError) {
      try connection.keepLogOnClose(true)
      if isThere { try checkHeader(connection) }
      return connection
    } catch {
      connection.close()
      throw error
    }
  }

  private func checkHeader(_ connection: DatabaseConnection) throws(StoreError) {
    let header = try connection.readFile(at: 0, count: 100)
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw damaged("it does not begin as a database does")
    }
    guard header[16] == 0x10, header[17] == 0 else {
      throw damaged("its pages are not those of a store")
    }
    guard header[20] == (options.checksums ? DatabasePages.reservedBytes : 0) else {
      throw StoreError(
        .damaged, StoreError.foreignSentence(path), underlying: "its pages have no checksums")
    }
  }

  private func damaged(_ detail: String) -> StoreError { Self.damaged(path, detail) }

  private static func damaged(_ path: String, _ detail: String) -> StoreError {
    StoreError(
      .damaged,
      StoreError.damageSentence(path), underlying: detail)
  }
}
