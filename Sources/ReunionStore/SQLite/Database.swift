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
    try checkHeader(isExpected: isExpected)
    let connection = try Connection(
      path: path, on: options.disk, mayCreate: true, checksums: options.checksums)
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
        for table in DatabaseSchema.laterTables { try connection.execute(table) }
      }
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
      path: path, on: options.disk, checksums: options.checksums, readOnly: readOnly)
    if !readOnly { try configure(connection) }
    return connection
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

  private func create(_ connection: Connection) throws(StoreError) {
    try connection.execute("PRAGMA synchronous = EXTRA")
    try connection.reserveChecksums()
    try connection.transaction { () throws(StoreError) in
      try connection.execute("PRAGMA application_id = \(DatabaseSchema.applicationID)")
      try connection.execute("PRAGMA user_version = \(DatabaseSchema.version)")
      for table in DatabaseSchema.tables + Table(entity: 0, columns: []).create {
        try connection.execute(table)
      }
    }
    let mode = try connection.statement("PRAGMA journal_mode = WAL")
    guard try mode.step(), mode.text(0) == "wal" else {
      throw StoreError(
        .notWritable, "\(path) is on a disk that cannot hold a store: choose a local folder.",
        underlying: "no write-ahead log")
    }
    mode.reset()
  }

  private func configure(_ connection: Connection) throws(StoreError) {
    let isFull = options.durability == .full
    try connection.execute("PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
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
    guard version == DatabaseSchema.version else { throw damaged("the version is \(version)") }
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
    guard header[16] == 0x10, header[17] == 0, header[20] == DatabaseSchema.reservedBytes
    else { throw damaged("its pages have no checksums") }
  }

  private func damaged(_ detail: String) -> StoreError { Self.damaged(path, detail) }

  private static func damaged(_ path: String, _ detail: String) -> StoreError {
    StoreError(
      .damaged,
      "\(path) is damaged or no store: keep the file, and restore it from a backup or another"
        + " replica.", underlying: detail)
  }
}
