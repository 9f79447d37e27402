public import ReunionCore
import ReunionDisk
import ReunionStore

/// A store as plain files and lines of JSON, for a text editor and `sha256sum -c SHA256SUMS`.
///
/// ```swift
/// let report = try Archive.export(replica.folder, to: "/mnt/disk/album-archive")
/// print("\(report.records) records, \(report.blobs) files")
/// let imported = try Archive.import("/mnt/disk/album-archive", to: "/home/ada/album-imported")
/// print(imported.records == report.records)
/// ```
///
/// A backup is for this library, an archive for whoever has no program of ours in twenty years.
///
/// It holds the records with their clocks, the values that lost in conflicts, version vectors and
/// blobs. An imported store is equal cell for cell, and continues as the same device under a new
/// incarnation. The archive leaves out the undo log and what the store noted about its peers.
/// *Durability*: everything is on the disk when a function returns. *Memory*: a record and a piece
/// of a blob. *Thread*: any, but not an event loop's: these functions take as long as the disk
/// does.
public enum Archive {
  /// What was exported or imported.
  public struct Report: Hashable, Sendable {
    /// The records, deleted ones too.
    public internal(set) var records = 0
    /// The blobs that the copy holds.
    public internal(set) var blobs = 0
    /// Blobs that the store says it holds, but that are missing or damaged.
    public internal(set) var lost: [BlobHash] = []
  }

  /// Writes the store in a folder to an archive in a new or empty folder. The store may be in use.
  ///
  /// The records are as of one moment. If an export is broken off, its file `UNFINISHED` says so
  /// and `import` refuses it; you may export again into the same folder.
  /// - Parameters:
  ///   - folder: The store's folder.
  ///   - archive: The archive's folder, outside of it.
  ///   - progress: Called now and then with the counts so far.
  /// - Returns: What was written. The blobs in `lost` are not in the archive.
  /// - Throws: `notFound` if there is no store, `damaged` if the store is, `newerVersion`,
  ///   `notWritable` if the archive's folder holds something else, `diskFull`, `ioFailed`.
  public static func export(
    _ folder: String, to archive: String, progress: (Report) -> Void = { _ in }
  ) throws -> Report {
    guard try SystemDisk.system.exists(folder + "/store.sqlite") else {
      throw StoreError(.notFound, "There is no store in \(folder): name the folder that has one.")
    }
    try SystemDisk.system.requireApart(folder, archive)
    var export = try ArchiveExport(folder: folder, archive: archive)
    return try export.run(progress)
  }

  /// Turns an archive into a store in a new or empty folder.
  ///
  /// It checks every file against its SHA-256, and every cell as if a peer had sent it.
  /// - Parameters:
  ///   - archive: The archive's folder, which stays as it is.
  ///   - folder: The new store's folder.
  ///   - progress: Called now and then with the counts so far.
  /// - Returns: What was read.
  /// - Throws: `notFound` if there is no archive, `damaged` if it is unfinished or not as it was
  ///   written, `newerVersion`, `notWritable` if the folder is not empty, `inUse`, `diskFull`,
  ///   `ioFailed`. The folder is then empty.
  public static func `import`(
    _ archive: String, to folder: String, progress: (Report) -> Void = { _ in }
  ) throws -> Report {
    try SystemDisk.system.requireApart(archive, folder)
    var `import` = try ArchiveImport(archive: archive, folder: folder)
    return try `import`.run(progress)
  }

  /// Among the blobs, the folder of those that no living record names.
  static let deletedFolder = "deleted"
  static let version = 1
  static let format = "reunion archive"

  static let readMe = """
    This folder holds everything of a Reunion store, in files that need no program of ours.

    archive.json           what was exported, and when; it is written last
    SHA256SUMS             check all files: sha256sum -c SHA256SUMS
    spaces/ID/N-name.jsonl the records of entity N in a space, one a line, deleted ones too
    spaces/ID/conflicts.jsonl  values that lost against others written at the same time
    spaces/ID/vector.jsonl how many changes of each device are in here
    blobs/entity.field/    photos and other files, named by the SHA-256 of their bytes
    blobs/deleted/         those that nobody shows any more: of deleted records, or replaced.
                           Leave them out of what you hand on

    A record's line has its id and its cells: the number and the name of a field, its value, who
    wrote it (site and seq), when (stamp), and when the value was written that it replaced.
    "alive" is false for a deleted record. Bytes are in hexadecimal.

    To make a store of it again: reunion import archive THIS-FOLDER NEW-FOLDER

    """
}
