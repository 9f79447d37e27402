package import ReunionCore
package import ReunionDisk

/// Who names a blob, as one connection sees it.
///
/// A space in which a blob was erased does not name it any more.
package struct BlobUse {
  private let reader: RecordReader
  /// Tables, beside the records', of which values may name blobs, each with that column.
  private let asides: [(table: String, column: String)]
  private let hasErasures: Bool

  package init(_ reader: RecordReader) throws(StoreError) {
    self.reader = reader
    var asides: [(String, String)] = []
    for (table, column) in [
      ("reunion_conflict", "value"), ("reunion_staged", "changes"), ("reunion_undo", "step"),
    ] {
      let statement = try reader.connection.statement(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")
      defer { statement.reset() }
      try statement.bind(1, text: table)
      if try statement.step() { asides.append((table, column)) }
    }
    self.asides = asides
    hasErasures = try reader.hasErasures()
  }

  /// Whether a living record names a blob, a value that lost, a change that is staged, or a step that
  /// can be undone. With `orDeleted`, deleted records count as well.
  package func isNamed(_ hash: BlobHash, orDeleted: Bool = false) throws(StoreError) -> Bool {
    let erased = try spaces(erasing: hash)
    if try isNamedByRecord(hash, orDeleted: orDeleted, except: erased) { return true }
    for (table, column) in asides {
      let statement = try reader.connection.statement(
        "SELECT space FROM \(table) WHERE instr(\(column), ?1) > 0")
      defer { statement.reset() }
      try statement.bind(1, hash.bytes)
      while try statement.step() { if !erased.contains(statement.int(0)) { return true } }
    }
    return false
  }

  /// Whether a living record names a blob in a space in which it was not erased.
  package func isNamedByLiving(_ hash: BlobHash) throws(StoreError) -> Bool {
    try isNamedByRecord(hash, except: try spaces(erasing: hash))
  }

  func isNamedByRecord(
    _ hash: BlobHash, orDeleted: Bool = false, except erased: Set<Int64> = []
  ) throws(StoreError) -> Bool {
    let statement = try reader.connection.statement(
      "SELECT space, record, entity FROM reunion_blob_reference WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    while try statement.step() {
      let space = statement.int(0)
      if erased.contains(space) { continue }
      if orDeleted { return true }
      let key = RecordKey(
        entity: UInt32(truncatingIfNeeded: statement.int(2)), id: try statement.identifier(1))
      if try isAlive(key, space: space) { return true }
    }
    return false
  }

  /// Whether a record is alive. Cost: a look at its row.
  func isAlive(_ key: RecordKey, space: Int64) throws(StoreError) -> Bool {
    let table = reader.layout.table(key.entity)
    let statement = try reader.connection.statement(
      "SELECT alive FROM \(table.name) WHERE space = ?1 AND id = ?2"
        + (table.isUnknown ? " AND entity = ?3" : ""))
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, key.id)
    if table.isUnknown { try statement.bind(3, Int64(key.entity)) }
    return try statement.step() && statement.int(0) != 0
  }

  /// The spaces in which a blob was erased.
  func spaces(erasing hash: BlobHash) throws(StoreError) -> Set<Int64> {
    guard hasErasures else { return [] }
    let statement = try reader.connection.statement(
      """
      SELECT number FROM reunion_space s WHERE EXISTS (SELECT 1 FROM reunion_unknown_cell \
      WHERE space = s.number AND entity = \(Erasure.entity) AND record = ?1 \
      AND field = \(Erasure.hashField))
      """)
    defer { statement.reset() }
    try statement.bind(1, Erasure.id(of: hash))
    var spaces: Set<Int64> = []
    while try statement.step() { spaces.insert(statement.int(0)) }
    return spaces
  }

  /// Whether a blob was erased for good: in some space, and no other names it.
  func isErased(_ hash: BlobHash) throws(StoreError) -> Bool {
    if try spaces(erasing: hash).isEmpty { return false }
    return try !isNamed(hash, orDeleted: true)
  }
}

extension RecordReader {
  /// Whether any blob was erased in any space.
  func hasErasures() throws(StoreError) -> Bool {
    let found = try connection.number(
      """
      SELECT EXISTS (SELECT 1 FROM reunion_space s WHERE EXISTS (SELECT 1 \
      FROM reunion_unknown_cell WHERE space = s.number AND entity = \(Erasure.entity)))
      """)
    return found == 1
  }
}
