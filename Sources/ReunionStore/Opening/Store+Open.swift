import ReunionCore
public import ReunionDisk

extension Store {
  /// Opens the store in a folder, or makes a new one there.
  ///
  /// Only the folder's owner can read it from now on (mode 700), because its contents may be
  /// secret.
  /// - Throws: `inUse`, `newerVersion`, `notWritable`, `isBackup`, `damaged`, `diskFull`, `ioFailed`,
  ///   or `invalidModel` if the model contradicts the one that the store was made with. Then nothing is
  ///   changed. A damaged store can be opened with `StoreOptions.isReadOnly`, and salvaged (`Salvage`
  ///   of ReunionTools). *Cost*: reads a handful of pages, and what a newer model now knows; some ten
  ///   syncs where the store is new, or was copied.
  public static func open(
    folder: String, model: Model, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> Store {
    try Store(
      folder: folder, model: model, options: options,
      parts: StoreParts(live: LiveQueries(), blobs: BlobParts()))
  }

  /// Opens the store in a folder with the model that it was last opened with, for tools that have
  /// none of the app's types.
  ///
  /// - Throws: `notFound` if there is no store; else as `open(folder:model:options:)`.
  public static func open(
    existing folder: String, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> Store {
    if !options.isReadOnly { try refuseBackup(folder, on: options.disk) }
    return try Store.open(
      folder: folder, model: model(of: folder, options: options), options: options)
  }

  /// The model that the store in a folder was last opened with, as far as the store keeps it.
  package static func model(
    of folder: String, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> Model {
    try reading(folder, options) { (connection) throws(StoreError) in
      try Model(lastOf: connection)
    }
  }
}
