public import ReunionDisk
import ReunionStore

/// Takes an upgrade back that wrote to records: the store is again the one that its snapshot kept,
/// with everything that was written since.
///
/// ```swift
/// let report = try UpgradeRollback.run("/home/ada/album")    // no program has it open
/// print("\(report.written) records were written since; the upgraded store is \(report.kept)")
/// ```
///
/// Only the upgrade goes: tables, columns and names are those of before, so that the app of before
/// finds its store. What the newer app wrote is kept as unknown, where the older one does not know
/// it. Blobs stay where they are.
public enum UpgradeRollback {
  /// What was brought together.
  public struct Report: Hashable, Sendable {
    /// The records that the store holds, deleted ones too.
    public internal(set) var records = 0
    /// How many of them were written since the upgrade.
    public internal(set) var written = 0
    /// How many were taken away since, as their author's refused changes are, or erased for good.
    public internal(set) var removed = 0
    /// Whether it holds exactly the cells that the upgraded store holds. If not, that one had lost
    /// or changed what nobody wrote to, and the snapshot has brought it back.
    public internal(set) var isEqual = true
    /// Where the upgraded store's database is now, unchanged, until the next upgrade that writes to
    /// records.
    public internal(set) var kept = ""
  }

  /// Takes back the last upgrade of the store in a folder. When it next opens, it writes under a
  /// new incarnation.
  ///
  /// *Durability*: on the disk when this returns. After a power cut at any moment there is the
  /// upgraded store or the earlier one. *Cost*: reads and writes the database three times, and
  /// needs room for two copies of it.
  /// - Throws: `notFound` if there is no store, or no snapshot of an upgrade; `inUse`, `isBackup`,
  ///   `newerVersion`, `damaged`, `diskFull`, `ioFailed`. The store is then as it was.
  public static func run(_ folder: String, on disk: any Disk = .system) throws -> Report {
    let backup = BackupWork(disk: disk)
    try backup.checkSource(folder)
    try Store.refuseBackup(folder, on: disk)
    return try backup.locked(folder) { () throws(StoreError) in
      var work = RollbackWork(folder: folder, disk: disk)
      return try work.run()
    }
  }
}
