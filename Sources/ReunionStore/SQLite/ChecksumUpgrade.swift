import CSQLite
import ReunionCore

/// Brings the database of an older store to pages with checksums: into a new file, which takes the
/// old one's place when it is whole, checked and on the disk.
///
/// *Durability*: after a power cut at any moment there is the old file or the new one, whole, and a
/// next opening goes on. As "How To Corrupt An SQLite Database File" warns, no
/// log of the old file ever stands beside the new one.
struct ChecksumUpgrade {
  let path: String
  let options: StoreOptions

  private var new: String { path + ".new" }
  private var disk: any Disk { options.disk }

  /// Upgrades where the file is an older one; does nothing otherwise.
  func run() throws(StoreError) {
    guard try disk.byteCount(path) ?? 0 > 0 else { return }
    let header = try disk.open(path, .reading).read(at: 0, count: 100)
    guard header.count == 100, header[20] == 0 else { return }
    try settle()
    try copy()
    try disk.rename(new, to: path)
    try disk.syncFolder(path.parentFolder)
  }

  /// Takes the old file's log into it, so that the file alone is the store.
  private func settle() throws(StoreError) {
    try checkOld()
    let connection = try Connection(path: path, on: disk, checksums: false)
    do throws(StoreError) {
      try connection.execute("PRAGMA synchronous = EXTRA")
      try Database(path: path, options: options).checkVersion(connection)
      try Database.verify(connection)
      let mode = try connection.statement("PRAGMA journal_mode = DELETE")
      defer { mode.reset() }
      guard try mode.step(), mode.text(0) == "delete" else {
        throw StoreError(
          .inUse, "\(path) is being upgraded, and in use by another program: close that program.")
      }
    } catch {
      connection.close()
      throw error
    }
    connection.close()
    for end in ["-wal", "-shm", "-journal"] { try disk.remove(path + end) }
    try disk.syncFolder(path.parentFolder)
  }

  /// A file whose pages do have checksums is no older one: its header is damaged.
  private func checkOld() throws(StoreError) {
    let page = try disk.open(path, .reading).read(
      at: UInt64(DatabaseSchema.pageBytes), count: DatabaseSchema.pageBytes)
    let isChecked = page.withUnsafeBytes { page in
      page.count == DatabaseSchema.pageBytes
        && reunion_page_matches(page.baseAddress, Int32(page.count), 2) != 0
    }
    guard !isChecked else {
      throw StoreError(
        .damaged, StoreError.damageSentence(path), underlying: "its header denies its checksums")
    }
  }

  private func copy() throws(StoreError) {
    for end in ["", "-wal", "-shm", "-journal"] { try disk.remove(new + end) }
    let old = try Connection(path: path, on: disk)
    defer { old.close() }
    try old.reserveChecksums()
    try BackupWork(disk: disk).vacuum(old, into: new)
    let connection = try Connection(path: new, on: disk)
    defer { connection.close() }
    try connection.execute("PRAGMA synchronous = EXTRA")
    try Database.verify(connection)
    try Identity.carry(from: old, to: connection, options: options)
    connection.close()
    let file = try disk.open(new, .reading)
    guard try file.read(at: 20, count: 1) == [DatabaseSchema.reservedBytes] else {
      throw StoreError(.unexpected, "\(path) could not be upgraded: please report this.")
    }
    try file.sync()
  }
}
