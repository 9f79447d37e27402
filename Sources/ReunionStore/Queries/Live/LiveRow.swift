import ReunionCore
import ReunionDisk

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
  /// A row that was read: its columns, or nil if there is none.
  class Slot {
    let values: [ColumnValue]?

    init(_ values: [ColumnValue]?) { self.values = values }
  }

  private final class RecordSlot<E: Entity>: Slot {
    let row: LiveRow<E>?

    init(_ row: LiveRow<E>?) {
      self.row = row
      super.init(row?.values)
    }
  }

  private struct Key: Hashable {
    let space: SpaceID
    let type: ObjectIdentifier
    let id: RecordID
  }

  let reader: RecordReader
  private var slots: [Key: Slot] = [:]

  init(_ reader: RecordReader) { self.reader = reader }

  /// The row that was read of a record, as records of a type.
  func slot(of id: RecordID, _ type: ObjectIdentifier, _ space: SpaceID) -> Slot? {
    slots[Key(space: space, type: type, id: id)]
  }

  /// A living record; nil if there is none.
  func row<E: Entity>(_: E.Type, _ id: RecordID, in space: SpaceID) throws(StoreError) -> LiveRow<
    E
  >? {
    let key = Key(space: space, type: ObjectIdentifier(E.self), id: id)
    if let slot = slots[key] as? RecordSlot<E> { return slot.row }
    var row: LiveRow<E>?
    if let number = try reader.numbers.existingNumber(of: space) {
      row = try read(id, space: number)
    }
    slots[key] = RecordSlot(row)
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
