import CSQLite
import ReunionCore
import ReunionDisk

/// The table of an entity: a row a record, a column a field, and the SQL that reads and writes it.
///
/// The table of what no model here knows has no field columns, and an entity column instead.
package final class Table: Sendable {
  /// The entity, 0 for the table of unknown ones.
  package let entity: UInt32
  /// The columns, by rising field.
  package let columns: [FieldColumn]
  /// How fields are made of others, each lens after those that make what it reads.
  let lenses: [FieldLens]
  /// The fields of each group of lenses that build on each other.
  let links: [Set<UInt32>]
  let bugs: SeededBugs
  package let name: String
  let create: String
  /// One row, by space, id and entity.
  let select: String
  /// All rows of a space and an entity, by id.
  let selectAll: String
  /// All rows of a space from an id on, by id.
  let selectFrom: String
  let insert: String
  let update: String
  let delete: String

  package var isUnknown: Bool { entity == 0 }

  init(
    entity: UInt32, columns: [FieldColumn], lenses: [FieldLens] = [],
    bugs: SeededBugs = SeededBugs()
  ) {
    self.entity = entity
    self.lenses = lenses
    self.bugs = bugs
    links = Self.links(lenses)
    self.columns = columns.sorted { $0.field < $1.field }
    let isUnknown = entity == 0
    name = Self.name(of: entity)
    let fields = self.columns.map { "f\($0.field)" }
    let header = ["alive", "creator", "clock", "arrival"]
    let key = isUnknown ? ["space", "id", "entity"] : ["space", "id"]
    create =
      "CREATE TABLE \(name)(" + (key + header).joined(separator: ", ")
      + fields.map { ", \($0)" }.joined()
      + ", PRIMARY KEY(" + key.joined(separator: ", ") + ")) WITHOUT ROWID"
    let read =
      "SELECT id, arrival, clock, \(isUnknown ? "entity" : "\(entity)")"
      + fields.map { ", \($0)" }.joined() + " FROM \(name) WHERE space = ?1"
    let entityIs = isUnknown ? " AND entity = ?3" : ""
    select = read + " AND id = ?2" + entityIs
    selectAll = read + entityIs + " ORDER BY id"
    selectFrom = read + " AND id >= ?2 ORDER BY id" + (isUnknown ? ", entity" : "")
    let match = " WHERE space = ?1 AND id = ?2" + entityIs
    delete = "DELETE FROM \(name)" + match
    var positions: [String] = []
    for index in 0..<(header.count + fields.count) { positions.append("?\(index + 4)") }
    insert =
      "INSERT INTO \(name)(" + (key + header + fields).joined(separator: ", ") + ") VALUES("
      + ((isUnknown ? ["?1", "?2", "?3"] : ["?1", "?2"]) + positions).joined(separator: ", ") + ")"
    update =
      "UPDATE \(name) SET "
      + zip(header + fields, positions).map { "\($0) = \($1)" }.joined(separator: ", ") + match
  }

  /// What the table of an entity is called.
  static func name(of entity: UInt32) -> String {
    entity == 0 ? "reunion_unknown_record" : "reunion_record_\(entity)"
  }

  /// The table with other limits of its columns.
  func with(_ columns: [FieldColumn], _ bugs: SeededBugs) -> Table {
    Table(entity: entity, columns: columns, lenses: lenses, bugs: bugs)
  }

  /// The column that holds a cell exactly, or nil where a cell is none that a column can hold.
  func column(for cell: Cell) -> Int? {
    guard cell.merge.isRegister, let index = column(of: cell.field) else { return nil }
    return columns[index].holds(cell.value) ? index : nil
  }

  /// The number that a column shows of one of another kind, which it cannot hold exactly.
  func nearest(_ cell: Cell) -> (column: Int, value: Value)? {
    guard cell.merge.isRegister, let index = column(of: cell.field),
      cell.value.kind != columns[index].kind, let value = columns[index].shown(cell.value)
    else { return nil }
    return (index, value)
  }

  /// Sets one field of a living record, and nothing else of it: see `FieldSetter`.
  func set(_ field: UInt32) -> String {
    "UPDATE \(name) SET f\(field) = ?3, clock = reunion_set_clock(), arrival = ?4 "
      + "WHERE space = ?1 AND id = ?2 AND reunion_can_set(alive, clock, arrival)"
  }

  /// Inserts a new living record, of which these fields have values: see `RecordInserter`.
  func insertNew(_ fields: [UInt32]) -> String {
    var sql = "INSERT INTO \(name)(space, id, alive, creator, clock, arrival"
    for field in fields { sql += ", f\(field)" }
    sql += ") VALUES(?1, ?2, 1, ?3, ?4, ?5"
    for index in fields.indices { sql += ", ?\(index + 6)" }
    return sql + ") ON CONFLICT DO NOTHING"
  }

  /// The position of a field's column.
  func column(of field: UInt32) -> Int? { columns.firstIndex { $0.field == field } }
}

extension Statement {
  /// Binds a value in the form that its kind has in a column: numbers as SQL's, NaN as its bytes.
  func bind(_ position: Int32, _ value: Value) throws(StoreError) {
    guard let handle else { return }
    let status = Self.bind(handle, position, value)
    if status != SQLITE_OK { throw Self.failure(handle, status) }
  }

  static func bind(_ handle: OpaquePointer, _ position: Int32, _ value: Value) -> Int32 {
    switch value.kind {
    case .null where value.bytes.isEmpty: return sqlite3_bind_null(handle, position)
    case .bool where value.bytes.count == 1:
      return sqlite3_bind_int64(handle, position, Int64(value.bytes[0]))
    case .text:
      return value.bytes.withUnsafeBytes {
        reunion_bind_text(handle, position, $0.baseAddress, Int32(clamping: $0.count))
      }
    default:
      if let int = value.int { return sqlite3_bind_int64(handle, position, int) }
      if let double = value.double, !double.isNaN {
        return sqlite3_bind_double(handle, position, double)
      }
      return value.bytes.withUnsafeBytes {
        reunion_bind_blob(handle, position, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
  }

  /// Reads a value of a kind from a column that holds one.
  func value(_ column: Int32, kind: ValueKind) throws(StoreError) -> Value {
    guard let handle else { return .null }
    return try Self.value(handle, column, kind: kind)
  }

  static func value(
    _ handle: OpaquePointer, _ column: Int32, kind: ValueKind
  ) throws(StoreError) -> Value {
    func number() -> Int64 { sqlite3_column_int64(handle, column) }
    func bytes() -> [UInt8] {
      let start = sqlite3_column_blob(handle, column)
      let count = Int(sqlite3_column_bytes(handle, column))
      guard let start, count > 0 else { return [] }
      return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
    switch (kind, sqlite3_column_type(handle, column)) {
    case (_, SQLITE_NULL): return .null
    case (.bool, SQLITE_INTEGER): return .bool(number() != 0)
    case (.int, SQLITE_INTEGER): return .int(number())
    case (.date, SQLITE_INTEGER): return .date(milliseconds: number())
    case (.double, SQLITE_FLOAT): return .double(sqlite3_column_double(handle, column))
    case (.text, SQLITE_TEXT): return Value(kind: .text, bytes: bytes())
    case (.counter, SQLITE_INTEGER): return .counter(number())
    case (.bool, _), (.int, _), (.date, _), (.text, _), (.counter, _):
      throw damaged(handle, "a value")
    case (_, SQLITE_BLOB): return Value(kind: kind, bytes: bytes())
    default: throw damaged(handle, "a value")
    }
  }
}
