import FoundationEssentials
import ReunionCore
import ReunionDisk
import ReunionStore

/// The names of an archive's files, and what may be in its folder.
enum ArchiveFolder {
  private static let disk = SystemDisk.system
  static let header = "archive.json"
  static let sums = "SHA256SUMS"
  /// There while an export is under way, or broken off.
  static let unfinished = "UNFINISHED"

  /// A name of the model as a part of a file's name.
  static func fileName(_ name: String) -> String {
    let allowed = name.unicodeScalars.map { scalar in
      let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      return isPlain ? Character(scalar) : "_"
    }
    return String(allowed.prefix(64))
  }

  /// Makes a new or empty folder one's own, or one in which an earlier attempt was broken off, which
  /// the file `mark` tells; whoever holds the result is alone in it.
  ///
  /// - Throws: `notWritable` where there is anything else, as what is there once all is `done`.
  static func prepare(
    _ folder: String, mark: String, done: String, lock name: String
  ) throws(StoreError) -> any DiskFile {
    try disk.makeFolder(folder)
    try check(folder, mark: mark, done: done, lock: name)
    try disk.makePrivate(folder)
    let lock = try disk.open("\(folder)/\(name)", .writing)
    guard try lock.tryLock() else {
      throw StoreError(.inUse, "Another program is at work in \(folder): wait for it.")
    }
    try check(folder, mark: mark, done: done, lock: name)
    for other in try contents(folder) where other != name && other != mark {
      try removeTree("\(folder)/\(other)")
    }
    let file = name == mark ? lock : try disk.open("\(folder)/\(mark)", .writing)
    let note = "What is in this folder is not whole: it was broken off, or is under way.\n"
    try file.write(Array(note.utf8), at: 0)
    try file.sync()
    try disk.syncFolder(folder)
    return lock
  }

  private static func check(
    _ folder: String, mark: String, done: String, lock: String
  ) throws(StoreError) {
    let names = try contents(folder)
    guard names.subtracting([lock]).isEmpty || names.contains(mark) && !names.contains(done) else {
      throw StoreError(.notWritable, "\(folder) is not empty: choose a new folder.")
    }
  }

  static func contents(_ folder: String) throws(StoreError) -> Set<String> {
    Set(try disk.names(in: folder)).subtracting(["lost+found", ".DS_Store"])
  }

  static func removeTree(_ path: String) throws(StoreError) {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw StoreError(.ioFailed, "\(path) cannot be removed.", underlying: "\(error)")
    }
  }
}
