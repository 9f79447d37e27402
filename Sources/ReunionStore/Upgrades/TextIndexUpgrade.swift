import ReunionCore
import ReunionDisk

/// Brings the indexes of words to what a model chooses. What it says nothing of stays.
struct TextIndexUpgrade {
  let connection: DatabaseConnection
  /// The layout of before, with the indexes that the store has.
  let old: Layout
  /// The layout from then on, with those that it shall have.
  let new: Layout

  /// The indexes of a store.
  static func read(_ connection: DatabaseConnection) throws(StoreError) -> [UInt32: TextIndex] {
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

  /// The layout from then on, with the indexes alone that stay as they are.
  var kept: Layout {
    var layout = new
    layout.textIndexes = new.textIndexes.filter { old.textIndexes[$0.key] == $0.value }
    return layout
  }

  /// Drops what is not wanted of an entity, makes what is not there, and fills it with all records.
  func run(_ entity: UInt32) throws(StoreError) {
    for sql in old.textIndexes[entity]?.drop ?? [] { try connection.execute(sql) }
    guard let index = new.textIndexes[entity] else { return }
    // The first ones are as this version makes them; those of before are renewed after the opening.
    if old.textIndexes.isEmpty { try WordsRenewal.note(connection) }
    let writer = try RecordWriter(RecordReader(connection, layout: kept))
    let table = new.table(entity)
    for sql in index.create { try connection.execute(sql) }
    for space in try writer.reader.spaces() {
      guard let number = try writer.reader.numbers.existingNumber(of: space) else { continue }
      try writer.reader.forEach(entity: entity, space: number) { (record) throws(StoreError) in
        guard let texts = index.texts(record.state, table) else { return }
        try writer.write(texts, of: record.key.id, in: index, space: number)
      }
    }
  }
}
