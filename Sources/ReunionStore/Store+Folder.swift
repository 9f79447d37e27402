extension Store {
  /// Refuses a folder in which there is no store, and somebody's files: a store makes its folder
  /// private and puts files of many names into it. Call it before `open` where a person names the
  /// folder. Nothing is changed.
  ///
  /// - Throws: `foreignFolder`, with a sentence that names the remedy.
  public static func requireOwnFolder(
    _ path: String, on disk: any Disk = .system
  ) throws(StoreError) {
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
}
