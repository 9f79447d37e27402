public import ReunionCore
import ReunionDisk
import ReunionFlow

extension BlobStore {
  /// The blobs that living records of a space name and that are not held, or whose file was not
  /// there when somebody looked and still is not; not those that were erased in it.
  ///
  /// ```swift
  /// for blob in try store.blobs.missing(in: space, limit: 20) {
  ///   print("Still to come:", blob.hash, blob.byteCount)
  /// }
  /// ```
  /// They come by rising hash, those after `hash` alone where one is given, and no more than
  /// `limit`. A sync fetches them by itself. *Cost*: a look at each blob that the space names, up
  /// to the limit.
  public func missing(
    in space: SpaceID, after hash: BlobHash? = nil, limit: Int = .max
  ) throws -> [BlobReference] {
    let away = store.blobParts.away.withLock { $0 }
    return try store.readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      return try reader.missingBlobs(
        space: number, after: hash, limit: limit, looksAtAll: !away.isEmpty
      ) { (hash) throws(StoreError) in try isLacked(hash, away, reader) }
    }
  }

  private func isLacked(
    _ hash: BlobHash, _ away: Set<BlobHash>, _ reader: RecordReader
  ) throws(StoreError) -> Bool {
    // Without any, the statement has asked.
    guard !away.isEmpty, let held = try reader.byteCount(ofBlob: hash) else { return true }
    guard away.contains(hash) else { return false }
    return try !isWhole(hash, held)
  }

  /// The largest size that a record of a space names for a blob, and 1 TiB at most: nobody needs to
  /// take more bytes for it. It is 0 if no record names it.
  package func byteCountNamed(of hash: BlobHash, in space: SpaceID) throws -> UInt64 {
    try store.readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return 0 }
      let statement = try reader.connection.statement(
        "SELECT max(byte_count) FROM reunion_blob_reference WHERE hash = ?1 AND space = ?2")
      defer { statement.reset() }
      try statement.bind(1, hash.bytes)
      try statement.bind(2, number)
      guard try statement.step() else { return 0 }
      return min(UInt64(clamping: statement.int(0)), BlobChunks.blobBytesMax)
    }
  }

  /// Whether a living record names a blob in one of these fields, in this space or in any: who may
  /// see those fields may see the blob. *Cost*: O(records that name it).
  public func isReferenced(
    _ hash: BlobHash, by fields: [(entity: UInt32, field: UInt32)], in space: SpaceID? = nil
  ) throws -> Bool {
    try !namers(of: hash, by: fields, in: space).isEmpty
  }

  /// The devices that wrote a blob's name into these fields of living records, or with `orDeleted`
  /// of any. What a field had before does not count. *Cost*: O(records that name it).
  ///
  /// - Parameters:
  ///   - hash: the blob's.
  ///   - fields: by the numbers of their entities, and their own.
  ///   - space: the space whose records count; nil for those of all.
  ///   - orDeleted: whether deleted records count too.
  /// - Returns: their numbers; none if nothing names it.
  /// - Throws: `closed`, `damaged`, `ioFailed`.
  public func namers(
    of hash: BlobHash, by fields: [(entity: UInt32, field: UInt32)], in space: SpaceID? = nil,
    orDeleted: Bool = false
  ) throws -> Set<UInt64> {
    try store.readTransaction { (reader) throws(StoreError) in
      var number: Int64?
      if let space {
        number = try reader.numbers.existingNumber(of: space)
        if number == nil { return [] }
      }
      let sites = try reader.namers(of: hash, space: number, orDeleted: orDeleted) {
        entity, field in
        fields.contains { $0.entity == entity && $0.field == field }
      }
      return Set(sites.map(\.device))
    }
  }
}

extension RecordReader {
  /// The blobs that living records of a space name, and of which it is not noted that they are held, or, where all
  /// are looked at, that are lacked all the same.
  func missingBlobs(
    space: Int64, after hash: BlobHash? = nil, limit: Int, looksAtAll: Bool = false,
    where isLacked: (BlobHash) throws(StoreError) -> Bool = { (_) throws(StoreError) in true }
  ) throws(StoreError) -> [BlobReference] {
    let statement = try connection.statement(
      """
      SELECT hash, byte_count, record, entity FROM reunion_blob_reference r WHERE space = ?1 \
      AND hash > ?2 AND (?3 OR NOT EXISTS \
      (SELECT 1 FROM reunion_blob b WHERE b.hash = r.hash)) ORDER BY hash
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, hash?.bytes ?? [])
    try statement.bind(3, looksAtAll ? 1 : 0 as Int64)
    let use = try BlobUse(self)
    var blobs: [BlobReference] = []
    while blobs.count < limit, try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's hash")
      }
      let blob = BlobReference(hash: hash, byteCount: UInt64(bitPattern: statement.int(1)))
      let record = RecordKey(
        entity: UInt32(truncatingIfNeeded: statement.int(3)), id: try statement.identifier(2))
      guard blobs.last != blob, try isLacked(hash), try use.isAlive(record, space: space),
        try !use.spaces(erasing: hash).contains(space)
      else { continue }
      blobs.append(blob)
    }
    return blobs
  }

  /// The sites that wrote a blob's name into fields of living records, or of any records. All
  /// spaces count if `space` is nil. Cost: O(records that name it).
  func namers(
    of hash: BlobHash, space: Int64?, orDeleted: Bool = false,
    where isWanted: (_ entity: UInt32, _ field: UInt32) -> Bool = { _, _ in true }
  ) throws(StoreError) -> Set<Site> {
    let statement = try connection.statement(
      "SELECT space, record, entity, field FROM reunion_blob_reference WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    var found: Set<Site> = []
    while try statement.step() {
      let number = statement.int(0)
      let entity = UInt32(truncatingIfNeeded: statement.int(2))
      let field = UInt32(truncatingIfNeeded: statement.int(3))
      guard space == nil || space == number, isWanted(entity, field) else { continue }
      let key = RecordKey(entity: entity, id: try statement.identifier(1))
      guard let state = try record(key, space: number)?.state, orDeleted || state.isAlive,
        let name = state.register(field)
      else { continue }
      found.insert(name.dot.site)
    }
    return found
  }
}
