import ReunionCore
import ReunionStore

/// All that a store should hold.
struct Contents: Equatable {
  var docs: [RecordID: Doc] = [:]
  var blobs: [BlobHash: [UInt8]] = [:]

  /// What a store says that it holds; throws where a blob's bytes are others.
  init(of store: Store, blobs expected: some Sequence<BlobHash>) throws {
    for doc in try store.fetch(Query<Doc>(in: space)) { docs[doc.id] = doc }
    for hash in expected where try store.blobs.contains(hash) {
      blobs[hash] = try store.blobs.read(hash, count: 1 << 20)
    }
  }

  init() {}
}

/// A promise that was broken.
struct Loss: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
