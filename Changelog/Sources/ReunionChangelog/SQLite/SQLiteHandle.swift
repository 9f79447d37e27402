import CChangelogSQLite

/// A connection to a file of SQLite as it is on any machine: neither the store's checksums nor its
/// settings are on it.
final class SQLiteHandle {
  let path: String
  let pointer: OpaquePointer
  private var isClosed = false

  /// Opens a file, and makes it where `mayCreate`.
  init(_ path: String, mayCreate: Bool) throws(DatabaseError) {
    self.path = path
    var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    if mayCreate { flags |= SQLITE_OPEN_CREATE }
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(path, &opened, flags, nil)
    guard status == SQLITE_OK, let opened else {
      let message = String(cString: sqlite3_errstr(status))
      sqlite3_close_v2(opened)
      throw DatabaseError(message, code: "\(status)", isDisconnected: true)
    }
    pointer = opened
    sqlite3_busy_timeout(pointer, 10_000)
    // As applications have it: a row refers to one that is there.
    try execute(Array("PRAGMA foreign_keys = ON".utf8)[...])
  }

  deinit { close() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    sqlite3_close_v2(pointer)
  }

  /// What SQLite says of the last call. `base` is where in the whole text that call's text began.
  func failure(base: Int = 0) -> DatabaseError {
    let offset = Int(sqlite3_error_offset(pointer))
    return DatabaseError(
      String(cString: sqlite3_errmsg(pointer)), code: "\(sqlite3_extended_errcode(pointer))",
      offset: offset >= 0 ? base + offset : nil)
  }

  func check(_ status: Int32) throws(DatabaseError) {
    guard status == SQLITE_OK else { throw failure() }
  }

  /// Runs all statements of a text. Where one ends the transaction in which the text began, those
  /// behind it are not run.
  func execute(_ text: ArraySlice<UInt8>) throws(DatabaseError) {
    guard !isClosed else { throw Self.closed }
    var failed: DatabaseError?
    let isInTransaction = sqlite3_get_autocommit(pointer) == 0
    text.withUnsafeBytes { bytes in
      let start = bytes.bindMemory(to: CChar.self)
      var at = 0
      while at < start.count, failed == nil {
        guard let base = start.baseAddress else { return }
        var prepared: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let status = sqlite3_prepare_v2(
          pointer, base + at, Int32(clamping: start.count - at), &prepared, &tail)
        guard status == SQLITE_OK else {
          failed = failure(base: at)
          return
        }
        let next = tail.map { $0 - base } ?? start.count
        // Only comments and blanks were left.
        guard let prepared else { return }
        if at > 0, isInTransaction, sqlite3_get_autocommit(pointer) != 0 {
          sqlite3_finalize(prepared)
          failed = DatabaseError("the text ended its transaction", code: "1", offset: at)
          return
        }
        var step = SQLITE_ROW
        while step == SQLITE_ROW { step = sqlite3_step(prepared) }
        if step != SQLITE_DONE { failed = failure(base: at) }
        sqlite3_finalize(prepared)
        at = next
      }
    }
    if let failed { throw failed }
  }

  private static let closed = DatabaseError(
    "the connection was closed", code: "0", isDisconnected: true)

