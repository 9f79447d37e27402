public import ReunionCore
public import ReunionDisk
import ReunionStore

/// Makes a new store of what can be read in a damaged one. The damaged one stays as it is.
///
/// It checks pages one by one and takes what is on whole ones: records, kept conflicts, cells that
/// no model here knows, and every blob whose bytes match its name. If records may be missing, the
/// new store claims nobody's changes for certain, so that peers send it everything that it lacks.
/// It writes under a new incarnation of the same device.
///
/// ```swift
/// let report = try Salvage.make(of: "/home/ada/album", in: "/home/ada/album-salvaged")
/// print("\(report.records) records, \(report.lostRecords) that could not be read")
/// if !report.isComplete { print("Sync it: other devices bring what is missing.") }
/// ```
///
/// It leaves behind half a push that was under way, cursors and the undo log.
public enum Salvage {
  /// What was found.
  public struct Report: Hashable, Sendable {
    /// The records that the new store holds, deleted ones too.
    public internal(set) var records = 0
    /// Records that were there, but could not be read at all.
    public internal(set) var lostRecords = 0
    /// Whether the log could be read to its end. If not, the last writes may be missing.
    public internal(set) var isLogWhole = true
    /// Whether every record that was there is in the new store. A last commit that a power cut tore
    /// does not count.
    public internal(set) var isComplete = true
    /// The blobs that the new store holds.
    public internal(set) var blobs = 0
    /// Blobs whose bytes do not match their name.
    public internal(set) var damagedBlobs: [BlobHash] = []
  }

  /// Makes a new store, in a new or empty folder, of what can be read in a damaged one.
  ///
  /// *Durability*: the new store is whole and on the disk when this returns. If it is broken off,
  /// you can make it again in the same folder. *Cost*: reads everything, and needs room for a copy
  /// of the database and the blobs, and for the new ones.
  /// - Throws: `notFound` if there is no store, `notWritable` if the target holds something,
  ///   `inUse`, `damaged` if nothing at all can be read, `newerVersion`, `diskFull`, `ioFailed`.
  public static func make(
    of folder: String, in target: String, on disk: any Disk = .system,
    progress: (Report) -> Void = { _ in }
  ) throws -> Report {
    try disk.requireApart(folder, target)
    var work = SalvageWork(folder: folder, target: target, disk: disk)
    return try work.run(progress)
  }
}
