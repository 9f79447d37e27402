package import ReunionCore
import ReunionDisk

extension BlobStore {
  /// Which chunks of a blob are here; all of them where it is held.
  package func chunks(of blob: BlobReference) throws -> BlobChunks {
    try Self.check(blob)
    if try contains(blob.hash) {
      return BlobChunks(of: blob, have: [UInt8](repeating: 1, count: BlobChunks.count(of: blob)))
    }
    return try partialChunks(of: blob)
  }

  /// What `HASH.have` tells; without it, of what came in one piece, the whole chunks.
  func partialChunks(of blob: BlobReference) throws(StoreError) -> BlobChunks {
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

  /// What `HASH.have` holds; nothing where its blob's bytes are gone.
  private func have(of hash: BlobHash) throws(StoreError) -> [UInt8]? {
    if try disk.exists(partialPath(hash)) { return try disk.read(havePath(hash)) }
    try disk.remove(havePath(hash))
    return nil
  }

  func keepHave(_ count: Int, of hash: BlobHash) throws(StoreError) {
    let file = try disk.open(havePath(hash), .writing)
    try file.write([UInt8](repeating: 1, count: count), at: 0)
  }

  static func check(_ blob: BlobReference) throws(StoreError) {
    guard blob.byteCount <= BlobChunks.blobBytesMax else {
      throw StoreError(
        .valueTooLarge, "A blob of \(blob.byteCount) bytes is over the limit of 1 TiB.")
    }
  }
}
