public import ReunionCore

/// What a collection of blobs that nobody names did.
public struct Collected: Hashable, Sendable {
  /// Blobs that records name, and whose files were away and are back.
  public internal(set) var takenBack: [BlobHash] = []
  /// Blobs that were found unused for the first time: their grace begins.
  public internal(set) var marked: [BlobHash] = []
  /// How many wait for the end of their grace, these included.
  public internal(set) var waiting = 0
  /// Blobs that were unused for the grace, and are no longer held. Their files go at the next
  /// collection.
  public internal(set) var removed: [BlobReference] = []
  /// How many files of earlier collections were deleted.
  public internal(set) var deletedFiles = 0
}
