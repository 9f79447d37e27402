import Foundation
import ReunionStore

/// The folder of a server's data, looked at before anything is made in it.
enum DataFolder {
  /// Refuses a folder that the ready-made server cannot keep its data in.
  ///
  /// - Throws: `badFolder`, or `StoreError`, with a sentence that names the remedy.
  static func check(_ path: String) throws {
    try checkNew(path)
    try requireNoApp(path)
  }

  /// Refuses a folder in which no data can be.
  static func checkNew(_ path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return try requireWritable(ancestor(of: path), for: path)
    }
    guard isFolder.boolValue else {
      throw ServerError(.badFolder, "\(path) is a file. Name a folder for the server's data.")
    }
    try Store.requireOwnFolder(path)
    try requireWritable(path, for: path)
  }

  /// Refuses the store of an app, or of another than the one whose entities these are: its own server
  /// knows what its spaces are.
  static func requireNoApp(_ path: String, but entities: [EntityDescription] = []) throws {
    guard FileManager.default.fileExists(atPath: path + "/store.sqlite") else { return }
    var options = StoreOptions()
    options.isReadOnly = true
    let store = try Store.open(existing: path, options: options)
    defer { try? store.close() }
    let own = Set(ServedSpaces.entities.map(\.number))
    let names = Dictionary(entities.map { ($0.number, $0.name) }) { $1 }
    if let entity = store.model.entities.first(where: {
      !own.contains($0.number) && names[$0.number] != $0.name
    }) {
      throw ServerError(
        .badFolder,
        "\(path) holds the data of an app, such as \(entity.name): start that app, or choose another"
          + " folder.")
    }
  }

  /// The nearest folder above that is there.
  private static func ancestor(of path: String) -> String {
    var url = URL(filePath: path).standardizedFileURL
    while url.path != "/", !FileManager.default.fileExists(atPath: url.path) {
      url.deleteLastPathComponent()
    }
    return url.path
  }

  private static func requireWritable(_ folder: String, for path: String) throws {
    let probe = "\(folder)/.reunion-\(UUID())"
    let file = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw ServerError(
        .badFolder,
        "The folder \(path) cannot be written (\(String(cString: strerror(errno)))). Choose one that"
          + " this account owns.")
    }
    close(file)
    unlink(probe)
  }
}
