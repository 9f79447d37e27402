public import ReunionCore

/// Blobs that come in chunks of 64 KiB, in any order, from any number of peers.
///
/// Beside the bytes in `partial/HASH` is the file `HASH.have` with a byte a chunk, which is set once
/// the chunk's bytes were written: after the death of the program every chunk that it tells of is
/// there. After a power cut one may not be; `complete` finds it.
extension BlobStore {
  /// Which chunks of a blob are here; all of them where it is held.
  public func chunks(of blob: BlobReference) throws -> BlobChunks {
    try Self.check(blob)
    if try contains(blob.hash) {
      return BlobChunks(of: blob, have: [UInt8](repeating: 1, count: BlobChunks.count(of: blob)))
    }
    return try partialChunks(of: blob)
  }

  /// Keeps a chunk of a blob that is being received; a chunk that is here is written again.
  ///
  /// *Durability*: survives the death of the program. *Thread*: any; several chunks of one blob may be
  /// written at once.
  /// - Throws: `wrongOffset` where there is no such chunk, or it has another size. `blobErased`.
  public func write(_ bytes: [UInt8], chunk index: Int, of blob: BlobReference) throws {
    try Self.check(blob)
    try refuseErased(blob.hash)
    let chunks = BlobChunks(of: blob, have: [])
    let range = chunks.range(of: index)
    guard index >= 0, index < chunks.count,
      UInt64(bytes.count) == range.upperBound - range.lowerBound
    else {
      throw StoreError(
        .wrongOffset, "The blob \(blob.hash.description) has no chunk \(index) of that size.")
    }
    // Before the first chunk, what came in one piece from the start is noted.
    if try have(of: blob.hash) == nil {
      try keepHave(try partialChunks(of: blob).prefixCount, of: blob.hash)
    }
    try disk.open(partialPath(blob.hash), .writing).write(bytes, at: range.lowerBound)
    try disk.open(havePath(blob.hash), .writing).write([1], at: UInt64(index))
  }

  /// Makes a blob of chunks that have all arrived.
  ///
  /// Where the list of the chunks' hashes is known, bytes that a power cut spoiled cost their chunk
  /// alone: the others stay.
  /// - Throws: `wrongOffset` where a chunk is missing. `blobMismatch` where bytes are others; the
  ///   chunks that are wrong are missing then, or all, where no list tells.
  public func complete(_ blob: BlobReference, chunkHashes: [BlobHash]? = nil) throws {
    let chunks = try chunks(of: blob)
    guard chunks.missing.isEmpty else {
      throw StoreError(
        .wrongOffset, "\(chunks.missing.count) chunks of \(blob.hash.description) are missing.")
    }
    guard try !retains(blob.hash), let chunkHashes else {
      return try complete(blob.hash, byteCount: blob.byteCount)
    }
    let file = try disk.open(partialPath(blob.hash), .writing)
    var damaged = 0
    for index in 0..<chunks.count {
      let range = chunks.range(of: index)
      let bytes = try file.read(
        at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
      guard index >= chunkHashes.count || BlobHash(of: bytes) != chunkHashes[index] else {
        continue
      }
      try disk.open(havePath(blob.hash), .writing).write([0], at: UInt64(index))
      damaged += 1
    }
    guard damaged == 0 else {
      throw StoreError(
        .blobMismatch, "\(damaged) chunks of \(blob.hash.description) are others: send them again.")
    }
    try complete(blob.hash, byteCount: blob.byteCount)
  }

  /// What `HASH.have` tells; without it, of what came in one piece, the whole chunks.
  private func partialChunks(of blob: BlobReference) throws(StoreError) -> BlobChunks {
    if let have = try have(of: blob.hash) { return BlobChunks(of: blob, have: have) }
    let held = try disk.byteCount(partialPath(blob.hash)) ?? 0
    let count =
      held >= blob.byteCount ? BlobChunks.count(of: blob) : Int(held / BlobChunks.bytesEach)
    return BlobChunks(of: blob, have: [UInt8](repeating: 1, count: count))
  }

  /// How many bytes have arrived from the start on, where a blob comes in chunks; nil where not.
  func chunkedPrefixBytes(_ hash: BlobHash) throws(StoreError) -> UInt64? {
    guard let have = try have(of: hash) else { return nil }
    return UInt64(have.firstIndex { $0 != 1 } ?? have.count) * BlobChunks.bytesEach
  }

  /// Has a blob go on as one that comes in one piece: what is beyond a gap goes.
  func endChunks(of hash: BlobHash) throws(StoreError) {
    guard let prefix = try chunkedPrefixBytes(hash) else { return }
    let file = try disk.open(partialPath(hash), .writing)
    if try file.byteCount() > prefix { try file.truncate(to: prefix) }
    try disk.remove(havePath(hash))
  }

  /// What `HASH.have` holds; nothing where its blob's bytes are gone.
  private func have(of hash: BlobHash) throws(StoreError) -> [UInt8]? {
    if try disk.exists(partialPath(hash)) { return try disk.read(havePath(hash)) }
    try disk.remove(havePath(hash))
    return nil
  }

  private func keepHave(_ count: Int, of hash: BlobHash) throws(StoreError) {
    let file = try disk.open(havePath(hash), .writing)
    try file.write([UInt8](repeating: 1, count: count), at: 0)
  }

  private static func check(_ blob: BlobReference) throws(StoreError) {
    guard blob.byteCount <= BlobChunks.blobBytesMax else {
      throw StoreError(
        .valueTooLarge, "A blob of \(blob.byteCount) bytes is over 1 TiB: it is not taken.")
    }
  }
}
