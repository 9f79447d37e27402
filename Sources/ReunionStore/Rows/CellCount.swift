import CSQLite
import ReunionCore
package import ReunionDisk

/// Counts and sums of the cells in a database, by space, entity and field, whether columns hold them
/// or the table of unknown ones.
///
/// It reads rows where SQLite holds them and makes no records, so that all of a store can be compared
/// with what it was. Two connections to databases in which sites and spaces have the same numbers
/// count alike. What columns show besides, of counters or by lenses, are no cells.
package struct CellCount: Equatable {
  /// Where cells are counted.
  struct Key: Hashable {
    let space: Int64
    let entity: UInt32
    /// Nil for records: their ids, arrival numbers and creators, and whether they live.
    let field: UInt32?
  }

  private(set) var sums: [Key: HashSum] = [:]

  /// Counts everything. *Cost*: reads all rows of records once, without their indexes.
  package init(_ connection: DatabaseConnection, layout: Layout) throws(StoreError) {
    for table in layout.tables { try count(table, connection) }
    try countUnknownCells(connection)
  }

  /// The keys whose sums differ.
  func differences(from other: CellCount) -> [Key] {
    Set(sums.keys).union(other.sums.keys).filter { sums[$0] != other.sums[$0] }
  }

  private mutating func count(_ table: Table, _ connection: DatabaseConnection) throws(StoreError) {
    let entity = table.isUnknown ? "entity" : "\(table.entity)"
    let statement = try connection.prepare(
      "SELECT space, id, alive, creator, arrival, clock, \(entity)"
        + table.columns.map { ", f\($0.field)" }.joined() + " FROM \(table.name)")
    defer { statement.finalize() }
    var row = RowCount(table)
    while try statement.step() {
      guard let handle = statement.handle else { break }
      let space = sqlite3_column_int64(handle, 0)
      let entity = UInt32(truncatingIfNeeded: sqlite3_column_int64(handle, 6))
      if space != row.space || entity != row.entity {
        take(row)
        row = RowCount(table, space: space, entity: entity)
      }
      do throws(WireError) { try row.add(handle) } catch { throw statement.damaged("a clock") }
    }
    take(row)
  }

  private mutating func take(_ row: RowCount) {
    for (field, sum) in row.sums where sum.count > 0 {
      let key = Key(space: row.space, entity: row.entity, field: field)
      sums[key, default: HashSum()].add(sum)
    }
  }

  private mutating func countUnknownCells(_ connection: DatabaseConnection) throws(StoreError) {
    let statement = try connection.prepare(
      """
      SELECT space, record, entity, field, merge & 255, site, seq, stamp, replaced, kind, value \
      FROM reunion_unknown_cell
      """)
    defer { statement.finalize() }
    while try statement.step() {
      guard let handle = statement.handle else { break }
      let key = Key(
        space: sqlite3_column_int64(handle, 0),
        entity: UInt32(truncatingIfNeeded: sqlite3_column_int64(handle, 2)),
        field: UInt32(truncatingIfNeeded: sqlite3_column_int64(handle, 3)))
      var hash = CellHash()
      hash.add(SQLiteBytes.column(handle, 1))
      for column: Int32 in [3, 4, 5, 6, 7, 8, 9] { hash.add(sqlite3_column_int64(handle, column)) }
      hash.add(SQLiteBytes.column(handle, 10))
      sums[key, default: HashSum()].add(hash)
    }
  }
}

/// The sums of the rows of one table that belong to a space and an entity.
private struct RowCount {
  let space: Int64
  let entity: UInt32
  private let table: Table
  private var records = HashSum()
  private var existence = HashSum()
  private var fields: [HashSum]

  init(_ table: Table, space: Int64 = 0, entity: UInt32 = 0) {
    self.table = table
    self.space = space
    self.entity = entity
    fields = [HashSum](repeating: HashSum(), count: table.columns.count)
  }

  var sums: [(field: UInt32?, sum: HashSum)] {
    [(nil, records), (Cell.existence, existence)]
      + zip(table.columns, fields).map { ($0.field, $1) }
  }

  /// Adds the row that a statement stands on, and each cell that its clock names.
  @inline(__always)
  mutating func add(_ handle: OpaquePointer) throws(WireError) {
    var record = CellHash()
    record.add(SQLiteBytes.column(handle, 1))
    var row = record
    for column: Int32 in [2, 3, 4] { row.add(sqlite3_column_int64(handle, column)) }
    records.add(row)
    var input = ClockInput(SQLiteBytes.column(handle, 5))
    _ = try input.byte()
    var last = PackedClock.Reading()
    var column = 0
    while input.remaining > 0 {
      last = try PackedClock.Reading(after: last, from: &input)
      var hash = record
      hash.add(UInt64(last.field))
      hash.add(UInt64(last.merge.rawValue))
      hash.add(last.site)
      hash.add(last.seq)
      hash.add(last.stamp)
      hash.add(last.replaced)
      guard last.merge.isRegister else {
        let count = last.merge == .deletion ? Int(clamping: try input.varint()) : 0
        hash.add(
          UInt64(last.kind ?? PackedClock.expectedKind(last.merge, last.field, table).rawValue))
        hash.add(try input.take(count))
        existence.add(hash)
        continue
      }
      // Cells stand in the order of their fields, as columns do.
      while column < table.columns.count, table.columns[column].field < last.field { column += 1 }
      if column == table.columns.count || table.columns[column].field != last.field {
        guard let found = table.column(of: last.field) else {
          throw WireError(.malformed, "A clock names no column.")
        }
        column = found
      }
      let kind =
        last.kind.map { ValueKind(rawValue: $0) }
        ?? PackedClock.expectedKind(last.merge, last.field, table)
      hash.add(UInt64(kind.rawValue))
      hash.addValue(handle, Int32(7 + column), kind: kind)
      fields[column].add(hash)
    }
  }
}

extension CellHash {
  /// Adds the bytes that a cell of a kind has whose value stands in a column.
  @inline(__always)
  fileprivate mutating func addValue(_ handle: OpaquePointer, _ column: Int32, kind: ValueKind) {
    switch kind {
    case .null: add(UInt64(0))
    case .bool:
      add(UInt64(1))
      add(sqlite3_column_int64(handle, column))
    case .int, .date:
      add(UInt64(8))
      add(sqlite3_column_int64(handle, column))
    case .double where sqlite3_column_type(handle, column) != SQLITE_BLOB:
      add(UInt64(8))
      add(sqlite3_column_double(handle, column).bitPattern)
    default: add(SQLiteBytes.column(handle, column))
    }
  }
}

/// The bytes of a column where SQLite holds them, for as long as its statement stands on the row.
enum SQLiteBytes {
  @inline(__always)
  static func column(_ handle: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
  }
}
