import ReunionCore
public import ReunionDisk

extension Store {
  /// Refuses a folder that holds somebody's files and no store. A store makes its folder private
  /// and puts files of many names into it, which nobody wants in a folder of documents. A backup is
  /// refused, too.
  ///
  /// Call it before `open(folder:model:options:)` where a person names the folder; `open` itself
  /// takes any folder.
  ///
  /// ```swift
  /// try Store.requireOwnFolder("/home/ada/album")
  /// let opened = try Store.open(folder: "/home/ada/album", model: model)
  /// ```
  /// A folder passes if it holds a store, if it is empty, or if it is not there. `.DS_Store`,
  /// `lost+found` and the lock of a start that failed count as nothing. One that cannot be read
  /// passes as well, so that `open` says why.
  ///
  /// *Thread*: any. *Cost*: reads the names in the folder. Nothing is changed.
  /// - Parameter path: the folder, on the system's disk.
  /// - Throws: `foreignFolder` if there are other files, and `isBackup`, each with a sentence that
  ///   names the remedy; `ioFailed` if the disk fails.
  public static func requireOwnFolder(_ path: String) throws(StoreError) {
    let disk = SystemDisk.system
    try refuseBackup(path, on: disk)
    for file in ["store.sqlite", "identity"] {
      if (try? disk.exists("\(path)/\(file)")) == true { return }
    }
    // What a file manager or a disk puts into a new folder, and a start that ended at once.
    let harmless: Set<String> = [".DS_Store", "lost+found", "lock"]
    // A folder that is not there, or that cannot be read, is for `open` to judge.
    let names = (try? disk.names(in: path)) ?? []
    guard let name = names.first(where: { !harmless.contains($0) }) else { return }
    throw StoreError(
      .foreignFolder,
      "\(path) holds other files (\(name)) and no data of ours: choose a new or an empty folder.")
  }

  /// The file by which a backup is known.
  package static let backupMark = "backup"

  /// Refuses to write to a backup, which would be none of its store any more.
  package static func refuseBackup(_ folder: String, on disk: any Disk) throws(StoreError) {
    // Of one nonce or two: another file of that name is none of ours.
    guard [8, 16].contains(try disk.byteCount("\(folder)/\(backupMark)")) else { return }
    throw StoreError(
      .isBackup,
      "\(folder) is a backup: make a store of it in a new folder with reunion restore, and use that."
    )
  }
}
