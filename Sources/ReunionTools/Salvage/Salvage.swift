public import ReunionCore
public import ReunionDisk
import ReunionStore

/// Makes a new store of what can be read in a damaged one, which stays as it is.
///
/// Pages are checked one by one, and what is on whole ones is taken: records, kept conflicts, cells
/// that no model here knows, and every blob whose bytes are its own. Where records may be missing
/// the new store says that it holds nothing of anybody's changes for certain, so that peers send it
/// all that it lacks. It writes under a new incarnation of the same device.
///
///     let report = try Salvage.make(of: "album", in: "album-salvaged")
///     print("\(report.records) records, \(report.lostRecords) that could not be read")
///
/// What was staged of a push that was under way, cursors and what could be undone stay behind.
public enum Salvage {
  /// What was found.
  public struct Report: Hashable, Sendable {
    /// The records that the new store holds, deleted ones too.
    public internal(set) var records = 0
    /// Records that were there, but of which nothing could be read.
    public internal(set) var lostRecords = 0
    /// Whether the log could be read to its end; else what was written last may be missing.
    public internal(set) var isLogWhole = true
    /// Whether every record that was there is in the new store. A last commit that a power cut tore
    /// was not there.
    public internal(set) var isComplete = true
    /// The blobs that the new store holds.
    public internal(set) var blobs = 0
    /// Blobs whose bytes are others than their name says.
    public internal(set) var damagedBlobs: [BlobHash] = []
  }

  /// Makes a new store, in a new or empty folder, of what can be read in a damaged one.
  ///
  /// *Durability*: the new store is whole and on the disk when this returns; one that is broken off
  /// can be made again in the same folder. *Cost*: reads everything, and needs room for a copy of
  /// the database and the blobs, and for the new ones.
  /// - Throws: `notFound` where there is no store, `notWritable` where the target holds something,
  ///   `inUse`, `damaged` where nothing at all can be read, `newerVersion`, `diskFull`, `ioFailed`.
  public static func make(
    of folder: String, in target: String, on disk: any Disk = .system,
    progress: (Report) -> Void = { _ in }
  ) throws -> Report {
    try disk.requireApart(folder, target)
    var work = SalvageWork(folder: folder, target: target, disk: disk)
    return try work.run(progress)
  }
}
