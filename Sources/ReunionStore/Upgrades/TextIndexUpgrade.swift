import ReunionCore
import ReunionDisk

/// Brings the indexes of words to what a model chooses. What it says nothing of stays.
struct TextIndexUpgrade {
  let connection: Connection
  /// The indexes that the store has.
  let present: [UInt32: TextIndex]
  /// Those that it shall have.
  let wanted: [UInt32: TextIndex]

  init(connection: Connection, model: Model) throws(StoreError) {
    self.connection = connection
    present = try Self.read(connection)
    var wanted = present
    for entity in model.entities {
      let fields = entity.fields.filter(\.isSearchable).map(\.number)
      wanted[entity.number] =
        fields.isEmpty ? nil : TextIndex(entity: entity.number, fields: fields)
    }
    self.wanted = wanted
  }

  /// The indexes of a store.
  static func read(_ connection: Connection) throws(StoreError) -> [UInt32: TextIndex] {
    let prefix = "reunion_text_rows_"
    let statement = try connection.statement(
      """
      SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info('reunion_text_' \
      || substr(t.name, \(prefix.utf8.count + 1))) AS c \
      WHERE t.type = 'table' AND t.name GLOB '\(prefix)*' ORDER BY t.name, c.cid
      """)
    defer { statement.reset() }
    var fields: [UInt32: [UInt32]] = [:]
    while try statement.step() {
      guard let entity = UInt32(statement.text(0).dropFirst(prefix.count)),
        let field = UInt32(statement.text(1).dropFirst())
      else { throw statement.damaged("an index of words") }
      fields[entity, default: []].append(field)
    }
    var indexes: [UInt32: TextIndex] = [:]
    for (entity, fields) in fields { indexes[entity] = TextIndex(entity: entity, fields: fields) }
    return indexes
  }

  var isNeeded: Bool { present != wanted }

  /// The indexes that stay as they are.
  var kept: [UInt32: TextIndex] { wanted.filter { present[$0.key] == $0.value } }

  /// Drops what is not wanted, makes what is not there, and fills it with all records.
  func run(_ layout: Layout) throws(StoreError) {
    for (entity, index) in present where wanted[entity] != index {
      for sql in index.drop { try connection.execute(sql) }
    }
    let writer = try RecordWriter(RecordReader(connection, layout: layout))
    for (entity, index) in wanted where present[entity] != index {
      for sql in index.create { try connection.execute(sql) }
      for space in try writer.reader.spaces() {
        guard let number = try writer.reader.numbers.existingNumber(of: space) else { continue }
        try writer.reader.forEach(entity: entity, space: number) { (record) throws(StoreError) in
          guard let texts = index.texts(record.state) else { return }
          try writer.write(texts, of: record.key.id, in: index, space: number)
        }
      }
    }
  }
}
