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
  /// - Throws: `StoreError` `blobMissing` if the policy is `none`; `blobErased`, `closed`, `ioFailed`.
  public func fetch(_ blob: BlobReference, in space: SpaceID) async throws {
    let waits = try attachment { () throws -> BlobWaits in
      let waits = BlobWaits()
      try whenClosing { waits.close() }
      return waits
    }
    let (stirred, wait) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = waits.add(wait)
    defer { waits.remove(number) }
    let watching = [
      store.blobs.observeArrivals { if $0 == blob.hash { wait.yield() } },
      store.blobs.observePolicies { if $0 == space { wait.yield() } },
      // A write may add it, or erase it.
      store.observeCommits { if $0.space == space { wait.yield() } },
    ]
    defer { for watch in watching { watch.cancel() } }
    var isAsked = false
    wait.yield()
    for await _ in stirred {
      if try store.blobs.contains(blob.hash) { return }
      try store.blobs.requireFetched(blob, in: space)
      if !isAsked { store.blobs.ask(for: blob, in: space) }
      isAsked = true
    }
    try Task.checkCancellation()
    throw StoreError(.closed, "The replica was closed before the file had come: open it again.")
  }
}

/// Those who wait for blobs until the replica is closed.
private final class BlobWaits: Sendable {
  private struct State {
    var isClosed = false
    var last: UInt64 = 0
    var waits: [UInt64: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Lock(State())

  /// Adds one, which ends at once if the replica is closed.
  func add(_ wait: AsyncStream<Void>.Continuation) -> UInt64 {
    let (number, isClosed) = state.withLock { state in
      state.last += 1
      if !state.isClosed { state.waits[state.last] = wait }
      return (state.last, state.isClosed)
    }
    if isClosed { wait.finish() }
    return number
  }

  func remove(_ number: UInt64) { state.withLock { $0.waits[number] = nil } }

  func close() {
    let waits = state.withLock { state in
      state.isClosed = true
      defer { state.waits = [:] }
      return state.waits
    }
    for wait in waits.values { wait.finish() }
  }
}
