package import ReunionCore
package import ReunionDisk

extension RecordWriter {
  /// Keeps a register that lost against one that had not seen it; the last four a field stay, and cleared ones
  /// after those with a value: of a deleted record nobody may be shown them.
  package func keepConflict(_ cell: Cell, of key: RecordKey, space: Int64) throws(StoreError) {
    let insert = try connection.statement(
      """
      INSERT OR IGNORE INTO reunion_conflict\
      (space, record, entity, field, merge, site, seq, stamp, replaced, kind, value) \
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """)
    try bindKey(insert, key, space: space, isUnknown: true)
    try bindCell(insert, cell)
    try insert.run()
    if let blob = cell.value.blob { try unmark(blob.hash) }
    let trim = try connection.statement(
      """
      DELETE FROM reunion_conflict WHERE number IN (SELECT number FROM reunion_conflict \
      WHERE space = ?1 AND record = ?2 AND entity = ?3 AND field = ?4 \
      ORDER BY kind = \(ValueKind.null.rawValue), stamp DESC, number DESC LIMIT -1 OFFSET 4)
      """)
    try bindKey(trim, key, space: space, isUnknown: true)
    try trim.bind(4, Int64(cell.field))
    try trim.run()
  }
}

extension RecordReader {
  /// The kept conflicts of a record, latest first.
  func conflicts(_ key: RecordKey, space: Int64) throws(StoreError) -> [Cell] {
    let statement = try connection.statement(
      """
      SELECT field, merge, site, seq, stamp, replaced, kind, value FROM reunion_conflict \
      WHERE space = ?1 AND entity = ?2 AND record = ?3 ORDER BY stamp DESC, number DESC
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, Int64(key.entity))
    try statement.bind(3, key.id)
    var cells: [Cell] = []
    while try statement.step() { cells.append(try wholeCell(statement)) }
    return cells
  }
}
