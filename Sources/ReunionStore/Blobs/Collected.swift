public import ReunionCore

/// What a collection of blobs that nobody names did, or what a dry run would do.
///
/// ```swift
/// let collected = try store.blobs.collect()
/// let bytes = collected.removed.reduce(0) { $0 + $1.byteCount }
/// print("Room for", bytes, "more bytes after the next collection.")
/// ```
public struct Collected: Hashable, Sendable {
  /// Blobs that records name, and whose files were away and are back.
  public internal(set) var takenBack: [BlobHash] = []
  /// Blobs that were found unused for the first time: their grace begins.
  public internal(set) var marked: [BlobHash] = []
  /// How many wait for the end of their grace, those of `marked` included.
  public internal(set) var waiting = 0
  /// Blobs that were unused for the grace, and are no longer held. Their files go at the next
  /// collection.
  public internal(set) var removed: [BlobReference] = []
  /// How many files of earlier collections were deleted: this is when the disk has room again.
  public internal(set) var deletedFiles = 0
}
