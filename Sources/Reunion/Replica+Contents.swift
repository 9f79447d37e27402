public import ReunionCore
public import ReunionStore

/// Blobs, settings, and what is held.
extension Replica {
  /// The files of blobs: keep bytes before a write, adopt a file, ask what has arrived.
  public var blobs: BlobStore { store.blobs }

  /// The bytes of a blob, wherever they are; nil for no blob.
  ///
  /// - Throws: `blobMissing` if its file has not arrived.
  public func read(_ blob: Blob?) throws -> [UInt8]? { try store.read(blob) }

  /// The bytes of a blob, wherever they are kept. For parts of a large one: `blobs.read`.
  ///
  /// - Throws: `blobMissing` if its file has not arrived.
  public func read(_ blob: Blob) throws -> [UInt8] { try store.read(blob) }

  /// The bytes of a blob, read without blocking the caller's thread.
  ///
  /// - Throws: `blobMissing` if its file has not arrived.
  public func read(_ blob: Blob) async throws -> [UInt8] {
    try await disk.run { [store] in try store.read(blob) }
  }

  /// A person's settings: typed keys and values in a space of their own, which roam with it.
  ///
  /// `account` is that space, with nothing else in it; `limits` is how much they may take up. *Cost*:
  /// reads all settings once, so keep the result. *Errors*: if they cannot be read.
  public func settings(
    of account: SpaceID, limits: SettingsLimits = .standard
  ) throws -> RoamingSettings {
    try RoamingSettings(store, account: account, limits: limits)
  }

  /// The spaces of which this replica holds something.
  public var spaces: [SpaceID] { get throws { try store.spaces } }

  /// Brings two replicas in one program up to date with each other in a space, as a connection between
  /// them would: a folder on a stick, or two devices in a test. Files of blobs are not copied.
  ///
  /// *Durability*: on the disk of both when this returns.
  public func exchange(_ space: SpaceID, with other: Replica) throws {
    try store.pull(from: other.store, in: space)
    try other.store.pull(from: store, in: space)
  }
}
