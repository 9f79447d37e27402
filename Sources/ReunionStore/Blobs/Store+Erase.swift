public import ReunionCore
public import ReunionDisk
import ReunionFlow

extension WriteTransaction {
  /// Erases a blob in this space, for good: fields keep its name, but its bytes go here and from
  /// every replica of the space, and no replica asks for them or accepts them again.
  ///
  /// ```swift
  /// if case .file(let thumbnail) = photo.thumbnail {
  ///   try store.write(in: space) { try $0.erase(thumbnail.hash) }
  /// }
  /// ```
  /// Bytes that are another space's too stay until they are erased there, and no space takes what
  /// was never its own. Only those who may edit others' records can erase. Backups, archives and
  /// what somebody saved stay. Small bytes that are kept in a record have no file: overwrite the
  /// field.
  ///
  /// *Durability*: the erasure is on the disk with the transaction; the bytes go right after it,
  /// or, where the program ends in between, when the store is opened. It cannot be undone.
  /// - Throws: `closed` after the transaction's end, and errors of the disk. Whether anything names
  ///   the blob is not asked.
  public func erase(_ hash: BlobHash) throws(StoreError) {
    try set(
      field: Erasure.hashField, of: Erasure.id(of: hash), entity: Erasure.entity,
      to: .bytes(hash.bytes))
  }
}

extension Store {
  /// Erases a blob in every space that names it; its bytes are gone when this returns.
  ///
  /// It is final; see `WriteTransaction.erase(_:)`. Each space is a write of its own.
  /// - Throws: `notFound` where no space names it: `BlobStore.collect` takes such a blob.
  ///   `nestedWrite` inside a write, `notWritable`, and errors of the disk.
  public func erase(_ hash: BlobHash) throws {
    let spaces = try read { (reader) throws(StoreError) in try reader.spaces(naming: hash) }
    guard !spaces.isEmpty else {
      throw StoreError(
        .notFound, "No record names the blob \(hash.description): it will be collected by itself.")
    }
    for space in spaces { try write(in: space) { try $0.erase(hash) } }
    try commit { (_, records) throws(StoreError) in
      for tenant in [BlobTenant.program, BlobTenant.unknown] {
        try records.removeTenant(tenant, of: hash)
      }
      return ((), nil)
    }
    try blobs.sweepErased()
  }
}

extension BlobStore {
  /// Whether a blob was erased in a space, as of the last commit. It is so for ever, also where
  /// nothing names it any more.
  public func isErased(_ hash: BlobHash, in space: SpaceID) throws -> Bool {
    try store.read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return false }
      return try BlobUse(reader).spaces(erasing: hash).contains(number)
    }
  }

  /// Throws where a blob was erased in the space whose bytes come; what another erased is not
  /// asked. Notes the bytes as that space's if another may take them before the database says so.
  func refuseErased(_ hash: BlobHash, in space: SpaceID?) throws(StoreError) {
    let isElsewhere = try store.read { (reader) throws(StoreError) in
      let use = try BlobUse(reader)
      let number = try space.flatMap { (space) throws(StoreError) in
        try reader.numbers.existingNumber(of: space)
      }
      if try isRefused(hash, in: number ?? BlobTenant.program, use) { throw erased(hash) }
      return try !use.spaces(erasing: hash).isEmpty
    }
    guard isElsewhere else { return }
    try store.commit { (_, records) throws(StoreError) in
      let tenant = try tenant(space, records)
      if try !records.reader.names(hash, in: tenant) { try records.addTenant(tenant, of: hash) }
      return ((), nil)
    }
  }

  /// Whether a space does not take a blob: it has erased it.
  func isRefused(
    _ hash: BlobHash, in space: Int64, _ use: BlobUse
  ) throws(StoreError) -> Bool {
    let bugs = store.options.seededBugs
    if bugs.erasureReachesAll || bugs.refusalReachesAll { return try isUnnamed(hash, use) }
    return try use.spaces(erasing: hash).contains(space)
  }

  /// Whether a blob's bytes are to go.
  private func isGone(_ hash: BlobHash, _ use: BlobUse) throws(StoreError) -> Bool {
    guard store.options.seededBugs.erasureReachesAll else {
      return try use.isErased(hash)
    }
    return try isUnnamed(hash, use)
  }

  /// Whether a blob was erased anywhere, and is named nowhere: what seeded bugs go by.
  private func isUnnamed(_ hash: BlobHash, _ use: BlobUse) throws(StoreError) -> Bool {
    if try use.spaces(erasing: hash).isEmpty { return false }
    return try !use.isNamed(hash, orDeleted: true)
  }

  func erased(_ hash: BlobHash) -> StoreError {
    StoreError(
      .blobErased, "The blob \(hash.description) was erased for good: it is not taken again.")
  }

  /// Removes the bytes of erased blobs that are no other space's, wherever they are; of those alone
  /// that these records erase, where any are given.
  func sweepErased(_ erasures: (space: SpaceID, ids: Set<RecordID>)? = nil) throws(StoreError) {
    // A reader that sends an erased blob looks again, even if its bytes stay for another space.
    store.blobParts.transfers.noteDeparture()
    defer { store.blobParts.transfers.noteDeparture() }
    let hashes = try store.readTransaction { (reader) throws(StoreError) in
      let use = try BlobUse(reader)
      var erased: [BlobHash] = []
      for hash in try reader.erasedBlobs(erasures) where try isGone(hash, use) {
        erased.append(hash)
      }
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
        // Whoever names it in another space by now has it, and so has whoever is sending it.
        guard try isGone(hash, BlobUse(records.reader)), !isArriving(hash) else {
          return ((), nil)
        }
        for path in try paths(of: hash) where try disk.exists(path) { try disk.remove(path) }
        try records.removeTenants(of: hash)
        return ((), nil)
      }
    }
  }

  /// Whether its file is about to be entered.
  private func isArriving(_ hash: BlobHash) -> Bool {
    store.blobParts.arriving.withLock { $0[hash] != nil }
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

  /// Every blob that was erased in a space, or what some records erase.
  fileprivate func erasedBlobs(
    _ erasures: (space: SpaceID, ids: Set<RecordID>)?
  ) throws(StoreError) -> [BlobHash] {
    var hashes: Set<BlobHash> = []
    var searched = try spaces()
    if let erasures { searched = [erasures.space] }
    for space in searched {
      guard let number = try numbers.existingNumber(of: space) else { continue }
      let statement = try connection.statement(
        """
        SELECT record, kind, value FROM reunion_unknown_cell \
        WHERE space = ?1 AND entity = \(Erasure.entity)
        """)
      defer { statement.reset() }
      try statement.bind(1, number)
      while try statement.step() {
        let record: RecordID = try statement.identifier(0)
        if let ids = erasures?.ids, !ids.contains(record) { continue }
        let kind = ValueKind(rawValue: UInt8(truncatingIfNeeded: statement.int(1)))
        let value = Value(kind: kind, bytes: statement.bytes(2))
        if let hash = Erasure.hash(value, of: record) { hashes.insert(hash) }
      }
    }
    return hashes.sorted()
  }
}
