import ReunionCore
import ReunionDisk
import ReunionStore

/// The steps of a rollback, on one disk.
///
/// Numbers of spaces and sites, arrivals and tags are those of the upgraded store, which went on from the
/// snapshot: so a row of either names the same, and a record was written since the upgrade if its arrival
/// number is higher than its space had then.
struct RollbackWork {
  private let folder: String
  private let disk: any Disk
  private var report = UpgradeRollback.Report()

  init(folder: String, disk: any Disk) {
    self.folder = folder
    self.disk = disk
  }

  private var path: String { folder + "/store.sqlite" }
  private var new: String { path + ".new" }

  mutating func run() throws(StoreError) -> UpgradeRollback.Report {
    try Database.removeFiles(new, on: disk)
    let number = try snapshotNumber()
    let snapshot = UpgradeSnapshot(of: folder, on: disk)
    guard number > 0, try disk.exists(snapshot.path(number)) else {
      throw StoreError(
        .notFound,
        "\(folder) keeps no snapshot: no upgrade has written to its records, or the snapshot was"
          + " removed. Restore a backup.")
    }
    // What is damaged of it is found when the new database is verified.
    try Database.copyFiles(snapshot.path(number), to: new, on: disk)
    try build()
    try disk.open(new, .reading).sync()
    report.kept = snapshot.replacedPath(number)
    let replacement = DatabaseReplacement(path: path, disk: disk)
    try Database.removeFiles(report.kept, on: disk)
    try replacement.keepCopy(as: report.kept)
    try replacement.settle(DatabaseConnection(path: path, on: disk), thenAgain: "roll back")
    try replacement.replace(by: new)
    return report
  }

  private func snapshotNumber() throws(StoreError) -> Int64 {
    let connection = try DatabaseConnection(path: path, on: disk, readOnly: true)
    defer { connection.close() }
    try connection.keepLogOnClose(true)
    try Database(path: path, options: StoreOptions()).checkVersion(connection)
    try Database.checkLog(connection, on: disk)
    return try UpgradeSnapshot.number(connection)
  }

  /// Makes the new database of the snapshot's copy.
  private mutating func build() throws(StoreError) {
    let upgraded = try DatabaseConnection(path: path, on: disk, readOnly: true)
    defer { upgraded.close() }
    try upgraded.keepLogOnClose(true)
    var options = StoreOptions()
    options.disk = disk
    let connection = try Database(path: new, options: options).open(isExpected: true)
    defer { connection.close() }
    try connection.execute("PRAGMA synchronous = EXTRA")
    let source = RecordReader(upgraded, layout: try Layout(upgraded))
    let writer = try RecordWriter(RecordReader(connection, layout: Layout(connection)))
    try connection.transaction { () throws(StoreError) in
      let arrivals = try arrivals(connection)
      let tables = RollbackTables(from: upgraded, to: connection)
      // Numbers come first, since rows of records go by them.
      try tables.copyNumbers()
      for (space, number) in try spaces(upgraded) {
        try bring(space: number, after: arrivals[space] ?? 0, from: source, to: writer)
        try dropRemoved(space: number, source, writer)
      }
      try tables.copyOthers()
      try prove(source, writer.reader, arrivals)
      let before = try CellCount(upgraded, layout: source.layout)
      let after = try CellCount(connection, layout: writer.reader.layout)
      report.isEqual = after == before
    }
    try Database.verify(connection)
    try connection.closeTakingLog()
  }

  private func spaces(_ connection: DatabaseConnection) throws(StoreError) -> [(SpaceID, Int64)] {
    let statement = try connection.prepare("SELECT id, number FROM reunion_space")
    defer { statement.finalize() }
    var spaces: [(SpaceID, Int64)] = []
    while try statement.step() { spaces.append((try statement.identifier(0), statement.int(1))) }
    return spaces
  }

  /// The highest arrival number of each space.
  private func arrivals(_ connection: DatabaseConnection) throws(StoreError) -> [SpaceID: UInt64] {
    let statement = try connection.prepare("SELECT id, arrival FROM reunion_space")
    defer { statement.finalize() }
    var arrivals: [SpaceID: UInt64] = [:]
    while try statement.step() {
      arrivals[try statement.identifier(0)] = UInt64(bitPattern: statement.int(1))
    }
    return arrivals
  }

  /// Writes what was written since into the new database.
  private mutating func bring(
    space: Int64, after arrival: UInt64, from source: RecordReader, to writer: RecordWriter
  ) throws(StoreError) {
    try source.forEach(space: space) { (record) throws(StoreError) in
      report.records += 1
      guard record.arrival > arrival else { return }
      report.written += 1
      let previous = try writer.reader.record(record.key, space: space)
      try writer.write(record, over: previous, space: space)
    }
  }

  /// Takes away what was taken away since: nothing but a refusal or an erasure removes a row.
  private mutating func dropRemoved(
    space: Int64, _ source: RecordReader, _ writer: RecordWriter
  ) throws(StoreError) {
    var gone: [StoredRecord] = []
    try writer.reader.forEach(space: space) { (record) throws(StoreError) in
      if try source.record(record.key, space: space) == nil { gone.append(record) }
    }
    for record in gone { try writer.remove(record, space: space) }
    report.removed += gone.count
  }

  /// Throws unless every record that was written since is in the new database as it is in the upgraded
  /// one, and there is no other than that one has.
  private func prove(
    _ source: RecordReader, _ result: RecordReader, _ arrivals: [SpaceID: UInt64]
  ) throws(StoreError) {
    for (id, space) in try spaces(source.connection) {
      var count = 0
      try source.forEach(space: space) { (record) throws(StoreError) in
        count += 1
        let found = try result.record(record.key, space: space)
        guard let found, found.arrival == record.arrival,
          record.arrival <= arrivals[id] ?? 0 || found.state == record.state
        else { throw unproven() }
      }
      try result.forEach(space: space) { _ in count -= 1 }
      guard count == 0 else { throw unproven() }
    }
  }

  private func unproven() -> StoreError {
    StoreError(
      .unexpected,
      "The upgrade of \(path) could not be taken back, since what was brought together is not what was"
        + " read. The store is as it was; please report this.")
  }
}
