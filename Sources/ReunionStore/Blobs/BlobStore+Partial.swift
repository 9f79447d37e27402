package import ReunionCore
import ReunionDisk
package import ReunionFlow

extension BlobStore {
  /// Begins to receive a blob, unless it is held or another transfer receives it.
  ///
  /// What an earlier transfer left is used. If it is the whole blob, it is named at once; if it is
  /// longer, it is thrown away. Otherwise the transfer goes on after it. One that has not moved on
  /// since it was `stalled` is ended, and what it has is taken over.
  ///
  /// The space is the one whose records name it: what it erased is refused, and nothing else.
  ///
  /// *Thread*: any. *Cost*: a few looks; reads all that has arrived where that is the whole blob, and
  /// waits for a transfer that is taken over while it writes.
  /// - Throws: `blobErased`, `valueTooLarge` where it is over 1 TiB, `ioFailed`.
  package func receive(
    _ blob: BlobReference, in space: SpaceID? = nil, insteadOf stalled: BlobProgress? = nil
  ) throws -> BlobReception {
    try Self.check(blob)
    let isShared = store.options.seededBugs.partialSharedBySessions
    let begun = store.blobParts.transfers.begin(blob.hash, insteadOf: stalled, isShared: isShared)
    guard let turn = begun.turn else { return .elsewhere(begun.progress) }
    begun.old?.end()
    // Released without being returned, it is over.
    let transfer = BlobTransfer(blob, in: space, turn, in: store)
    defer { if begun.old != nil { store.blobParts.transfers.freed.tell(blob.hash) } }
    return try transfer.isHeld() ? .held : .begun(transfer)
  }

  /// How far the transfer of a blob is; nil if nobody receives it.
  package func progress(of hash: BlobHash) -> BlobProgress? {
    store.blobParts.transfers.progress(of: hash)
  }

  /// Calls a closure when the transfer of a blob is over, whether it came whole or not, or another
  /// has taken its place, until the result is released.
  ///
  /// *Thread*: that of whoever ended it.
  package func observeTransfers(_ body: @escaping @Sendable (BlobHash) -> Void)
    -> SignalSubscription
  {
    store.blobParts.transfers.freed.add(body)
  }

  /// Calls a closure when a blob becomes held, until the result is released.
  ///
  /// *Thread*: that of whoever added or received it.
  package func observeArrivals(_ body: @escaping @Sendable (BlobHash) -> Void) -> SignalSubscription
  {
    store.blobParts.transfers.arrived.add(body)
  }

  /// Has other sessions ask for a blob of a space, or for all that it lacks.
  ///
  /// *Thread*: any; observers are told on it.
  package func seek(_ blob: BlobReference?, in space: SpaceID) {
    store.blobParts.transfers.sought.tell(SoughtBlobs(space: space, blob: blob))
  }

  /// Calls a closure with what `seek` names, until the result is released.
  package func observeSought(
    _ body: @escaping @Sendable (SoughtBlobs) -> Void
  ) -> SignalSubscription {
    store.blobParts.transfers.sought.add(body)
  }

  /// How many bytes of a blob an earlier transfer left, floored to 64 KiB; 0 if there was none.
  func partialByteCount(of hash: BlobHash) throws(StoreError) -> UInt64 {
    var byteCount = try chunkedPrefixBytes(hash)
    if byteCount == nil { byteCount = try disk.byteCount(partialPath(hash)) }
    return (byteCount ?? 0) / BlobChunks.bytesEach * BlobChunks.bytesEach
  }

  func wrongOffset(_ hash: BlobHash, _ held: UInt64) -> StoreError {
    StoreError(
      .wrongOffset,
      "Only \(held) bytes of the blob \(hash.description) are here: continue from there.")
  }

  /// Throws away what was received of a blob.
  func discardPartial(_ hash: BlobHash) throws(StoreError) {
    // In this order: a file without its list would be taken for one that came in one piece.
    try disk.remove(partialPath(hash))
    try disk.remove(havePath(hash))
  }

  /// Has the database say that a blob is held whose file a killed program has named, but not entered.
  func adoptUnnamed(_ hash: BlobHash, in space: SpaceID?) throws(StoreError) -> Bool {
    let path = path(of: hash)
    guard try disk.exists(path) else { return false }
    let file = try disk.open(path, .writing)
    guard try Self.hash(file) == hash else { return false }
    try file.sync()
    try disk.syncFolder(path.parentFolder)
    try enter(BlobReference(hash: hash, byteCount: try file.byteCount()), in: space)
    _ = store.blobParts.verified.withLock { $0.insert(hash) }
    try discardPartial(hash)
    return true
  }

  /// A file of its own for bytes that become a blob in one go.
  func temporaryPath() -> String {
    let number = RecordID(high: store.options.random(), low: store.options.random())
    return "\(store.folder)/partial/\(number.description).new"
  }

  /// Removes what `temporaryPath` named and a killed program left; nobody goes on with those. For
  /// the holder of the folder's lock, before anything else is done in it.
  static func sweepBrokenOff(in folder: String, on disk: any Disk) {
    for name in (try? disk.names(in: folder + "/partial")) ?? [] {
      let number = name.dropLast(4)
      guard name.hasSuffix(".new"), number.utf8.count == 32,
        number.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
      else { continue }
      // What cannot be removed now is tried at the next opening; a folder stays in any case.
      try? disk.remove("\(folder)/partial/\(name)")
    }
  }

  func hasPartial(_ hash: BlobHash) throws(StoreError) -> Bool {
    try disk.exists(partialPath(hash))
  }

  /// The files of a blob that is on its way.
  func partialPaths(_ hash: BlobHash) -> [String] { [partialPath(hash), havePath(hash)] }

  func havePath(_ hash: BlobHash) -> String { partialPath(hash) + ".have" }

  func partialPath(_ hash: BlobHash) -> String {
    "\(store.folder)/partial/\(hash.description)"
  }
}
