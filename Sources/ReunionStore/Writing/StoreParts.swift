import ReunionCore
import ReunionDisk

/// What the rooms above keep with a store. The store tells it what happens, and does not know it;
/// `Store.open` brings them together.
struct StoreParts: Sendable {
  let live: any CommitFollower
  let blobs: any BlobKeeper
}

/// The part that follows the commits of a store.
protocol CommitFollower: AnyObject, Sendable {
  /// Notes a commit that is about to take place; one of the same number may not have.
  func mark(_ commit: Commit)

  /// Follows commits that have taken place, on the writer's thread and outside of all locks.
  func follow(_ commits: [Commit], in store: Store)
}

/// The part that keeps the bytes that records name.
protocol BlobKeeper: AnyObject, Sendable {
  /// The size of a blob's file; nil where it is not there.
  func byteCount(of hash: BlobHash, in folder: String, on disk: any Disk) throws(StoreError)
    -> UInt64?

  /// Removes what the end of a program left, when a store is opened to be written.
  func sweepBrokenOff(in folder: String, on disk: any Disk)

  /// Removes what was erased, once a store is open for writing.
  func opened(_ store: Store, _ reader: RecordReader) throws(StoreError)

  /// Removes what was erased by commits that have taken place.
  func follow(_ commits: [Commit], in store: Store)

  /// Keeps bytes that are a space's, in the commit that is under way.
  func add(
    _ bytes: [UInt8], of store: Store, space: Int64, in records: RecordWriter
  ) throws(StoreError) -> BlobReference
}
