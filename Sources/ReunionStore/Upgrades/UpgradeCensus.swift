import CSQLite
import ReunionCore
import ReunionDisk

/// All that an upgrade must leave as it is: every cell of every record, what lost in conflicts, vectors,
/// arrivals and positions, and the blobs.
package struct UpgradeCensus {
  /// The cells and records, by space, entity and field.
  let cells: CellCount
  /// The rows of every table that no upgrade changes, by the table's name.
  let tables: [String: HashSum]
  let blobs: BlobCensus

  /// Takes the census of a database; `byteCount` tells the size of a blob's file. *Cost*: reads the
  /// whole database, and asks for the size of each blob.
  init(
    _ connection: DatabaseConnection, byteCount: (BlobHash) throws(StoreError) -> UInt64?
  ) throws(StoreError) {
    cells = try CellCount(connection, layout: Layout(connection))
    var tables: [String: HashSum] = [:]
    for name in try Self.comparedTables(connection) {
      tables[name] = try Self.rows(of: name, connection)
    }
    self.tables = tables
    blobs = try BlobCensus(connection, byteCount: byteCount)
  }

  /// The records.
  var recordCount: Int { cells.sums.reduce(0) { $0 + ($1.key.field == nil ? $1.value.count : 0) } }

  /// The cells.
  var cellCount: Int { cells.sums.reduce(0) { $0 + ($1.key.field == nil ? 0 : $1.value.count) } }

  /// What an upgrade may change beside the rows of records: what says which columns there are, names,
  /// the store's own notes, and what is made of records.
  private static let changing = [
    "reunion_record_", "reunion_unknown_", "reunion_field", "reunion_name", "reunion_meta",
    "reunion_shown", "reunion_text_", "sqlite_",
  ]

  private static func comparedTables(_ connection: DatabaseConnection) throws(StoreError)
    -> [String]
  {
    let statement = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    defer { statement.finalize() }
    var names: [String] = []
    while try statement.step() {
      if isCompared(statement.text(0)) { names.append(statement.text(0)) }
    }
    return names
  }

  /// Whether no upgrade changes a table.
  package static func isCompared(_ table: String) -> Bool {
    !changing.contains(where: table.hasPrefix)
  }

  private static func rows(
    of table: String, _ connection: DatabaseConnection
  ) throws(StoreError) -> HashSum {
    let statement = try connection.prepare("SELECT * FROM \(table)")
    defer { statement.finalize() }
    var sum = HashSum()
    while try statement.step() {
      guard let handle = statement.handle else { break }
      var hash = CellHash()
      for column in 0..<sqlite3_column_count(handle) {
        let type = sqlite3_column_type(handle, column)
        hash.add(UInt64(type))
        switch type {
        case SQLITE_INTEGER: hash.add(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: hash.add(sqlite3_column_double(handle, column).bitPattern)
        case SQLITE_NULL: break
        default: hash.add(SQLiteBytes.column(handle, column))
        }
      }
      sum.add(hash)
    }
    return sum
  }

  /// The first thing that is not as it was, in words; nil where all is.
  func difference(from before: UpgradeCensus, _ names: FieldNames) -> String? {
    if blobs != before.blobs {
      let lost = before.blobs.present.count - blobs.present.count
      return lost > 0
        ? "it would have lost \(lost.grouped("blob")) of \(before.blobs.present.count.grouped)"
        : "it would have changed which blobs are held"
    }
    let keys = cells.differences(from: before.cells)
    if let key = keys.min(by: { ($0.entity, $0.field ?? 0) < ($1.entity, $1.field ?? 0) }) {
      let (old, new) = (before.cells.sums[key]?.count ?? 0, cells.sums[key]?.count ?? 0)
      let entity = names.entity(key.entity) ?? "entity \(key.entity)"
      let what = key.field.map { names.field($0, of: key.entity) ?? "field \($0)" }
      let noun = what == nil ? "record" : "value"
      return
        "it would have changed \(what.map { "\(entity).\($0)" } ?? entity), of which there were"
        + " \(old.grouped(noun)) and would be \(new.grouped)"
    }
    for (name, sum) in before.tables.sorted(by: { $0.key < $1.key }) where tables[name] != sum {
      return "it would have changed \(name)"
    }
    return nil
  }
}

/// The blobs that a store says it holds, and which of them are there with their size.
struct BlobCensus: Equatable {
  /// Those that are there.
  private(set) var present = HashSum()
  /// The bytes of these.
  private(set) var byteCount: UInt64 = 0
  /// How many are not there, or of another size.
  private(set) var missing = 0

  init(
    _ connection: DatabaseConnection, byteCount: (BlobHash) throws(StoreError) -> UInt64?
  ) throws(StoreError) {
    let statement = try connection.prepare("SELECT hash, byte_count FROM reunion_blob")
    defer { statement.finalize() }
    while try statement.step() {
      guard let handle = statement.handle, let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's hash")
      }
      let size = UInt64(bitPattern: statement.int(1))
      guard try byteCount(hash) == size else {
        missing += 1
        continue
      }
      var row = CellHash()
      row.add(SQLiteBytes.column(handle, 0))
      row.add(size)
      present.add(row)
      self.byteCount += size
    }
  }
}
