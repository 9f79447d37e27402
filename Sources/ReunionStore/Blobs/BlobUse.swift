package import ReunionCore
package import ReunionDisk

/// Tells who names a blob, as one connection sees it.
///
/// A space in which a blob was erased does not name it any more.
package struct BlobUse {
  private let reader: RecordReader
  /// Tables, beside the records', of which values may name blobs, each with that column.
  private let asides: [(table: String, column: String)]
  private let hasErasures: Bool
  private let hasTenants: Bool

  package init(_ reader: RecordReader) throws(StoreError) {
    self.reader = reader
    var asides: [(String, String)] = []
    for (table, column) in [
      ("reunion_conflict", "value"), ("reunion_staged", "changes"), ("reunion_undo", "step"),
    ] where try Self.has(table, reader) {
      asides.append((table, column))
    }
    self.asides = asides
    // A file of an earlier version, which is only read, has none.
    hasTenants = try Self.has("reunion_tenant", reader)
    hasErasures = try reader.hasErasures()
  }

  private static func has(_ table: String, _ reader: RecordReader) throws(StoreError) -> Bool {
    let statement = try reader.connection.statement(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")
    defer { statement.reset() }
    try statement.bind(1, text: table)
    return try statement.step()
  }

  /// Whether a living record names a blob, a value that lost, a change that is staged, or a step that
  /// can be undone. With `orDeleted`, deleted records count as well.
  package func isNamed(_ hash: BlobHash, orDeleted: Bool = false) throws(StoreError) -> Bool {
    let erased = try spaces(erasing: hash)
    if try isNamedByRecord(hash, orDeleted: orDeleted, except: erased) { return true }
    return try !asideSpaces(of: hash).isSubset(of: erased)
  }

  /// The spaces that name a blob beside records: in a value that lost, a change that is staged, or a step
  /// that can be undone.
  private func asideSpaces(of hash: BlobHash) throws(StoreError) -> Set<Int64> {
    var spaces: Set<Int64> = []
    for (table, column) in asides {
      try collect(
        "SELECT DISTINCT space FROM \(table) WHERE instr(\(column), ?1) > 0", hash, &spaces)
    }
    return spaces
  }

  /// Whether a space names a blob beside records.
  func isAside(_ hash: BlobHash, in space: Int64) throws(StoreError) -> Bool {
    try asideSpaces(of: hash).contains(space)
  }

  private func collect(
    _ sql: String, _ hash: BlobHash, _ spaces: inout Set<Int64>
  ) throws(StoreError) {
    let statement = try reader.connection.statement(sql)
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    while try statement.step() { spaces.insert(statement.int(0)) }
  }

  /// The spaces whose a blob is: a record of theirs names it, alive or deleted, or something beside them;
  /// or it was sent to them, or named by them last, within the grace.
  func holders(of hash: BlobHash) throws(StoreError) -> Set<Int64> {
    try holdersByRow(of: hash).union(asideSpaces(of: hash))
  }

  private func holdersByRow(of hash: BlobHash) throws(StoreError) -> Set<Int64> {
    var spaces: Set<Int64> = []
    try collect(
      "SELECT DISTINCT space FROM reunion_blob_reference WHERE hash = ?1", hash, &spaces)
    if hasTenants {
      try collect("SELECT space FROM reunion_tenant WHERE hash = ?1", hash, &spaces)
    }
    return spaces
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

  /// Whether all that keep the past open have met the deletes of the records that name a blob, as far as somebody says
  /// who these are (`Store.closePast`).
  func isDeletedForAll(_ hash: BlobHash) throws(StoreError) -> Bool {
    let statement = try reader.connection.statement(
      "SELECT space, record, entity FROM reunion_blob_reference WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    while try statement.step() {
      let number = statement.int(0)
      let key = RecordKey(
        entity: UInt32(truncatingIfNeeded: statement.int(2)), id: try statement.identifier(1))
      let space = try reader.space(number)
      guard let stable = try Horizon(of: space, reader.connection).stable else { continue }
      let arrival = try reader.record(key, space: number)?.arrival ?? 0
      if arrival > stable { return false }
    }
    return true
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

  /// Whether a blob's bytes are to go: every space whose it is has erased it, and there is one. What a
  /// space erases that never was its own goes on.
  func isErased(_ hash: BlobHash) throws(StoreError) -> Bool {
    let erasing = try spaces(erasing: hash)
    guard !erasing.isEmpty else { return false }
    let holders = try holdersByRow(of: hash)
    // Where a row says so, nothing else needs to be looked through.
    guard holders.isSubset(of: erasing) else { return false }
    let all = try holders.union(asideSpaces(of: hash))
    return !all.isEmpty && all.isSubset(of: erasing)
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
