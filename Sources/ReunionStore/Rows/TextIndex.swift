import ReunionCore
import ReunionDisk

/// The index of the words in some fields of an entity's living records: a table of FTS5 with a row
/// for each record that has words, and the table that tells which record is in which row.
///
/// Letters of scripts without spaces are words there: `UnspacedText`. It is written in the transaction that
/// writes the record, whoever wrote it. The rows of a space are numbered one after the other, so that a
/// search looks at its own space's alone.
struct TextIndex: Hashable, Sendable {
  /// What the index is called in a query.
  static let alias = "words"

  let entity: UInt32
  /// The searchable fields, rising.
  let fields: [UInt32]

  /// The SQL of whether a row's number is one of the space in position 1.
  static func isInSpace(_ number: String) -> String {
    "\(number) BETWEEN ?1 << 40 AND (?1 << 40) + \((1 << 40) - 1)"
  }

  var name: String { "reunion_text_\(entity)" }
  var rowsName: String { "reunion_text_rows_\(entity)" }

  var create: [String] {
    let columns = fields.map { "f\($0)" }.joined(separator: ", ")
    return [
      """
      CREATE TABLE \(rowsName)(number INTEGER PRIMARY KEY, space INTEGER NOT NULL, \
      id BLOB NOT NULL, UNIQUE(space, id))
      """,
      """
      CREATE VIRTUAL TABLE \(name) USING fts5(\(columns), \
      tokenize = 'unicode61 remove_diacritics 2')
      """,
    ]
  }

  var drop: [String] { ["DROP TABLE \(name)", "DROP TABLE \(rowsName)"] }

  /// The texts of a record, nil where it is not alive or has none.
  func texts(_ state: RecordState, _ table: Table) -> [[UInt8]]? {
    let texts = fields.map { text($0, state, table) }
    return texts.contains { !$0.isEmpty } && state.isAlive ? texts : nil
  }

  /// The text of a field; that of all elements of a set or a list, a line each.
  private func text(_ field: UInt32, _ state: RecordState, _ table: Table) -> [UInt8] {
    if let shown = table.shown(field, state) {
      return shown.value?.kind == .text ? shown.value?.bytes ?? [] : []
    }
    let elements = state.members(field) + state.items(field).map(\.value)
    return Array(elements.filter { $0.kind == .text }.map(\.bytes).joined(separator: [0x0a]))
  }
}

extension RecordWriter {
  /// Keeps the index of an entity's words equal to a record; `record` is nil where it is removed.
  func writeTexts(
    _ record: StoredRecord?, over previous: StoredRecord?, space: Int64
  ) throws(StoreError) {
    guard let key = record?.key ?? previous?.key,
      let index = reader.layout.textIndexes[key.entity]
    else { return }
    let table = reader.layout.table(key.entity)
    let new = record.flatMap { index.texts($0.state, table) }
    guard new != previous.flatMap({ index.texts($0.state, table) }) else { return }
    try write(new, of: key.id, in: index, space: space)
  }

  /// Puts texts into an index in place of what it has of a record.
  func write(
    _ texts: [[UInt8]]?, of id: RecordID, in index: TextIndex, space: Int64
  ) throws(StoreError) {
    let connection = reader.connection
    var number: Int64?
    let find = try connection.statement(
      "SELECT number FROM \(index.rowsName) WHERE space = ?1 AND id = ?2")
    try find.bind(1, space)
    try find.bind(2, id)
    if try find.step() { number = find.int(0) }
    find.reset()
    if let number {
      try run("DELETE FROM \(index.name) WHERE rowid = ?1", number)
      if texts == nil { try run("DELETE FROM \(index.rowsName) WHERE number = ?1", number) }
    }
    guard let texts else { return }
    if number == nil {
      let add = try connection.statement(
        """
        INSERT INTO \(index.rowsName)(number, space, id) SELECT ifnull(max(number), ?1 << 40) + 1, \
        ?1, ?2 FROM \(index.rowsName) WHERE \(TextIndex.isInSpace("number"))
        """)
      try add.bind(1, space)
      try add.bind(2, id)
      try add.run()
      number = try connection.number("SELECT last_insert_rowid()")
    }
    let columns = index.fields.map { ", f\($0)" }.joined()
    let places = index.fields.indices.map { ", ?\($0 + 2)" }.joined()
    let insert = try connection.statement(
      "INSERT INTO \(index.name)(rowid\(columns)) VALUES(?1\(places))")
    try insert.bind(1, number ?? 0)
    for (position, text) in texts.enumerated() {
      try insert.bind(Int32(position + 2), text: UnspacedText.gapped(text))
    }
    try insert.run()
  }

  private func run(_ sql: String, _ number: Int64) throws(StoreError) {
    let statement = try reader.connection.statement(sql)
    try statement.bind(1, number)
    try statement.run()
  }
}
