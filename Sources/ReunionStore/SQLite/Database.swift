import ReunionCore

/// The database file of a store: made, checked and opened.
///
/// *Errors*: a file of a newer version, of something else or with damage is reported and left as it
/// is. *Durability*: a new database is made and switched to write-ahead logging under
/// `synchronous = EXTRA`; without that a power cut can bring the deleted rollback journal back.
struct Database: Sendable {
  let path: String
  let options: StoreOptions

  /// Opens the file to write, and makes it where there is none. Where a store `isExpected`, because
  /// one was here before, a lost file is damage.
  func open(isExpected: Bool) throws(StoreError) -> Connection {
    do throws(StoreError) {
      try checkHeader(isExpected: isExpected)
    } catch {
      guard try settleLog() else { throw error }
      try checkHeader(isExpected: isExpected)
    }
    if options.durability == .full { try Self.checkLog(of: path, on: options.disk) }
    if options.checksums { try ChecksumUpgrade(path: path, options: options).run() }
    let connection = try Connection(
      path: path, on: options.disk, mayCreate: true, checksums: options.checksPages)
    do throws(StoreError) {
      try connection.keepLogOnClose(true)
      try connection.execute("PRAGMA page_size = \(DatabaseSchema.pageBytes)")
      let version = try connection.number("PRAGMA user_version") ?? 0
      let application = try connection.number("PRAGMA application_id") ?? 0
      let tables = try connection.number("SELECT count(*) FROM sqlite_schema") ?? 0
      if version == 0, application == 0, tables == 0, !isExpected {
        try create(connection)
      } else {
        try check(version: version, application: application)
        if version < DatabaseSchema.version {
          try connection.transaction { () throws(StoreError) in
            try DatabaseSchema.upgrade(connection, from: version)
          }
        }
        for table in DatabaseSchema.laterTables { try connection.execute(table) }
      }
      try useLog(connection)
      try configure(connection)
      try connection.keepLogOnClose(false)
    } catch {
      connection.close()
      throw error
    }
    return connection
  }

  /// Opens the file anew, after a failure or for reads.
  func reopen(readOnly: Bool = false) throws(StoreError) -> Connection {
    let connection = try Connection(
      path: path, on: options.disk, checksums: options.checksPages, readOnly: readOnly)
    if options.isReadOnly { try connection.keepLogOnClose(true) }
    if !readOnly { try configure(connection) }
    return connection
  }

  /// Opens the file as it is, for reads alone: nothing is checked before it is read.
  func openToRead() throws(StoreError) -> Connection {
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
  static func verify(_ connection: Connection) throws(StoreError) {
    let statement = try connection.statement("PRAGMA quick_check(1)")
    defer { statement.reset() }
    guard try statement.step(), statement.text(0) == "ok" else {
      throw damaged(connection.path, "quick_check: \(statement.text(0))")
    }
  }

  /// Throws unless this version can read the file.
  func checkVersion(_ connection: Connection) throws(StoreError) {
    try check(
      version: try connection.number("PRAGMA user_version") ?? 0,
      application: try connection.number("PRAGMA application_id") ?? 0)
  }

  /// Throws where the log was damaged: SQLite would drop what was committed, and not tell.
  static func checkLog(of path: String, on disk: any Disk) throws(StoreError) {
    guard try LogCheck.isWhole(path + "-wal", on: disk) else {
      throw damaged(path, "the write-ahead log is broken in the middle")
    }
  }

  private func create(_ connection: Connection) throws(StoreError) {
    try makeDurable(connection)
    if options.checksums { try connection.reserveChecksums() }
    try connection.transaction { () throws(StoreError) in
      try connection.execute("PRAGMA application_id = \(DatabaseSchema.applicationID)")
      try connection.execute("PRAGMA user_version = \(DatabaseSchema.version)")
      for table in DatabaseSchema.tables + [Table(entity: 0, columns: []).create] {
        try connection.execute(table)
      }
    }
  }

  /// Has the database write ahead to a log from now on, where it does not yet: a new one, or one
  /// whose making was broken off.
  private func useLog(_ connection: Connection) throws(StoreError) {
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

  /// For what is written before there is a log: without that, a power cut brings a journal back.
  private func makeDurable(_ connection: Connection) throws(StoreError) {
    try connection.execute("PRAGMA synchronous = EXTRA")
  }

  private func configure(_ connection: Connection) throws(StoreError) {
    let isFull = options.durability == .full && !options.seededBugs.contains(.logSyncedLate)
    try connection.execute("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    if options.seededBugs.contains(.databaseNotSynced) {
      try connection.execute("PRAGMA synchronous = OFF")
    }
    if options.seededBugs.contains(.commitStaysGathered) { try connection.gatherCommits() }
    try connection.execute("PRAGMA wal_autocheckpoint = \(options.checkpointPages)")
    try connection.execute("PRAGMA cache_size = -\(DatabaseSchema.writerCacheKibibytes)")
    connection.keepWriteLock(true)
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

  /// Has SQLite take back or take over what a log beside the file holds, as after a power cut that
  /// tore the header; false where there is no log.
  private func settleLog() throws(StoreError) -> Bool {
    var isLog = false
    for end in ["-journal", "-wal"] where try options.disk.byteCount(path + end) ?? 0 > 0 {
      isLog = true
    }
    guard isLog, try options.disk.exists(path) else { return false }
    let connection = try Connection(path: path, on: options.disk, checksums: options.checksPages)
    defer { connection.close() }
    _ = try connection.number("SELECT count(*) FROM sqlite_schema")
    _ = try connection.number("PRAGMA wal_checkpoint(TRUNCATE)")
    return true
  }

  /// Looks at the header before SQLite does: it alone says whether pages carry checksums.
  private func checkHeader(isExpected: Bool) throws(StoreError) {
    guard let byteCount = try options.disk.byteCount(path), byteCount > 0 else {
      guard !isExpected else { throw damaged("the file is missing or empty") }
      return
    }
    let header = try options.disk.open(path, .reading).read(at: 0, count: 100)
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw damaged("it does not begin as a database does")
    }
    let isChecked = header[20] == DatabaseSchema.reservedBytes
    guard header[16] == 0x10, header[17] == 0, isChecked || header[20] == 0 else {
      throw damaged("its pages are not those of a store")
    }
  }

  private func damaged(_ detail: String) -> StoreError { Self.damaged(path, detail) }

  private static func damaged(_ path: String, _ detail: String) -> StoreError {
    StoreError(
      .damaged,
      StoreError.damageSentence(path), underlying: detail)
  }
}
