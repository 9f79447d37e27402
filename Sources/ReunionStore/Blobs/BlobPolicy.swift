public import ReunionCore
import ReunionDisk
package import ReunionFlow

/// Which blobs of a space a device fetches.
///
/// ```swift
/// try replica.setBlobPolicy(.previews, in: space)
/// ```
/// It is this device's own, for one space, and kept with the store; other devices are not told. Records
/// come in any case, and name blobs that are not here.
public enum BlobPolicy: UInt8, Hashable, Sendable, CaseIterable {
  /// All, as they come. So it is where nothing was chosen.
  case all = 0
  /// Those of at most 256 KiB, the small ones first; larger ones that somebody asks for.
  case previews = 1
  /// Those that somebody asks for.
  case onDemand = 2
  /// None, whoever asks.
  case none = 3

  /// The most bytes of a preview.
  package static let previewBytesMax: UInt64 = 256 * 1024

  /// The most bytes of a blob that comes unasked; nil for any size.
  package var bytesMax: UInt64? {
    switch self {
    case .all: nil
    case .previews: Self.previewBytesMax
    case .onDemand, .none: 0
    }
  }

  fileprivate static func key(_ space: SpaceID) -> String { "blobs \(space)" }

  /// The one that was chosen for a space.
  init(of space: SpaceID, _ connection: DatabaseConnection) throws(StoreError) {
    let kept = try connection.kept(Self.key(space))
    // What a later version chose this one does not undo: it fetches what somebody asks for.
    self = kept.map { $0.first.flatMap(Self.init) ?? .onDemand } ?? .all
  }

  /// Whether it brings a blob by itself.
  func brings(_ blob: BlobReference) -> Bool {
    self != .none && bytesMax.map { blob.byteCount <= $0 } ?? true
  }
}

extension BlobStore {
  /// Which blobs of a space are fetched. *Cost*: a row.
  package func policy(in space: SpaceID) throws -> BlobPolicy {
    try store.readTransaction { (reader) throws(StoreError) in
      try BlobPolicy(of: space, reader.connection)
    }
  }

  /// Chooses which blobs of a space are fetched from now on; sessions that are under way follow at once. What is here
  /// stays. *Durability*: as a write.
  package func setPolicy(_ policy: BlobPolicy, in space: SpaceID) throws {
    try store.commit { (_, records) throws(StoreError) in
      try records.reader.connection.keep([policy.rawValue], as: BlobPolicy.key(space))
      return ((), nil)
    }
    store.blobParts.transfers.policies.tell(space)
  }

  /// Calls a closure with a space of which another policy was chosen, until the result is released.
  package func observePolicies(
    _ body: @escaping @Sendable (SpaceID) -> Void
  ) -> SignalSubscription {
    store.blobParts.transfers.policies.add(body)
  }

  /// Throws where a blob will not come: it was erased, or none are fetched.
  package func requireFetched(_ blob: BlobReference, in space: SpaceID) throws {
    try store.readTransaction { (reader) throws(StoreError) in
      guard try BlobPolicy(of: space, reader.connection) != .none else {
        throw StoreError(
          .blobMissing,
          "This device fetches no blobs of the space: choose another policy, then try again.")
      }
      let number = try reader.numbers.existingNumber(of: space)
      if let number, try BlobUse(reader).spaces(erasing: blob.hash).contains(number) {
        throw erased(blob.hash)
      }
    }
  }

  /// Has all sessions of a space fetch a blob next, those that begin later, too, until it is here. The last 64 of a space
  /// are kept in mind.
  package func ask(for blob: BlobReference, in space: SpaceID) {
    store.blobParts.transfers.ask(for: blob, in: space)
  }

  /// The blobs of a space that somebody asked for and that are not here.
  package func asked(in space: SpaceID) throws -> [BlobReference] {
    try store.blobParts.transfers.asked(in: space).filter { try !contains($0.hash) }
  }

  /// Calls a closure with what `ask` names, until the result is released.
  package func observeAsked(
    _ body: @escaping @Sendable (SpaceID, BlobReference) -> Void
  ) -> SignalSubscription {
    store.blobParts.transfers.askings.add { body($0.space, $0.blob) }
  }
}
