import ReunionDisk
import ReunionStore

/// Puts a new database in a store's place, and keeps the earlier one. A power cut at any moment leaves one of
/// the two in the store, whole.
struct DatabaseReplacement {
  let path: String
  let disk: any Disk

  /// Keeps a copy of the database's files as they are. Files of the copy's name must not be there.
  func keepCopy(as kept: String) throws(StoreError) {
    let draft = kept + ".new"
    try Database.removeFiles(draft, on: disk)
    try Database.copyFiles(path, to: draft, on: disk)
    // The database comes last: where it stands under its name, its log does too.
    for end in ["-wal", "-journal", ""] where try disk.exists(draft + end) {
      try disk.open(draft + end, .reading).sync()
      try disk.rename(draft + end, to: kept + end)
    }
    try disk.syncFolder(kept.parentFolder)
  }

  /// Takes the log into the database, so that the file alone is the store: no log of the old one may stand
  /// beside the new one. Closes the connection.
  ///
  /// - Throws: `inUse` where another program has it open; `thenAgain` is what to do again then.
  func settle(_ connection: DatabaseConnection, thenAgain: String) throws(StoreError) {
    defer { connection.close() }
    try connection.execute("PRAGMA synchronous = EXTRA")
    let mode = try connection.statement("PRAGMA journal_mode = DELETE")
    defer { mode.reset() }
    guard try mode.step(), mode.text(0) == "delete" else {
      throw StoreError(
        .inUse, "Another program has \(path) open: close it there, then \(thenAgain) again.")
    }
    connection.close()
    for end in ["-wal", "-shm", "-journal"] { try disk.remove(path + end) }
    try disk.syncFolder(path.parentFolder)
  }

  /// Puts a database that is on the disk in the place of the settled one.
  func replace(by new: String) throws(StoreError) {
    try disk.rename(new, to: path)
    try disk.syncFolder(path.parentFolder)
  }
}
