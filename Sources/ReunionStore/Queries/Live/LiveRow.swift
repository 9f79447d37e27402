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
    let row: LiveRow<E>? = try read(id, space: space)
    slots[key] = Slot(row)
    return row
  }

  private func read<E: Entity>(_ id: RecordID, space: Int64) throws(StoreError) -> LiveRow<E>? {
    let statement = try reader.statement(for: E.self, id, space: space)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let (record, arrival): (E, UInt64) = try reader.record(statement)
    let values = E.schema.fields.indices.map { ColumnValue(statement, Int32($0 + 1)) }
    return LiveRow(values: values, record: record, arrival: arrival)
  }
}
