import CSQLite
import ReunionDisk
import ReunionStore

/// Copies the tables that are not rows of records from an upgraded store to its earlier state: no upgrade
/// changes them, and what was written since stands in them.
struct RollbackTables {
  private let source: DatabaseConnection
  private let target: DatabaseConnection

  init(from source: DatabaseConnection, to target: DatabaseConnection) {
    self.source = source
    self.target = target
  }

  private static let numbers = ["reunion_space", "reunion_site"]

  /// Copies the numbers of spaces and sites.
  ///
  /// - Throws: `unexpected` where a number names something else than in the snapshot.
  func copyNumbers() throws(StoreError) {
    for table in Self.numbers {
      let known = try target.prepare("SELECT number, id FROM \(table)")
      defer { known.finalize() }
      let same = try source.statement("SELECT 1 FROM \(table) WHERE number = ?1 AND id = ?2")
      while try known.step() {
        try same.bind(1, known.int(0))
        try same.bind(2, known.bytes(1))
        defer { same.reset() }
        guard try same.step() else {
          throw StoreError(
            .unexpected, "\(source.path) does not follow on its snapshot: restore a backup.")
        }
      }
      try copy(table)
    }
  }

  /// Copies all others: vectors, arrivals, conflicts, blobs, what peers said, and the store's own notes.
  func copyOthers() throws(StoreError) {
    let tables = try source.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    defer { tables.finalize() }
    while try tables.step() {
      let (name, sql) = (tables.text(0), tables.text(1))
      guard UpgradeCensus.isCompared(name) else { continue }
      let there = try target.statement("SELECT sql FROM sqlite_schema WHERE name = ?1")
      try there.bind(1, text: name)
      defer { there.reset() }
      // What came with a newer version of the file goes with it.
      guard try there.step() else { continue }
      guard there.text(0) == sql else {
        throw StoreError(
          .newerVersion,
          "\(name) in \(source.path) has another form than in the snapshot: restore a backup.")
      }
      try copy(name)
    }
    try copyNotes()
    try forgetLenses()
  }

  /// Has the next opening compute anew what lenses make: what was written since was written here without
  /// them.
  private func forgetLenses() throws(StoreError) {
    let isThere = try target.number(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'reunion_shown'")
    guard isThere == 1 else { return }
    try target.execute("UPDATE reunion_shown SET lens = ''")
  }

  /// Puts all rows of a table in place of those that are there.
  private func copy(_ table: String, where condition: String = "1") throws(StoreError) {
    try target.execute("DELETE FROM \(table) WHERE \(condition)")
    let rows = try source.prepare("SELECT * FROM \(table) WHERE \(condition)")
    defer { rows.finalize() }
    guard let handle = rows.handle else { return }
    let count = sqlite3_column_count(handle)
    let places = (1...count).map { "?\($0)" }.joined(separator: ", ")
    let insert = try target.prepare("INSERT INTO \(table) VALUES(\(places))")
    defer { insert.finalize() }
    while try rows.step() {
      for column in 0..<count {
        // SQLite copies the value, whatever it is.
        try target.check(
          sqlite3_bind_value(insert.handle, column + 1, sqlite3_column_value(handle, column)))
      }
      try insert.run()
    }
  }

  /// Copies what the store notes of itself, but for what is the snapshot's own. Without a nonce the store
  /// finds at its next opening that it is a restored one.
  private func copyNotes() throws(StoreError) {
    try copy(
      "reunion_meta",
      where: "key NOT GLOB 'initial *' AND key NOT IN ('upgrade', 'durability')")
    try target.execute("DELETE FROM reunion_meta WHERE key = 'nonce'")
  }
}
