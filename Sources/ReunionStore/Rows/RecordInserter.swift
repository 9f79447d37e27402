import CSQLite
import ReunionCore
import ReunionDisk

/// Inserts new records of a Swift type, its properties straight into the columns of their table.
///
/// Only for types whose fields are all stored properties of one cell each, no blobs, not searched
/// and without lenses: what else there is goes the long way, and so does a record of which something is known already.
final class RecordInserter {
  /// How a new record's changes are numbered and stamped.
  struct Author {
    let site: Int64
    var stamp: Stamp
    let merge: MergeKind
    /// The number of the last change, and of the last arrival.
    var seq: UInt64
    var arrival: UInt64
  }

  private struct Place {
    let store: FieldStore
    let column: FieldColumn
  }

  private let statement: Statement
  private let connection: DatabaseConnection
  private let places: [Place]
  private var clock = ClockOutput()

  init?<E: Entity>(
    _: E.Type, layout: Layout, connection: DatabaseConnection
  ) throws(StoreError) {
    let table = layout.table(E.schema.number)
    let places = E.schema.fields.compactMap { field -> Place? in
      guard let place = field.place, let index = table.column(of: field.number),
        table.columns[index].kind.isPlain
      else { return nil }
      return Place(store: place.store, column: table.columns[index])
    }.sorted { $0.column.field < $1.column.field }
    guard !table.isUnknown, table.lenses.isEmpty, layout.textIndexes[table.entity] == nil,
      places.count == E.schema.fields.count
    else {
      return nil
    }
    self.places = places
    self.connection = connection
    statement = try connection.statement(table.insertNew(places.map(\.column.field)))
  }

  deinit { clock.free() }

  /// Inserts a record; returns false and does nothing if the record has to go the long way.
  func insert<E: Entity>(
    _ entity: E, space: Int64, by author: inout Author
  ) throws(StoreError) -> Bool {
    guard let handle = statement.handle else { return false }
    let id = entity.id
    try statement.bind(1, space)
    try statement.bind(2, id)
    try statement.bind(3, author.site)
    try statement.bind(5, Int64(bitPattern: author.arrival + 1))
    clock.removeAll()
    clock.reserve(1 + (places.count + 1) * ClockOutput.readingBytesMax)
    clock.byte(PackedClock.isWhole)
    var reading = PackedClock.Reading()
    reading.field = Cell.existence
    reading.site = author.site
    reading.seq = author.seq + 1
    reading.stamp = author.stamp.rawValue
    reading.encode(after: PackedClock.Reading(), to: &clock)
    let isWhole = try withUnsafeBytes(of: entity) { (memory) throws(StoreError) in
      guard let base = memory.baseAddress else { return false }
      var position: Int32 = 6
      for place in places {
        var column = ColumnWriter(handle, position, place.column)
        try place.store.body(base + place.store.offset, &column)
        if column.isForeign { return false }
        let last = reading
        reading.field = place.column.field
        reading.merge = author.merge
        reading.kind = column.kindByte
        reading.seq += 1
        reading.encode(after: last, to: &clock)
        position += 1
      }
      return true
    }
    guard isWhole else { return false }
    // The clock stays where it is until the next record.
    try connection.check(
      sqlite3_bind_blob(handle, 4, clock.bytes.baseAddress, Int32(clock.count), nil))
    try statement.run()
    guard connection.changeCount == 1 else { return false }
    author.seq = reading.seq
    author.arrival += 1
    return true
  }
}
