public import ReunionCore
import ReunionFlow

extension BlobStore {
  /// To what a broken-off transfer is floored, in bytes.
  public static let partialStepBytes: UInt64 = 64 * 1024

  /// How many bytes of a blob an earlier transfer left, floored to 64 KiB; 0 if there was none.
  public func partialByteCount(of hash: BlobHash) throws -> UInt64 {
    let byteCount = try chunkedPrefixBytes(hash) ?? disk.byteCount(partialPath(hash)) ?? 0
    return byteCount / Self.partialStepBytes * Self.partialStepBytes
  }

  /// Keeps a piece of a blob that is being received; what was there from `offset` on goes.
  ///
  /// *Durability*: survives the death of the program. What a power cut spoils, `complete` finds.
  /// - Throws: `wrongOffset` where there are fewer bytes than `offset`.
  public func append(to hash: BlobHash, offset: UInt64, bytes: [UInt8]) throws {
    try refuseErased(hash)
    if let held = try chunkedPrefixBytes(hash) {
      guard offset <= held else { throw wrongOffset(hash, held) }
      if offset % BlobChunks.bytesEach == 0, UInt64(bytes.count) == BlobChunks.bytesEach {
        // A whole chunk: what came beyond it stays.
        try disk.open(partialPath(hash), .writing).write(bytes, at: offset)
        let index = offset / BlobChunks.bytesEach
        return try disk.open(havePath(hash), .writing).write([1], at: index)
      }
      try endChunks(of: hash)
    }
    let file = try disk.open(partialPath(hash), .writing)
    let held = try file.byteCount()
    guard offset <= held else {
      throw wrongOffset(hash, held)
    }
    if held > offset { try file.truncate(to: offset) }
    try file.write(bytes, at: offset)
  }

  /// Makes what was received a blob: checks, syncs and names it. Again it does nothing.
  ///
  /// - Throws: `blobMismatch` where the bytes are not the blob's; they are thrown away.
  ///   `wrongOffset` where there are fewer than `byteCount`.
  public func complete(_ hash: BlobHash, byteCount: UInt64) throws {
    if try retains(hash) { return try discardPartial(hash) }
    let file = try disk.open(partialPath(hash), .writing)
    let held = try file.byteCount()
    guard held >= byteCount else {
      throw wrongOffset(hash, held)
    }
    let hashed = held == byteCount ? try Self.hash(file) : nil
    guard hashed == hash || store.options.seededBugs.contains(.receivedBlobNotChecked) else {
      try discardPartial(hash)
      throw StoreError(
        .blobMismatch, "What was received is not the blob \(hash.description): send it again.")
    }
    try keep(file, as: BlobReference(hash: hash, byteCount: byteCount))
    try disk.remove(havePath(hash))
  }

  private func wrongOffset(_ hash: BlobHash, _ held: UInt64) -> StoreError {
    StoreError(
      .wrongOffset, "Only \(held) bytes of the blob \(hash.description) are here: go on there.")
  }

  /// Throws away what was received of a blob.
  public func discardPartial(_ hash: BlobHash) throws {
    // In this order: a file without its list would be taken for one that came in one piece.
    try disk.remove(partialPath(hash))
    try disk.remove(havePath(hash))
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
