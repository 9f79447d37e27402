import ReunionCore
import ReunionDisk
import ReunionFlow

/// What a store knows of its blobs while it is open.
final class BlobParts: BlobKeeper {
  let transfers = BlobTransfers()
  /// Told of blobs that turn out to be lost.
  let lost = Observers<BlobHash>()
  /// Those whose bytes were looked at since the store was opened.
  let verified = Lock<Set<BlobHash>>([])
  /// Those whose files have their names already, and of which the database does not say so yet.
  let arriving = Lock<[BlobHash: Int]>([:])
  /// Those whose files were not there, or not whole, when somebody looked: others may bring them.
  let away = Lock<Set<BlobHash>>([])
  /// The folders whose names are known to be on the disk.
  let syncedFolders = Lock<Set<String>>([])

  func byteCount(
    of hash: BlobHash, in folder: String, on disk: any Disk
  ) throws(StoreError) -> UInt64? {
    try disk.byteCount(BlobFiles.path(of: hash, in: folder))
  }

  func sweepBrokenOff(in folder: String, on disk: any Disk) {
    BlobStore.sweepBrokenOff(in: folder, on: disk)
  }

  func opened(_ store: Store, _ reader: RecordReader) throws(StoreError) {
    // What could not be removed when it was erased; a full disk does not keep the album closed.
    if try reader.hasErasures() { try? store.blobs.sweepErased() }
  }

  func follow(_ commits: [Commit], in store: Store) {
    for commit in commits {
      guard let erasures = commit.touches.byEntity[Erasure.entity] else { continue }
      // What cannot be removed now is when the store is opened, or collects.
      try? store.blobs.sweepErased(erasures.records.map { (commit.space, Set($0)) })
    }
  }

  func add(
    _ bytes: [UInt8], of store: Store, space: Int64, in records: RecordWriter
  ) throws(StoreError) -> BlobReference {
    try store.blobs.add(bytes, space: space, in: records)
  }
}

extension Store {
  /// What it knows of its blobs.
  var blobParts: BlobParts {
    guard let blobs = parts.blobs as? BlobParts else {
      preconditionFailure("A store was opened without blobs.")
    }
    return blobs
  }
}
