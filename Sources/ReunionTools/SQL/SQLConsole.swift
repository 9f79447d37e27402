import CSQLite
import ReunionCore
import ReunionDisk
import ReunionStore

/// A connection on which SQL of somebody else may run: it reads the views of a store, and nothing
/// else.
///
/// SQLite asks `SQLRules` for leave while it reads the text. The connection is for one run.
struct SQLConsole {
  /// What one value may have in bytes.
  static let valueBytesMax: Int32 = 16 * 1024 * 1024

  let connection: DatabaseConnection
  let views: [SQLView]
  private let rules: SQLRules

  init(_ connection: DatabaseConnection) throws(StoreError) {
    self.connection = connection
    try connection.keepLogOnClose(true)
    let layout = try Layout(connection)
    views = SQLView.all(layout, try FieldNames(connection))
    rules = SQLRules(views: views.map(\.name))
    try SQLFunctions.register(on: connection)
    for view in views {
      for sql in view.create(secret: rules.secret) { try connection.execute(sql) }
    }
    // They declare themselves at their first use, which the rules would refuse.
    try connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
    try connection.execute("PRAGMA query_only = ON")
    let handle = connection.handle
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueBytesMax)
    sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 256)
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
  }

  /// The console of the store in a folder, which may be in use.
  init(folder: String, on disk: any Disk) throws {
    let path = folder + "/store.sqlite"
    guard try disk.exists(path) else {
      throw StoreError(.notFound, "There is no store in \(folder): name the folder that has one.")
    }
    let connection = try DatabaseConnection(path: path, on: disk)
    try connection.keepLogOnClose(true)
    guard try connection.number("PRAGMA application_id") == DatabaseSchema.applicationID else {
      throw StoreError(.damaged, "\(path) is not a store: name the folder that has one.")
    }
    guard try connection.number("PRAGMA user_version") ?? 0 <= DatabaseSchema.version else {
      throw StoreError(
        .newerVersion, "\(path) was written by a newer version: update this program to read it.")
    }
    try Database.checkLog(connection, on: disk)
    try self.init(connection)
  }

  /// Runs a SELECT.
  func run(
    _ sql: String, _ values: [SQLValue], _ limits: SQLLimits
  ) throws(StoreError) -> SQLRows {
    let watch = SQLWatch(seconds: limits.seconds)
    let handle = connection.handle
    sqlite3_set_authorizer(handle, SQLRules.judge, Unmanaged.passUnretained(rules).toOpaque())
    sqlite3_progress_handler(
      handle, 1000, SQLWatch.look, Unmanaged.passUnretained(watch).toOpaque())
    defer {
      sqlite3_progress_handler(handle, 0, nil, nil)
      sqlite3_set_authorizer(handle, nil, nil)
      withExtendedLifetime((watch, rules)) {}
    }
    let statement = try prepare(sql, watch)
    defer { statement.finalize() }
    try bind(values, to: statement)
    return try read(statement, limits, watch)
  }

  private func prepare(_ sql: String, _ watch: SQLWatch) throws(StoreError) -> Statement {
    guard !sql.utf8.contains(0) else {
      throw StoreError(.invalidSQL, "The SQL has a NUL in it: take it out.")
    }
    var first: OpaquePointer?
    var isMore = false
    let status = sql.withCString { start in
      var tail: UnsafePointer<CChar>?
      let status = sqlite3_prepare_v3(connection.handle, start, -1, 0, &first, &tail)
      if status == SQLITE_OK, let tail {
        // Comments and semicolons may follow.
        var second: OpaquePointer?
        isMore = sqlite3_prepare_v3(connection.handle, tail, -1, 0, &second, nil) != SQLITE_OK
        if second != nil { isMore = true }
        sqlite3_finalize(second)
      }
      return status
    }
    guard status == SQLITE_OK else { throw failure(status, in: sql, watch) }
    guard let first else { throw StoreError(.invalidSQL, "There is no SQL: write a SELECT.") }
    let statement = Statement(first, connection: connection)
    guard sqlite3_stmt_readonly(first) != 0, sqlite3_stmt_isexplain(first) == 0,
      sqlite3_column_count(first) > 0
    else { throw StoreError(.invalidSQL, "Only SELECT is allowed here.") }
    guard !isMore else {
      throw StoreError(.invalidSQL, "There is more than one statement: run one at a time.")
    }
    return statement
  }

  private func bind(_ values: [SQLValue], to statement: Statement) throws(StoreError) {
    let count = Int(sqlite3_bind_parameter_count(statement.handle))
    guard values.count == count else {
      throw StoreError(
        .invalidSQL, "The SQL has \(count) places for values, and \(values.count) were given.")
    }
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      switch value {
      case .null: try statement.bindNull(position)
      case .integer(let value): try statement.bind(position, value)
      case .real(let value): try statement.bind(position, value)
      case .text(let value): try statement.bind(position, text: value)
      case .blob(let value): try statement.bind(position, value)
      }
    }
  }

  private func read(
    _ statement: Statement, _ limits: SQLLimits, _ watch: SQLWatch
  ) throws(StoreError) -> SQLRows {
    let count = sqlite3_column_count(statement.handle)
    var rows = SQLRows(
      columns: (0..<count).map { column in
        sqlite3_column_name(statement.handle, column).map { String(cString: $0) } ?? ""
      })
    var byteCount = 0
    while true {
      let status = sqlite3_step(statement.handle)
      guard status == SQLITE_ROW else {
        if status == SQLITE_DONE { return rows }
        throw failure(status, in: nil, watch)
      }
      let row = (0..<count).map { SQLValue(statement, $0) }
      byteCount += row.reduce(0) { $0 + $1.byteCount }
      guard rows.values.count < limits.rowsMax, byteCount <= limits.bytesMax else {
        throw StoreError(
          .interrupted,
          "The SELECT gives more than \(limits.rowsMax) rows or \(limits.bytesMax) bytes: add a"
            + " LIMIT, or raise the limits of the call.")
      }
      rows.values.append(row)
    }
  }

  /// The error of a status, with SQLite's words and the place in the text.
  private func failure(_ status: Int32, in sql: String?, _ watch: SQLWatch) -> StoreError {
    let words = String(cString: sqlite3_errmsg(connection.handle))
    let offset = Int(sqlite3_error_offset(connection.handle))
    switch status & 0xff {
    case SQLITE_INTERRUPT: return watch.error
    case SQLITE_AUTH:
      return StoreError(
        .invalidSQL, "SQL may only read the views of the model: \(views.map(\.name)).",
        underlying: words)
    case SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_READONLY:
      var place = ""
      if let sql, offset >= 0, offset <= sql.utf8.count {
        let before = String(decoding: sql.utf8.prefix(offset), as: UTF8.self)
        place = " at character \(before.count + 1)"
      }
      return StoreError(.invalidSQL, "The SQL cannot be run\(place): \(words).")
    default: return connection.failure(status)
    }
  }
}

extension SQLValue {
  init(_ statement: Statement, _ column: Int32) {
    switch statement.type(column) {
    case SQLiteType.null: self = .null
    case SQLiteType.integer: self = .integer(statement.int(column))
    case SQLiteType.float: self = .real(statement.double(column))
    case SQLiteType.text: self = .text(statement.text(column))
    default: self = .blob(statement.bytes(column))
    }
  }
}
