import CSQLite
public import ReunionCore
public import ReunionDisk

/// A column of the row that a fetch stands on, for a type of fields that reads it
/// (`FieldValue.read(_:)`). Few types need it: without it a value goes through
/// `init(storedValue:)`.
///
/// *Errors*: `damaged` where the column holds something that this library did not write there.
/// *Thread*: that of the fetch, and only until it goes on to the next row: do not keep it.
public struct ColumnReader {
  private let statement: OpaquePointer
  private let column: Int32
  /// Reading through it locks nothing; it may be used on the connection's thread alone.
  private let content: OpaquePointer?
  private let type: Int32

  init(_ statement: OpaquePointer, _ column: Int32) {
    self.statement = statement
    self.column = column
    content = sqlite3_column_value(statement, column)
    type = sqlite3_value_type(content)
  }

  /// Whether it holds no value.
  @usableFromInline package var isNull: Bool { type == SQLITE_NULL }

  /// The number of an int, a date or a bool; nil if there is no value.
  func int() throws(StoreError) -> Int64? {
    if type == SQLITE_INTEGER { return sqlite3_value_int64(content) }
    if type == SQLITE_NULL { return nil }
    throw damaged()
  }

  /// The number of a double; nil if there is no value.
  func double() throws(StoreError) -> Double? {
    if type == SQLITE_FLOAT { return sqlite3_value_double(content) }
    return try value(kind: .double)?.double
  }

  /// The text; nil if there is no value.
  func text() throws(StoreError) -> String? {
    if type == SQLITE_NULL { return nil }
    guard type == SQLITE_TEXT, let start = sqlite3_value_text(content) else { throw damaged() }
    let count = Int(sqlite3_value_bytes(content))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// What a closure makes of the bytes; nil if there is no value.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(StoreError) -> Result? {
    if type == SQLITE_NULL { return nil }
    guard type == SQLITE_BLOB else { throw damaged() }
    let start = sqlite3_value_blob(content)
    let count = Int(sqlite3_value_bytes(content))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// The value of a kind; nil if there is none. The bytes are copied.
  ///
  /// - Parameter kind: the kind of the field, which is the type's `valueKind`.
  /// - Returns: the value as it is stored.
  /// - Throws: `damaged` where the column holds none of that kind.
  public func value(kind: ValueKind) throws(StoreError) -> Value? {
    let value = try Statement.value(statement, column, kind: kind)
    return value.kind == .null ? nil : value
  }

  private func damaged() -> StoreError { Statement.damaged(statement, "a value") }
}
