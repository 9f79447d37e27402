extension Store {
  /// Refuses a folder in which there is no store, and somebody's files: a store makes its folder
  /// private and puts files of many names into it. Call it before `open` where a person names the
  /// folder. Nothing is changed.
  ///
  /// - Throws: `foreignFolder`, with a sentence that names the remedy.
  public static func requireOwnFolder(_ path: String) throws(StoreError) {
    for file in ["store.sqlite", "identity"] where FileSystem.status("\(path)/\(file)") != nil {
      return
    }
    // What a file manager or a disk puts into a new folder, and a start that ended at once.
    let harmless: Set<String> = [".DS_Store", "lost+found", "lock"]
    // A folder that is not there, or that cannot be read, is for `open` to judge.
    guard let name = FileSystem.names(in: path).first(where: { !harmless.contains($0) }) else {
      return
    }
    throw StoreError(
      .foreignFolder,
      "\(path) holds other files (\(name)) and no data of ours: choose a new or an empty folder.")
  }
}
