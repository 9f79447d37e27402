import ReunionCore

extension RecordWriter {
  /// Sets up to where everything of a peer is held.
  func setCursor(of peer: Int64, space: Int64, to cursor: UInt64) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_peer(space, site, cursor) VALUES(?1, ?2, ?3)")
    try insert.bind(1, space)
    try insert.bind(2, peer)
    try insert.bind(3, Int64(bitPattern: cursor))
    try insert.run()
  }

  /// The records of refused changes, each with the cells that stand.
  func refusals(_ refused: [Change], space: Int64) throws(StoreError) -> [Refusal] {
    var keys: Set<RecordKey> = []
    var refusals: [Refusal] = []
    for change in refused where keys.insert(RecordKey(change)).inserted {
      let held = try reader.record(RecordKey(change), space: space)
      refusals.append(
        Refusal(entity: change.entity, record: change.record, cells: held?.state.cells ?? []))
    }
    return refusals
  }

  /// Those of some blobs that are not held and were not erased in a space, each once.
  func notHeld(_ blobs: [BlobReference], space: Int64) throws(StoreError) -> [BlobReference] {
    guard !blobs.isEmpty else { return [] }
    var seen: Set<BlobReference> = []
    var missing: [BlobReference] = []
    let use = try BlobUse(reader)
    for blob in blobs where seen.insert(blob).inserted {
      if try !reader.holdsBlob(blob.hash), try !use.spaces(erasing: blob.hash).contains(space) {
        missing.append(blob)
      }
    }
    return missing
  }
}

extension RecordReader {
  /// Whether a blob's row is there.
  func holdsBlob(_ hash: BlobHash) throws(StoreError) -> Bool {
    let statement = try connection.statement("SELECT 1 FROM reunion_blob WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    return try statement.step()
  }

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
