public import ReunionCore
import ReunionFlow
public import ReunionStore

extension Replica {
  /// Which blobs of a space this device fetches; `all` if nothing was chosen. *Cost*: a row.
  ///
  /// ```swift
  /// if try replica.blobPolicy(in: space) != .all { print("Some originals stay on the server.") }
  /// ```
  /// - Throws: `StoreError` `closed`, `damaged`, `ioFailed`.
  public func blobPolicy(in space: SpaceID) throws -> BlobPolicy {
    try store.blobs.policy(in: space)
  }

  /// Chooses which blobs of a space this device fetches, from a server as from devices nearby. Sessions
  /// that are under way follow at once.
  ///
  /// ```swift
  /// try replica.setBlobPolicy(.previews, in: space)
  /// ```
  /// What is here stays, and what was added here goes to the others in any case. A device that does not
  /// fetch all counts as none that has them: `Reach.safe` waits for one that does.
  ///
  /// *Durability*: as a write.
  /// - Throws: `StoreError` `closed`, `diskFull`, `ioFailed`.
  public func setBlobPolicy(_ policy: BlobPolicy, in space: SpaceID) throws {
    try store.blobs.setPolicy(policy, in: space)
  }

  /// Fetches a blob next, whatever the policy brings by itself, and returns when its bytes are here.
  ///
  /// ```swift
  /// func original(of blob: BlobReference) async throws -> [UInt8] {
  ///   try await replica.fetch(blob, in: space)
  ///   return try replica.store.blobs.read(blob.hash, offset: 0, count: 1 << 20)
  /// }
  /// ```
  /// It waits for a network, and for a device that has the blob: each that connects is asked for the
  /// last 64 of a space that were asked for. *Cancellation*: throws `CancellationError`, and the
  /// blob may come all the same.
  /// - Throws: `StoreError` `blobMissing` if the policy is `none`; `closed`, `ioFailed`.
  public func fetch(_ blob: BlobReference, in space: SpaceID) async throws {
    let blobs = store.blobs
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let watching = [
      blobs.observeArrivals { if $0 == blob.hash { arrived.yield() } },
      blobs.observePolicies { if $0 == space { arrived.yield() } },
    ]
    defer { for watch in watching { watch.cancel() } }
    blobs.ask(for: blob, in: space)
    arrived.yield()
    for await _ in arrivals {
      if try blobs.contains(blob.hash) { return }
      guard try blobs.policy(in: space) != .none else {
        throw StoreError(
          .blobMissing,
          "This device fetches no blobs of the space: choose another policy, then try again.")
      }
    }
    throw CancellationError()
  }
}
