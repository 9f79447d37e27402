public import ReunionCore
import ReunionDisk
import ReunionFlow

/// A blob that is being read: it is looked up, checked and opened once.
///
/// ```swift
/// if case .file(let thumbnail) = photo.thumbnail {
///   let reader = try store.blobs.reader(of: thumbnail.hash, in: space)
///   var offset: UInt64 = 0
///   while offset < reader.blob.byteCount {
///     let piece = try reader.read(offset: offset, count: 64 * 1024)
///     offset += UInt64(piece.count)
///   }
/// }
/// ```
/// *Thread*: any, several at once. What was read was not erased by then. *Lifetime*: its file is
/// open for as long as it is held.
public final class BlobReader: Sendable {
  /// The blob, with the size of its file.
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

  /// Bytes from an offset on; fewer than `count` only at its end. Cost: no more than the read,
  /// unless something was erased or found damaged since the last.
  ///
  /// - Parameters:
  ///   - offset: where to begin.
  ///   - count: how many bytes are wanted at most.
  /// - Returns: the bytes; none beyond the end.
  /// - Throws: `blobMissing` where it is not held any more, `blobErased` where it was erased in the
  ///   space that the reader was opened for.
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
  /// The first read since the store was opened checks all of it. A damaged one is moved to the
  /// folder `quarantine` and counts as missing.
  /// - Parameters:
  ///   - hash: the blob's.
  ///   - space: the space for which it is read; nil asks no space.
  /// - Returns: what reads it.
  /// - Throws: `blobMissing`, `blobErased`, `ioFailed`.
  public func reader(of hash: BlobHash, in space: SpaceID? = nil) throws -> BlobReader {
    try BlobReader(hash, in: space, of: self)
  }
}
