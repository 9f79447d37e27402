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

  /// Whether a file of a folder, by the parts of its path, is one that an export writes.
  static func isOfArchive(_ parts: [String]) -> Bool {
    switch (parts.first, parts.count) {
    case ("blobs", 3): BlobHash(String(parts[2].prefix(64))) != nil
    case ("spaces", 3): SpaceID(parts[1]) != nil && parts[2].hasSuffix(".jsonl")
    case (_, 1): ["README.txt", sums, header + ".new", unfinished].contains(parts[0])
    default: false
    }
  }

  /// Makes a new or empty folder one's own, or one in which an earlier attempt was broken off, which
  /// the file `mark` tells; whoever holds the result is alone in it. What the attempt left is removed,
  /// where all of it is what it `owns`.
  ///
  /// - Throws: `notWritable` where there is anything else, as what is there once all is `done`.
  static func prepare(
    _ folder: String, mark: String, done: String, lock name: String,
    owns: (_ parts: [String]) -> Bool
  ) throws(StoreError) -> any DiskFile {
    try disk.makeFolder(folder)
    try check(folder, mark: mark, done: done, lock: name)
    try disk.makePrivate(folder)
    let lock = try disk.open("\(folder)/\(name)", .writing)
    guard try lock.tryLock() else {
      throw StoreError(.inUse, "Another program is at work in \(folder): wait for it.")
    }
    try check(folder, mark: mark, done: done, lock: name)
    let left = try contents(folder).subtracting([name, mark])
    for other in left.sorted() {
      guard let foreign = try foreignFile(folder, [other], owns) else { continue }
      throw StoreError(
        .notWritable,
        "\(folder) holds \(foreign), which is nothing of ours: choose a new folder.")
    }
    for other in left { try removeTree("\(folder)/\(other)") }
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

  /// The path of a file that is not ours, at or below a path; nil if there is none.
  private static func foreignFile(
    _ folder: String, _ parts: [String], _ owns: ([String]) -> Bool
  ) throws(StoreError) -> String? {
    let path = parts.joined(separator: "/")
    guard case .folder? = try disk.status(of: "\(folder)/\(path)"),
      !isLink("\(folder)/\(path)")
    else { return owns(parts) ? nil : path }
    // A folder that none of our files can be in, even an empty one.
    guard parts.count < 3, ["blobs", "spaces", "partial"].contains(parts[0]) else { return path }
    for name in try disk.names(in: "\(folder)/\(path)").sorted() {
      if let foreign = try foreignFile(folder, parts + [name], owns) { return foreign }
    }
    return nil
  }

  private static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  static func removeTree(_ path: String) throws(StoreError) {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw StoreError(.ioFailed, "\(path) cannot be removed.", underlying: "\(error)")
    }
  }
}
