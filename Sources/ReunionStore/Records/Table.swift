import ReunionCore

/// The table of an entity: a row a record, a column a field, and the SQL that reads and writes it.
///
/// The table of what no model here knows has no field columns, and an entity column instead.
struct Table: Sendable {
  /// A field's column; columns have no type affinity, so that values stay exact.
  struct Column: Hashable, Sendable {
    let field: UInt32
    let kind: ValueKind
  }

  /// The entity, 0 for the table of unknown ones.
  let entity: UInt32
  /// The columns, by rising field.
  let columns: [Column]
  let name: String
  let create: [String]
  /// One row, by space, id and entity.
  let select: String
  /// Rows of a space after an arrival number, in order.
  let selectArrived: String
  /// All rows of a space and an entity, by id.
  let selectAll: String
  let insert: String
  let update: String
  let delete: String

  var isUnknown: Bool { entity == 0 }

  init(entity: UInt32, columns: [Column]) {
    self.entity = entity
    self.columns = columns.sorted { $0.field < $1.field }
    let isUnknown = entity == 0
    name = isUnknown ? "reunion_unknown_record" : "reunion_record_\(entity)"
    let fields = self.columns.map { "f\($0.field)" }
    let header = ["alive", "creator", "clock", "arrival"]
    let key = isUnknown ? ["space", "id", "entity"] : ["space", "id"]
    create = [
      "CREATE TABLE \(name)(" + (key + header).joined(separator: ", ")
        + fields.map { ", \($0)" }.joined()
        + ", PRIMARY KEY(" + key.joined(separator: ", ") + ")) WITHOUT ROWID",
      "CREATE INDEX \(name)_arrival ON \(name)(space, arrival)",
    ]
    let read =
      "SELECT id, arrival, clock, \(isUnknown ? "entity" : "\(entity)")"
      + fields.map { ", \($0)" }.joined() + " FROM \(name) WHERE space = ?1"
    let entityIs = isUnknown ? " AND entity = ?3" : ""
    select = read + " AND id = ?2" + entityIs
    selectArrived = read + " AND arrival > ?2 ORDER BY arrival"
    selectAll = read + entityIs + " ORDER BY id"
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

  /// The column that holds a cell exactly, or nil where a cell is none that a column can hold.
  func column(for cell: Cell) -> Int? {
    guard cell.merge.isRegister, let index = column(of: cell.field) else { return nil }
    return columns[index].holds(cell.value) ? index : nil
  }

  /// The position of a field's column.
  func column(of field: UInt32) -> Int? { columns.firstIndex { $0.field == field } }
}

extension Table.Column {
  /// Whether a column of this kind gives these bytes back exactly.
  func holds(_ value: Value) -> Bool {
    if value.kind == .null { return value.bytes.isEmpty }
    guard value.kind == kind else { return false }
    switch kind {
    case .bool: return value.bytes == [0] || value.bytes == [1]
    case .int, .date, .double: return value.bytes.count == 8
    case .uuid, .reference: return value.bytes.count == 16
    case .text, .bytes, .blob: return true
    default: return false
    }
  }
}

extension Statement {
  /// Binds a value in the form that its kind has in a column: numbers as SQL's, NaN as its bytes.
  func bind(_ position: Int32, _ value: Value) throws(StoreError) {
    switch value.kind {
    case .null where value.bytes.isEmpty: try bindNull(position)
    case .bool where value.bytes.count == 1: try bind(position, Int64(value.bytes[0]))
    case .text: try bind(position, text: value.bytes)
    default:
      if let int = value.int {
        try bind(position, int)
      } else if let double = value.double, !double.isNaN {
        try bind(position, double)
      } else {
        try bind(position, value.bytes)
      }
    }
  }

  /// Reads a value of a kind from a column that holds one.
  func value(_ column: Int32, kind: ValueKind) throws(StoreError) -> Value {
    switch (kind, type(column)) {
    case (_, SQLiteType.null): return .null
    case (.bool, SQLiteType.integer): return .bool(int(column) != 0)
    case (.int, SQLiteType.integer): return .int(int(column))
    case (.date, SQLiteType.integer): return .date(milliseconds: int(column))
    case (.double, SQLiteType.float): return .double(double(column))
    case (.text, SQLiteType.text): return Value(kind: .text, bytes: bytes(column))
    case (.counter, SQLiteType.integer): return .counter(int(column))
    case (.bool, _), (.int, _), (.date, _), (.text, _), (.counter, _): throw damaged("a value")
    case (_, SQLiteType.blob): return Value(kind: kind, bytes: bytes(column))
    default: throw damaged("a value")
    }
  }
}
