import ReunionCore

/// A living record as one snapshot shows it: its columns, and as its type reads them.
struct LiveRow<E: Entity>: Sendable {
  /// The columns of the schema's fields, in its order.
  let values: [ColumnValue]
  let record: E
  /// The number under which its last change arrived.
  let arrival: UInt64
}

/// The rows that a round of refreshing has read, so that a thousand queries read one once.
final class LiveRows {
  private final class Slot<E: Entity> {
    let row: LiveRow<E>?

    init(_ row: LiveRow<E>?) { self.row = row }
  }

  let reader: RecordReader
  private var slots: [Key: AnyObject] = [:]

  private struct Key: Hashable {
    let space: Int64
    let record: RecordKey
  }

  init(_ reader: RecordReader) { self.reader = reader }

  /// A living record, nil where there is none.
  func row<E: Entity>(_: E.Type, _ id: RecordID, space: Int64) throws(StoreError) -> LiveRow<E>? {
    let key = Key(space: space, record: RecordKey(entity: E.schema.number, id: id))
    if let slot = slots[key] as? Slot<E> { return slot.row }
    let row = try reader.one(E.self, id, space: space) { (statement) throws(StoreError) in
      LiveRow<E>(
        values: E.schema.fields.indices.map { ColumnValue(statement, Int32($0 + 2)) },
        record: try reader.entity(statement), arrival: UInt64(bitPattern: statement.int(1)))
    }
    slots[key] = Slot(row)
    return row
  }
}
