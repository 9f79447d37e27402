import ReunionCore
import ReunionDisk

/// In which mode a database's log is written, as the database itself says.
///
/// A power cut tears a log that was written under `synchronous = NORMAL` anywhere behind its last
/// sync, and one that was written under FULL behind its last commit alone: what is damage in the
/// one is none in the other, whoever opens it (`LogCheck`). So a log has frames of one mode: where
/// the mode changes, the log is taken into the database before, and again after that is noted.
struct DurabilityMode {
  private let connection: DatabaseConnection

  init(_ connection: DatabaseConnection) { self.connection = connection }

  /// The mode of the log that is there.
  func current() throws(StoreError) -> StoreOptions.Durability {
    try connection.kept(Self.key) == [Self.normal] ? .normal : .full
  }

  /// Notes a mode, in the transaction that is under way.
  func note(_ mode: StoreOptions.Durability) throws(StoreError) {
    try connection.keep([mode == .normal ? Self.normal : Self.full], as: Self.key)
  }

  /// Changes the mode. Where a reader needs the log it stays as it was; the log is synced then.
  func change(to mode: StoreOptions.Durability) throws(StoreError) {
    guard try current() != mode, try takeLog() else { return }
    try connection.execute("PRAGMA synchronous = FULL")
    try connection.transaction { () throws(StoreError) in try note(mode) }
    // One that a reader needs holds this commit alone, which is synced.
    _ = try takeLog()
  }

  /// Runs a transaction that is on the disk when this returns, with all before it.
  func synced(
    _ options: StoreOptions, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    guard options.durability == .normal, !options.seededBugs.identityNotSynced else {
      return try connection.transaction("BEGIN IMMEDIATE", body)
    }
    try sync(true)
    do throws(StoreError) {
      try connection.transaction("BEGIN IMMEDIATE", body)
    } catch {
      try sync(false)
      throw error
    }
    try sync(false)
  }

  /// Sets whether the next commits are on the disk when they return, with all before them, or
  /// later. Not for use in a transaction.
  func sync(_ isSynced: Bool) throws(StoreError) {
    try connection.execute("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
  }

  /// Cuts the log off after a commit that failed, as far as the disk lets it. Its frames may be there whole
  /// and not on the disk, since a sync that failed is not made up for by the next. A program that
  /// opens the store then would take them for a commit, and write on after what a power cut takes
  /// (`decisions/0104`).
  func cutLog() {
    for _ in 0..<3 {
      do throws(StoreError) {
        _ = try takeLog()
        return
      } catch {
        continue
      }
    }
  }

  /// Takes the whole log into the database and cuts it off; false where a reader needs it.
  private func takeLog() throws(StoreError) -> Bool {
    try connection.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0
  }

  private static let key = "durability"
  private static let normal: UInt8 = 0
  private static let full: UInt8 = 1
}
