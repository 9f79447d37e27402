public import ReunionCore
public import ReunionDisk
import ReunionFlow

extension WriteTransaction {
  /// Erases a blob in this space, for good: fields keep its name, but its bytes go here and from every
  /// replica of the space, and no replica asks for them or accepts them again.
  ///
  /// Bytes that another space names too stay until they are erased there. Only those who may edit
  /// others' records can erase. Backups, archives and what somebody saved stay. *Durability*: the
  /// erasure is on the disk with the transaction; the bytes go right after it, or, where the program
  /// ends in between, when the store is opened.
  public func erase(_ hash: BlobHash) throws(StoreError) {
    try set(
      field: Erasure.hashField, of: Erasure.id(of: hash), entity: Erasure.entity,
      to: .bytes(hash.bytes))
  }
}

extension Store {
  /// Erases a blob in every space that names it; its bytes are gone when this returns.
  ///
  /// It is final; see `WriteTransaction.erase`.
  /// - Throws: `notFound` where no space names it: `BlobStore.collect` takes such a blob.
  public func erase(_ hash: BlobHash) throws {
    let spaces = try read { (reader) throws(StoreError) in try reader.spaces(naming: hash) }
    guard !spaces.isEmpty else {
      throw StoreError(
        .notFound, "No record names the blob \(hash.description): it will be collected by itself.")
    }
    for space in spaces { try write(in: space) { try $0.erase(hash) } }
    try blobs.sweepErased()
  }
}

extension BlobStore {
  /// Whether a blob was erased in a space.
  public func isErased(_ hash: BlobHash, in space: SpaceID) throws -> Bool {
    try store.read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return false }
      return try BlobUse(reader).spaces(erasing: hash).contains(number)
    }
  }

  /// Throws where a blob was erased and no space may name it.
  func refuseErased(_ hash: BlobHash) throws(StoreError) {
    let isErased = try store.read { (reader) throws(StoreError) in
      try BlobUse(reader).isErased(hash)
    }
    if isErased { throw erased(hash) }
  }

  func erased(_ hash: BlobHash) -> StoreError {
    StoreError(
      .blobErased, "The blob \(hash.description) was erased for good: it is not taken again.")
  }

  /// Removes the bytes of erased blobs that no other space names, wherever they are.
  func sweepErased() throws(StoreError) {
    // Who sends one looks again, also where its bytes stay for another space.
    store.blobParts.transfers.noteDeparture()
    defer { store.blobParts.transfers.noteDeparture() }
    let hashes = try store.readTransaction { (reader) throws(StoreError) in
      let use = try BlobUse(reader)
      var erased: [BlobHash] = []
      for hash in try reader.erasedBlobs() where try use.isErased(hash) { erased.append(hash) }
      return erased
    }
    for hash in hashes {
      store.blobParts.transfers.erased(hash)
      guard try isLeft(hash) else { continue }
      try store.commit { (_, records) throws(StoreError) in
        try records.release(hash)
        try records.unmark(hash)
        return ((), nil)
      }
      _ = store.blobParts.verified.withLock { $0.remove(hash) }
      try store.commit { (_, records) throws(StoreError) in
        // Whoever names it in another space by now has it.
        guard try BlobUse(records.reader).isErased(hash) else { return ((), nil) }
        for path in try paths(of: hash) where try disk.exists(path) { try disk.remove(path) }
        return ((), nil)
      }
    }
  }

  private func isLeft(_ hash: BlobHash) throws(StoreError) -> Bool {
    if try store.read({ (reader) throws(StoreError) in try reader.holdsBlob(hash) }) { return true }
    for path in try paths(of: hash) where try disk.exists(path) { return true }
    return false
  }

  /// Every file that may hold a blob's bytes.
  private func paths(of hash: BlobHash) throws(StoreError) -> [String] {
    let quarantine = store.folder + "/quarantine"
    var paths = [path(of: hash), trashPath(hash)] + partialPaths(hash)
    if try disk.exists(quarantine) {
      paths += try disk.names(in: quarantine).filter { $0.hasPrefix(hash.description) }
        .map { "\(quarantine)/\($0)" }
    }
    return paths
  }
}

extension RecordReader {
  /// The spaces in which a record, alive or deleted, names a blob.
  fileprivate func spaces(naming hash: BlobHash) throws(StoreError) -> [SpaceID] {
    let statement = try connection.statement(
      """
      SELECT id FROM reunion_space WHERE number IN \
      (SELECT space FROM reunion_blob_reference WHERE hash = ?1) ORDER BY id
      """)
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    var spaces: [SpaceID] = []
    while try statement.step() { spaces.append(try statement.identifier(0)) }
    return spaces
  }

  /// Every blob that was erased in a space.
  fileprivate func erasedBlobs() throws(StoreError) -> [BlobHash] {
    var hashes: Set<BlobHash> = []
    for space in try spaces() {
      guard let number = try numbers.existingNumber(of: space) else { continue }
      let statement = try connection.statement(
        """
        SELECT record, kind, value FROM reunion_unknown_cell \
        WHERE space = ?1 AND entity = \(Erasure.entity)
        """)
      defer { statement.reset() }
      try statement.bind(1, number)
      while try statement.step() {
        let kind = ValueKind(rawValue: UInt8(truncatingIfNeeded: statement.int(1)))
        let value = Value(kind: kind, bytes: statement.bytes(2))
        let record: RecordID = try statement.identifier(0)
        if let hash = Erasure.hash(value, of: record) { hashes.insert(hash) }
      }
    }
    return hashes.sorted()
  }
}
