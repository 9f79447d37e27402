public import ReunionCore
public import ReunionStore

/// Blobs, settings, and what is held.
extension Replica {
  /// The files of blobs: keep bytes before a write, adopt a file, ask what has arrived.
  public var blobs: BlobStore { store.blobs }

  /// The bytes of a blob, wherever they are kept; nil for none.
  ///
  /// - Throws: `blobMissing` where it is a file that has not arrived.
  public func read(_ blob: Blob?) throws -> [UInt8]? { try store.read(blob) }

  /// The bytes of a blob, wherever they are kept. For parts of a large one: `blobs.read`.
  ///
  /// - Throws: `blobMissing` where it is a file that has not arrived.
  public func read(_ blob: Blob) throws -> [UInt8] { try store.read(blob) }

  /// The bytes of a blob, read without blocking the caller's thread.
  ///
  /// - Throws: `blobMissing` where it is a file that has not arrived.
  public func read(_ blob: Blob) async throws -> [UInt8] {
    try await disk.run { [store] in try store.read(blob) }
  }

  /// A person's settings: typed keys and values in a space of their own, which roam with it.
  ///
  /// `account` is that space, with nothing else in it; `limits` is what they may take up. *Cost*: reads
  /// all settings once: keep the result. *Errors*: where they cannot be read.
  public func settings(
    of account: SpaceID, limits: SettingsLimits = .standard
  ) throws -> RoamingSettings {
    try RoamingSettings(store, account: account, limits: limits)
  }

  /// The spaces of which something is held.
  public var spaces: [SpaceID] { get throws { try store.spaces } }

  /// Brings two replicas of one program up to date with each other in a space, as a connection of the
  /// two would: a folder on a stick, or two devices in a test. Files of blobs are not copied.
  ///
  /// *Durability*: on the disk of both when this returns.
  public func exchange(_ space: SpaceID, with other: Replica) throws {
    try store.pull(from: other.store, in: space)
    try other.store.pull(from: store, in: space)
  }
}
