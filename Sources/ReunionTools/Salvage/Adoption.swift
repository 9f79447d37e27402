import ReunionCore
public import ReunionDisk
import ReunionStore

/// Takes over a store whose database a foreign program, such as the `sqlite3` shell, wrote or
/// checkpointed. Its pages lack our checksums, so it does not open (`StoreError.Code.damaged`).
///
/// Only the database's own structure tells such a page from a damaged one. So adopt a store only if
/// you know that another program had it; adopting would also accept a flipped bit in a value.
///
/// ```swift
/// let report = try Adoption.adopt("/home/ada/album")
/// print("\(report.records) records; the earlier file is \(report.kept)")
/// ```
public enum Adoption {
  /// What was taken over.
  public struct Report: Hashable, Sendable {
    /// The records, deleted ones too.
    public internal(set) var records = 0
    /// The SHA-256 over all cells of all records, read before and again from the new file.
    public internal(set) var digest: [UInt8] = []
    /// The path of the earlier database now, unchanged: nothing here removes it.
    public internal(set) var kept = ""
  }

  /// Adopts the store in a folder. When it next opens, it writes under a new incarnation.
  ///
  /// It checks every table (`quick_check`) and reads every cell. Then it rewrites the database with
  /// checksums, reads it again, and puts it in the place of the earlier file, which stays beside it
  /// (`Report.kept`) until you remove it. *Durability*: on the disk when this returns. After a
  /// power cut at any moment there is the earlier store or the new one, and you can adopt it again.
  /// *Cost*: reads the database three times, and needs room for two copies of it.
  /// - Throws: `notFound` if there is no store, `inUse` if a program has it open, `isBackup`,
  ///   `newerVersion`, `diskFull`, `ioFailed`, and `damaged` if it is more than foreign: then
  ///   salvage it. The store is as it was.
  public static func adopt(_ folder: String, on disk: any Disk = .system) throws -> Report {
    let backup = BackupWork(disk: disk)
    try backup.checkSource(folder)
    try Store.refuseBackup(folder, on: disk)
    return try backup.locked(folder) { () throws(StoreError) in
      try AdoptionWork(path: folder + "/store.sqlite", disk: disk).run()
    }
  }
}

/// The steps of an adoption, on one disk.
private struct AdoptionWork {
  let path: String
  let disk: any Disk

  private var new: String { path + ".new" }

  func run() throws(StoreError) -> Adoption.Report {
    try Database.removeFiles(new, on: disk)
    var report = try judge()
    report.kept = try freeName()
    let replacement = DatabaseReplacement(path: path, disk: disk)
    try replacement.keepCopy(as: report.kept)
    try replacement.settle(openTrusting(), thenAgain: "adopt it")
    let old = try openTrusting()
    defer { old.close() }
    try old.reserveChecksums()
    try BackupWork(disk: disk).vacuum(old, into: new)
    old.close()
    try prove(report)
    try replacement.replace(by: new)
    return report
  }

  private func openTrusting() throws(StoreError) -> DatabaseConnection {
    let connection = try DatabaseConnection(path: path, on: disk)
    do throws(StoreError) {
      try connection.trustPages()
      return connection
    } catch {
      connection.close()
      throw error
    }
  }

  /// Reads all of it, and throws where it is damaged. Nothing is changed.
  private func judge() throws(StoreError) -> Adoption.Report {
    let connection = try openTrusting()
    defer { connection.close() }
    try connection.keepLogOnClose(true)
    try Database(path: path, options: StoreOptions()).checkVersion(connection)
    try Database.checkLog(connection, on: disk)
    try Database.verify(connection)
    try Database.checkSchema(connection)
    var report = Adoption.Report()
    (report.records, report.digest) = try read(connection)
    return report
  }

  /// A name that no earlier file has.
  private func freeName() throws(StoreError) -> String {
    var (name, number) = (path + ".foreign", 1)
    while try disk.exists(name) {
      number += 1
      name = "\(path).foreign-\(number)"
    }
    return name
  }

  /// Reads every cell.
  private func read(_ connection: DatabaseConnection) throws(StoreError) -> (Int, [UInt8]) {
    let layout = try Layout(connection)
    let reader = RecordReader(connection, layout: layout)
    var (count, hash) = (0, SHA256())
    for space in try reader.spaces() {
      guard let number = try reader.numbers.existingNumber(of: space) else { continue }
      hash.update(space.bytes)
      count += try reader.digest(space: number, into: &hash)
    }
    return (count, hash.finish())
  }

  /// Throws unless the new file has checksums, is sound, and holds what the old one does.
  private func prove(_ report: Adoption.Report) throws(StoreError) {
    let connection = try DatabaseConnection(path: new, on: disk)
    defer { connection.close() }
    try Database.verify(connection)
    let (count, digest) = try read(connection)
    guard try connection.readFile(at: 20, count: 1) == [DatabasePages.reservedBytes],
      count == report.records, digest == report.digest
    else {
      throw StoreError(
        .unexpected, "\(path) could not be adopted: salvage it, and report this, please.")
    }
    connection.close()
    try disk.open(new, .reading).sync()
  }
}
