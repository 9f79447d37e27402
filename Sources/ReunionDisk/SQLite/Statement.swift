import CSQLite
package import ReunionCore

/// A prepared statement. Positions of values and of columns are SQLite's: from 1 and from 0.
///
/// *Thread*: that of its connection. *Cost*: binding and reading copy the bytes once.
package final class Statement: @unchecked Sendable {
  // Unchecked, since whoever has the connection, one thread at a time, has its statements.
  // Nobody changes it while another reads it: checks at run time would cost more than some of its uses.
  @exclusivity(unchecked)
  @usableFromInline package private(set) var handle: OpaquePointer?
  @usableFromInline unowned let connection: DatabaseConnection

  package init(_ handle: OpaquePointer, connection: DatabaseConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { finalize() }

  /// Gives up the statement. Its status repeats that of the last step, which was checked.
  package func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  /// Goes back to the start. Its status repeats that of the last step, which was checked.
  @inlinable package func reset() { sqlite3_reset(handle) }

  /// Goes to the next row, or returns false at the end, and stands at its start again.
  @inlinable package func step() throws(StoreError) -> Bool {
    let status = sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    let failure = status == SQLITE_DONE ? nil : connection.failure(status)
    sqlite3_reset(handle)
    if let failure { throw failure }
    return false
  }

  /// Runs a statement that gives no rows.
  @inlinable package func run() throws(StoreError) {
    while try step() {}
  }

  // Binding

  @inlinable package func bind(_ position: Int32, _ number: Int64) throws(StoreError) {
    try connection.check(sqlite3_bind_int64(handle, position, number))
  }

  @inlinable package func bind(_ position: Int32, _ number: Double) throws(StoreError) {
    try connection.check(sqlite3_bind_double(handle, position, number))
  }

  @inlinable package func bindNull(_ position: Int32) throws(StoreError) {
    try connection.check(sqlite3_bind_null(handle, position))
  }

  @inlinable package func bind(_ position: Int32, _ bytes: [UInt8]) throws(StoreError) {
    let status = bytes.withUnsafeBytes {
      reunion_bind_blob(handle, position, $0.baseAddress, Int32(clamping: $0.count))
    }
    try connection.check(status)
  }

  @inlinable package func bind(_ position: Int32, text bytes: [UInt8]) throws(StoreError) {
    let status = bytes.withUnsafeBytes {
      reunion_bind_text(handle, position, $0.baseAddress, Int32(clamping: $0.count))
    }
    try connection.check(status)
  }

  @inlinable package func bind(_ position: Int32, text: String) throws(StoreError) {
    try bind(position, text: Array(text.utf8))
  }

  @inlinable package func bind<I: Identifier>(_ position: Int32, _ identifier: I) throws(StoreError)
  {
    let halves = (identifier.high.bigEndian, identifier.low.bigEndian)
    let status = withUnsafeBytes(of: halves) {
      reunion_bind_blob(handle, position, $0.baseAddress, 16)
    }
    try connection.check(status)
  }

  // Reading

  /// SQLite's type of a column: `SQLITE_INTEGER` and so on.
  @inlinable package func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

  @inlinable package func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

  @inlinable package func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inlinable package func double(_ column: Int32) -> Double {
    sqlite3_column_double(handle, column)
  }

  /// The bytes of a blob or a text; an empty array if there are none.
  @inlinable package func bytes(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    guard let start, count > 0 else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  @inlinable package func text(_ column: Int32) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  /// The sixteen bytes of a column.
  ///
  /// - Throws: `damaged` if it does not have sixteen.
  @inlinable package func identifier<I: Identifier>(_ column: Int32, _: I.Type = I.self)
    throws(StoreError) -> I
  {
    let start = sqlite3_column_blob(handle, column)
    guard let start, sqlite3_column_bytes(handle, column) == 16 else { throw damaged("an id") }
    let halves = UnsafeRawPointer(start).loadUnaligned(as: (UInt64, UInt64).self)
    return I(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
  }

  /// The error of a row that this library did not write.
  package func damaged(_ what: String) -> StoreError { connection.damaged(what) }

  package static func damaged(_ handle: OpaquePointer, _ what: String) -> StoreError {
    let path = sqlite3_db_filename(sqlite3_db_handle(handle), nil).map { String(cString: $0) }
    return damaged(path: path ?? "The store", what)
  }

  static func damaged(path: String, _ what: String) -> StoreError {
    StoreError(
      .damaged,
      StoreError.damageSentence(path), underlying: "\(what) is malformed")
  }

  /// The error of a status that a statement's connection gave.
  package static func failure(_ handle: OpaquePointer, _ status: Int32) -> StoreError {
    let database = sqlite3_db_handle(handle)
    let path = sqlite3_db_filename(database, nil).map { String(cString: $0) } ?? ""
    return StoreError(
      sqlite: status, system: sqlite3_system_errno(database),
      message: String(cString: sqlite3_errmsg(database)), path: path)
  }
}
