import CSQLite
import ReunionCore
import ReunionDisk

/// Sets one field of records, in one look-up: the value's column, the clock and the arrival number.
final class FieldSetter {
  private let statement: Statement
  private let connection: DatabaseConnection
  private let patch: ClockPatch
  private let column: FieldColumn
  /// Where the statement reads the record's id.
  private let id: UnsafeMutablePointer<(UInt64, UInt64)>

  /// Nil where the field has to go the long way.
  init?(
    entity: UInt32, field: UInt32, layout: Layout, connection: DatabaseConnection, patch: ClockPatch
  ) throws(StoreError) {
    let table = layout.table(entity)
    guard !table.isUnknown, !table.hasLens(field),
      layout.textIndexes[entity]?.fields.contains(field) != true,
      let index = table.column(of: field),
      table.columns[index].kind.isPlain
    else { return nil }
    column = table.columns[index]
    statement = try connection.statement(table.set(field))
    self.connection = connection
    self.patch = patch
    id = .allocate(capacity: 1)
    id.initialize(to: (0, 0))
    try connection.check(sqlite3_bind_blob(statement.handle, 2, id, 16, nil))
  }

  deinit { id.deallocate() }

  /// Sets the field; returns false and does nothing if the write has to go the long way. The
  /// arrival number that the record had is the patch's.
  func set<V: FieldValue>(
    _ value: V, of id: RecordID, space: Int64, firstSeq: UInt64,
    by author: inout RecordInserter.Author
  ) throws(StoreError) -> Bool {
    guard let handle = statement.handle else { return false }
    var writer = ColumnWriter(handle, 3, column)
    try value.write(to: &writer)
    if writer.isForeign { return false }
    try statement.bind(1, space)
    self.id.pointee = (id.high.bigEndian, id.low.bigEndian)
    try statement.bind(4, Int64(bitPattern: author.arrival + 1))
    patch.prepare(
      ClockPatch.Change(
        field: column.field, merge: author.merge, kind: writer.kindByte, site: author.site,
        seq: author.seq + 1, stamp: author.stamp.rawValue, firstSeq: firstSeq))
    try statement.run()
    guard connection.changeCount == 1 else { return false }
    author.seq += 1
    author.arrival += 1
    return true
  }
}
