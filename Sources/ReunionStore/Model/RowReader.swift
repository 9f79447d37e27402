import CSQLite
public import ReunionCore
import ReunionDisk

/// The rows of a fetch: the record's id, then a column for each field of its schema.
@usableFromInline
struct RowReader {
  private let statement: Statement
  private let handle: OpaquePointer

  init(_ statement: Statement) throws(StoreError) {
    guard let handle = statement.handle else {
      throw StoreError(.closed, "The store was closed.")
    }
    self.statement = statement
    self.handle = handle
  }

  /// Goes to the next row; its record's id, or nil at the end.
  @usableFromInline
  func next() throws(StoreError) -> RecordID? {
    guard sqlite3_step(handle) == SQLITE_ROW else {
      // It stands at its end or its error: the statement says which.
      let status = sqlite3_reset(handle)
      if status != SQLITE_OK { throw Statement.failure(handle, status) }
      return nil
    }
    guard let id = try RecordID.read(ColumnReader(handle, 0)) else {
      throw Statement.damaged(handle, "an id")
    }
    return id
  }

  /// Reads the fields of the row into the memory of a record.
  @usableFromInline
  func read(_ loads: [FieldLoad], into memory: UnsafeMutableRawBufferPointer) throws(StoreError) {
    guard let base = memory.baseAddress else { return }
    var column: Int32 = 1
    for load in loads {
      try load.body(ColumnReader(handle, column), base + load.offset)
      column += 1
    }
  }

  /// Reads the fields of the row into a record.
  @usableFromInline
  func read<E: Entity>(_ fields: [Field<E>], into entity: inout E) throws(StoreError) {
    var column: Int32 = 1
    for field in fields {
      try field.load(ColumnReader(handle, column), &entity)
      column += 1
    }
  }
}
