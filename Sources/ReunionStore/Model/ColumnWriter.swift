import CSQLite
public import ReunionCore
public import ReunionDisk

/// A column of the row that is being written, for a type of fields that writes it
/// (`FieldValue.write(to:)`). Few types need it: without it a value goes through `storedValue`.
///
/// *Errors*: `valueTooLarge`, and then nothing is written. *Thread*: that of the write, and only
/// until `write(to:)` returns.
public struct ColumnWriter {
  private let statement: OpaquePointer
  private let position: Int32
  private let column: FieldColumn
  /// Whether what was written is no value.
  private var isNull = false
  /// Whether the column cannot hold it exactly, so that it must go another way.
  private(set) var isForeign = false

  init(_ statement: OpaquePointer, _ position: Int32, _ column: FieldColumn) {
    self.statement = statement
    self.position = position
    self.column = column
  }

  /// How a clock says of what kind the value is; nil where it need not.
  var kindByte: UInt8? { isNull ? ValueKind.null.rawValue : column.kindByte }

  /// Writes no value.
  @usableFromInline package mutating func writeNull() throws(StoreError) {
    isNull = true
    try check(sqlite3_bind_null(statement, position))
  }

  /// Writes a value of the column's kind, or null. One of another kind is no error: the record is
  /// then written in a way that keeps it exactly.
  ///
  /// - Parameter value: the value as it is stored.
  /// - Throws: `valueTooLarge` for more than 512 KiB, or than the model allows the field.
  public mutating func write(value: Value) throws(StoreError) {
    guard value.kind == column.kind || value.kind == .null, column.holds(value) else {
      isForeign = true
      return
    }
    isNull = value.kind == .null
    try checkSize(value.bytes.count)
    try check(Statement.bind(statement, position, value))
  }

  mutating func write(_ number: Int64) throws(StoreError) {
    guard column.kind == .int || column.kind == .bool || column.kind == .date else {
      isForeign = true
      return
    }
    try check(sqlite3_bind_int64(statement, position, number))
  }

  mutating func write(_ number: Double) throws(StoreError) {
    guard column.kind == .double, !number.isNaN else { return try write(value: .double(number)) }
    try check(sqlite3_bind_double(statement, position, number))
  }

  mutating func write(_ text: String) throws(StoreError) {
    guard column.kind == .text else {
      isForeign = true
      return
    }
    var text = text
    let (status, count) = text.withUTF8 { bytes in
      (
        reunion_bind_text(statement, position, bytes.baseAddress, Int32(clamping: bytes.count)),
        bytes.count
      )
    }
    try checkSize(count)
    try check(status)
  }

  mutating func write(bytes: RawSpan) throws(StoreError) {
    guard column.kind == .bytes else {
      isForeign = true
      return
    }
    try checkSize(bytes.byteCount)
    try check(
      bytes.withUnsafeBytes {
        reunion_bind_blob(statement, position, $0.baseAddress, Int32(clamping: $0.count))
      })
  }

  /// Writes sixteen bytes that are laid out in a tuple.
  mutating func write<Bytes: BitwiseCopyable>(sixteen bytes: Bytes) throws(StoreError) {
    guard column.kind == .uuid || column.kind == .reference else {
      isForeign = true
      return
    }
    try check(
      withUnsafeBytes(of: bytes) {
        reunion_bind_blob(statement, position, $0.baseAddress, Int32(clamping: $0.count))
      })
  }

  private func checkSize(_ byteCount: Int) throws(StoreError) {
    guard byteCount <= column.bytesMax else {
      throw StoreError.valueTooLarge(
        "field \(column.field)", byteCount: byteCount, bytesMax: column.bytesMax)
    }
  }

  private func check(_ status: Int32) throws(StoreError) {
    if status != SQLITE_OK { throw Statement.failure(statement, status) }
  }
}
