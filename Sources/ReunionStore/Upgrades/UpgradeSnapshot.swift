package import ReunionDisk

/// The folder `upgrade` of a store: copies of the database as it was before an upgrade that touches
/// rows, of which the one is kept that the database names.
///
/// It alone of all upgrade code has a disk, and every path that it makes is one in that folder: blobs
/// are out of its reach.
package struct UpgradeSnapshot {
  private let disk: any Disk
  private let folder: String

  package init(of storeFolder: String, on disk: any Disk) {
    self.disk = disk
    folder = storeFolder + "/upgrade"
  }

  /// Where the snapshot of an upgrade is.
  package func path(_ number: Int64) -> String { "\(folder)/\(Self.name(number))" }

  /// Where the upgraded store is kept that a rollback to a snapshot replaces.
  package func replacedPath(_ number: Int64) -> String { "\(folder)/after-\(number).sqlite" }

  private static func name(_ number: Int64) -> String { "before-\(number).sqlite" }

  /// How many upgrades were guarded; the kept snapshot has that number.
  package static func number(_ connection: DatabaseConnection) throws(StoreError) -> Int64 {
    try connection.number("SELECT value FROM reunion_meta WHERE key = 'upgrade'") ?? 0
  }

  /// Has the database name its snapshot, in the transaction that upgrades it.
  static func note(_ number: Int64, _ connection: DatabaseConnection) throws(StoreError) {
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO reunion_meta(key, value) VALUES('upgrade', ?1)")
    try statement.bind(1, number)
    try statement.run()
  }

  /// Copies the database as it is; the copy is whole and on the disk when this returns. One of an
  /// upgrade that did not take place is replaced.
  func make(_ number: Int64, of connection: DatabaseConnection) throws(StoreError) {
    let new = path(number) + ".new"
    do throws(StoreError) {
      try disk.makeFolder(folder)
      try remove(new)
      let statement = try connection.prepare("VACUUM INTO ?1")
      defer { statement.finalize() }
      try statement.bind(1, text: new)
      try statement.run()
      // SQLite syncs it in some of its versions.
      try disk.open(new, .reading).sync()
      try disk.rename(new, to: path(number))
      try disk.syncFolder(folder)
    } catch {
      // Nothing is lost where it stays: the next try begins with removing it.
      try? remove(new)
      guard error.code == .diskFull else { throw error }
      throw StoreError(
        .diskFull,
        "There is no room in \(folder) for the snapshot that is made before an upgrade: make room for"
          + " \(try byteCount(of: connection)) bytes, and open it again. Nothing was changed.",
        underlying: error.underlying)
    }
  }

  /// Removes all snapshots but one. What cannot be removed now is after the next upgrade.
  func sweep(keeping number: Int64) {
    for name in (try? disk.names(in: folder)) ?? [] where name != Self.name(number) {
      try? disk.remove("\(folder)/\(name)")
    }
    try? disk.syncFolder(folder)
  }

  /// Whether the snapshot of an upgrade is there.
  func isThere(_ number: Int64) throws(StoreError) -> Bool {
    try disk.exists("\(folder)/\(Self.name(number))")
  }

  /// Opens the snapshot of an upgrade, to be read.
  package func open(_ number: Int64) throws(StoreError) -> DatabaseConnection {
    try DatabaseConnection(path: path(number), on: disk, readOnly: true)
  }

  private func remove(_ file: String) throws(StoreError) {
    for end in ["", "-journal", "-wal", "-shm"] { try disk.remove(file + end) }
  }

  private func byteCount(of connection: DatabaseConnection) throws(StoreError) -> String {
    let pages = try connection.number("PRAGMA page_count") ?? 0
    return Int(pages * Int64(DatabasePages.byteCount)).grouped
  }
}
