public import ReunionCore
import ReunionDisk
import ReunionFlow

/// A blob that is being read: it is looked up, checked and opened once.
///
/// *Thread*: any. What was read was not erased by then.
public final class BlobReader: Sendable {
  /// The blob, with its size.
  public let blob: BlobReference
  private let blobs: BlobStore
  private let space: SpaceID?
  private let file: any DiskFile
  private let departures: Lock<UInt64>

  init(_ hash: BlobHash, in space: SpaceID?, of blobs: BlobStore) throws {
    departures = Lock(blobs.store.blobParts.transfers.departureCount)
    self.blobs = blobs
    self.space = space
    try Self.look(for: hash, in: space, blobs)
    try blobs.verify(hash)
    file = try blobs.disk.open(blobs.path(of: hash), .reading)
    blob = BlobReference(hash: hash, byteCount: try file.byteCount())
  }

  /// Bytes from an offset on; fewer than `count` only at its end. Cost: no more than the read, unless
  /// something was erased or found damaged since the last.
  ///
  /// - Throws: `blobMissing` where it is not held any more, `blobErased` where it was erased.
  public func read(offset: UInt64, count: Int) throws -> [UInt8] {
    let now = blobs.store.blobParts.transfers.departureCount
    if departures.withLock({ $0 }) != now {
      try Self.look(for: blob.hash, in: space, blobs)
      departures.withLock { $0 = now }
    }
    return try file.read(at: offset, count: count)
  }

  private static func look(for hash: BlobHash, in space: SpaceID?, _ blobs: BlobStore) throws {
    guard try blobs.contains(hash) else { throw blobs.missing(hash) }
    if let space, try blobs.isErased(hash, in: space) { throw blobs.erased(hash) }
  }
}

extension BlobStore {
  /// Opens a blob to read it in pieces, on behalf of a space in which it must not be erased.
  ///
  /// The first read since the store was opened checks all of it. A damaged one is moved to the folder
  /// `quarantine` and counts as missing.
  /// - Throws: `blobMissing`, `blobErased`, `ioFailed`.
  public func reader(of hash: BlobHash, in space: SpaceID? = nil) throws -> BlobReader {
    try BlobReader(hash, in: space, of: self)
  }
}