  /// A prepared statement with its values, which is released when the closure returns.
  private func prepared<Value>(
    _ statement: String, _ values: [String?],
    _ body: (OpaquePointer) throws(DatabaseError) -> Value
  ) throws(DatabaseError) -> Value {
    guard !isClosed else { throw Self.closed }
    var prepared: OpaquePointer?
    try check(sqlite3_prepare_v2(pointer, statement, -1, &prepared, nil))
    guard let prepared else { throw DatabaseError("there is no statement", code: "0") }
    defer { sqlite3_finalize(prepared) }
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      if let value {
        let bytes = Array(value.utf8)
        try check(changelog_bind_text(prepared, position, bytes, Int32(clamping: bytes.count)))
      } else {
        try check(sqlite3_bind_null(prepared, position))
      }
    }
    return try body(prepared)
  }

  /// The rows of one statement, as text.
  func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]] {
    try prepared(statement, values) { (prepared: OpaquePointer) throws(DatabaseError) in
      var rows: [[String?]] = []
      while true {
        let status = sqlite3_step(prepared)
        guard status == SQLITE_ROW else {
          guard status == SQLITE_DONE else { throw failure() }
          return rows
        }
        rows.append(
          (0..<sqlite3_column_count(prepared)).map { column in
            guard let text = sqlite3_column_text(prepared, column) else { return nil }
            let count = Int(sqlite3_column_bytes(prepared, column))
            return String(
              decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
          })
      }
    }
  }

  /// What SQLite says of a statement that it only reads; nil where it could be run.
  func complaint(of statement: String) -> String? {
    var prepared: OpaquePointer?
    let status = sqlite3_prepare_v2(pointer, statement, -1, &prepared, nil)
    defer { sqlite3_finalize(prepared) }
    return status == SQLITE_OK ? nil : failure().message
  }

  /// The number of rows that a query gives, and a digest of them that their order is not in.
  func digest(_ query: String) throws(DatabaseError) -> DatabaseState.TableState {
    try prepared(query, []) { (prepared: OpaquePointer) throws(DatabaseError) in
      var count = 0
      var sum: (UInt64, UInt64) = (0, 0)
      while true {
        let status = sqlite3_step(prepared)
        guard status == SQLITE_ROW else {
          guard status == SQLITE_DONE else { throw failure() }
          let digest = String(sum.0, radix: 16) + "-" + String(sum.1, radix: 16)
          return DatabaseState.TableState(rowCount: count, digest: digest)
        }
        count += 1
        var row = MD5()
        for column in 0..<sqlite3_column_count(prepared) {
          Self.add(column, of: prepared, to: &row)
        }
        let words = row.words()
        sum = (sum.0 &+ words.0, sum.1 &+ words.1)
      }
    }
  }

  /// A value with its type and its length, so that no two rows are fed as the same bytes.
  private static func add(_ column: Int32, of prepared: OpaquePointer, to row: inout MD5) {
    let type = sqlite3_column_type(prepared, column)
    row.update(UInt8(truncatingIfNeeded: type))
    // The bytes of a number are its text; those of a real are its own.
    var real = sqlite3_column_double(prepared, column)
    if type == SQLITE_FLOAT { return withUnsafeBytes(of: &real) { row.update($0) } }
    let bytes =
      type == SQLITE_BLOB
      ? sqlite3_column_blob(prepared, column)
      : UnsafeRawPointer(sqlite3_column_text(prepared, column))
    let count = Int(sqlite3_column_bytes(prepared, column))
    row.update("\(count):".utf8)
    row.update(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }

  /// Copies the whole database, byte for byte, into a new file.
  func copy(to path: String) throws(DatabaseError) {
    let target = try SQLiteHandle(path, mayCreate: true)
    defer { target.close() }
    try copyContent(to: target)
  }

  /// Copies the whole database into another one, in the place of what is there.
  func copyContent(to target: SQLiteHandle) throws(DatabaseError) {
    guard let backup = sqlite3_backup_init(target.pointer, "main", pointer, "main") else {
      throw target.failure()
    }
    var status = SQLITE_OK
    for _ in 0..<1000 {
      status = sqlite3_backup_step(backup, -1)
      guard status == SQLITE_BUSY || status == SQLITE_LOCKED else { break }
      sqlite3_sleep(10)
    }
    let end = sqlite3_backup_finish(backup)
    guard status == SQLITE_DONE, end == SQLITE_OK else {
      throw status == SQLITE_BUSY
        ? DatabaseError("the database is locked by another program", code: "5") : target.failure()
    }
  }
}
