public import ReunionCore
public import ReunionStore

/// Blobs, settings, and what is held.
extension Replica {
  /// The files of blobs: keep bytes before a write, adopt a file, ask what has arrived.
  ///
  /// ```swift
  /// let original = try replica.blobs.adopt(file: "/home/ada/harbour.jpg", in: space)
  /// print(original.byteCount, try replica.blobs.contains(original.hash))
  /// ```
  public var blobs: BlobStore { store.blobs }

  /// The bytes of a blob, wherever they are; nil for no blob.
  ///
  /// - Throws: As `read(_:)` of a blob that is there.
  public func read(_ blob: Blob?) throws -> [UInt8]? { try store.read(blob) }

  /// The bytes of a blob, wherever they are kept: a small one is in its record, a large one is a
  /// file. For parts of a large one: `blobs.read`.
  ///
  /// *Cost*: the whole blob in memory; the first read of a file since the replica was opened also
  /// hashes it.
  /// - Throws: `blobMissing` if its file has not arrived, or was found damaged just now: show a
  ///   placeholder, and read again when it is there. `ioFailed` as the disk answers.
  public func read(_ blob: Blob) throws -> [UInt8] { try store.read(blob) }

  /// The bytes of a blob, read without blocking the caller's thread.
  ///
  /// ```swift
  /// do {
  ///   guard let thumbnail = photo.thumbnail else { return }
  ///   print(try await replica.read(thumbnail).count, "bytes")
  /// } catch let error as StoreError where error.code == .blobMissing {
  ///   print("It is still on its way.")
  /// }
  /// ```
  ///
  /// - Throws: As the form that blocks; `CancellationError` where the task was cancelled before it
  ///   began.
  public func read(_ blob: Blob) async throws -> [UInt8] {
    try await disk.run { [store] in try store.read(blob) }
  }

  /// A person's settings: typed keys and values in a space of their own, which roam with it.
  ///
  /// ```swift
  /// let theme = SettingKey("theme", default: "light")
  /// let settings = try replica.settings(of: replica.ownSpace())
  /// try settings.set(theme, to: "dark")
  /// let showing = try settings.live(theme).observe { print("Theme:", $0.value) }
  /// ```
  ///
  /// They need no entity in the model. *Cost*: reads all settings once, so keep the result.
  /// - Parameters:
  ///   - account: That space, such as `ownSpace()`, with nothing else in it. Settings that are to
  ///     reach the person's other devices are synced like any space.
  ///   - limits: How much they may take up; a write beyond it throws `overQuota`.
  /// - Returns: The settings, which follow every commit in that space.
  /// - Throws: `StoreError` if they cannot be read.
  public func settings(
    of account: SpaceID, limits: SettingsLimits = .standard
  ) throws -> RoamingSettings {
    try RoamingSettings(store, account: account, limits: limits)
  }

  /// The spaces of which this replica holds something, whether they are synced or not. A space that
  /// was joined and has not arrived yet is not among them.
  public var spaces: [SpaceID] { get throws { try store.spaces } }

  /// Brings two replicas in one program up to date with each other in a space, as a connection
  /// between them would.
  ///
  /// It is for a folder on a stick, or two devices in a test. Files of blobs are not copied.
  ///
  /// ```swift
  /// let model = Model(Album.schema, Photo.schema)
  /// let stick = try Replica(folder: "/media/stick/album", model: model)
  /// try replica.exchange(space, with: stick)
  /// try stick.close()
  /// ```
  ///
  /// Each trusts the other with everything: no role and no rule is asked. *Durability*: on the disk
  /// of both when this returns. *Cost*: reads and writes what the other lacks, 256 KiB in memory at
  /// a time.
  /// - Throws: `StoreError` of either replica. One may have taken over the other's changes then,
  ///   and the other none; call it again to go on. `apart` where both were away for so long that
  ///   each may lack deletes that the other has let go.
  public func exchange(_ space: SpaceID, with other: Replica) throws {
    try store.exchange(with: other.store, in: space)
  }
}
