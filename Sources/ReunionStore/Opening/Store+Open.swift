import ReunionCore
public import ReunionDisk

extension Store {
  /// Opens the store in a folder, or makes a new one there.
  ///
  /// ```swift
  /// do {
  ///   let opened = try Store.open(folder: "album", model: Model(Album.schema, Photo.schema))
  ///   if let report = opened.upgradeReport { print(report) }
  /// } catch let error as StoreError where error.code == .inUse {
  ///   print(error.message)
  /// }
  /// ```
  /// Folders that are not there are made. Only the folder's owner can read it from now on (mode
  /// 700), because its contents may be secret. If the model is newer than the one that the store
  /// had, this is the upgrade: tables, columns and indexes are added, and nothing is removed.
  /// `Store.plan(folder:model:options:)` says before what comes.
  ///
  /// *Durability*: a new store is on the disk when this returns; an upgrade took place whole, or
  /// this throws and the store is as it was. *Cost*: reads a handful of pages, and what a newer
  /// model now knows; some ten syncs where the store is new, or was copied. After a crash SQLite
  /// reads its log first.
  ///
  /// - Parameters:
  ///   - folder: where the store is. A path that does not begin with `/` is one of the program's
  ///     working folder.
  ///   - model: the app's entities. What others write beside them is kept and forwarded unseen.
  ///   - options: the clock, the disk, when a write is done, and whether it is only read.
  /// - Returns: the store. Keep it: a second one of the same folder is refused.
  /// - Throws: `inUse` if this program or another has the folder open. `newerVersion` if a newer
  ///   version of the library wrote it. `invalidModel` if the model contradicts itself or the
  ///   store. `upgradeRefused` if an upgrade would have changed what it must not. `notFound` if
  ///   there is no store and it is only to be read. `isBackup`, `notWritable`, `diskFull`,
  ///   `ioFailed` and `damaged`. The store is as it was then. A damaged one can be opened with
  ///   `StoreOptions.isReadOnly`, and salvaged (`Salvage` of ReunionTools).
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
  /// ```swift
  /// let opened = try Store.open(existing: "album")
  /// for entity in opened.model.entities { print(entity.name, entity.fields.map(\.name)) }
  /// ```
  /// The model has names, kinds, indexes of words and defaults, and no limits of lengths and no
  /// lens by functions of the app. Nothing is upgraded, except the file's own tables where an
  /// earlier version of the library made them. A field that a lens by functions of the app makes
  /// shows what was written, until the app opens the store again.
  ///
  /// - Parameters:
  ///   - folder: where the store is.
  ///   - options: as for `open(folder:model:options:)`.
  /// - Returns: the store. Its entities have no Swift types, so that only SQL and tools read its
  ///   records.
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
