import ReunionCore
import ReunionDisk
import ReunionStore

/// The steps of a salvage, on one disk.
struct SalvageWork {
  private let folder: String
  private let target: String
  private let disk: any Disk
  private let bugs: SeededBugs
  private var report = Salvage.Report()
  /// The latest stamp that was read.
  private var clock = Stamp(rawValue: 0)
  private static let recordsPerCommit = 1000

  init(folder: String, target: String, disk: any Disk, bugs: SeededBugs = SeededBugs()) {
    self.folder = folder
    self.target = target
    self.disk = disk
    self.bugs = bugs
  }

  /// What is read, so that the damaged file itself is not even opened by SQLite.
  private var copy: String { target + "/damaged.sqlite" }
  private var new: String { target + "/store.sqlite.new" }

  mutating func run(
    _ progress: (Salvage.Report) -> Void
  ) throws(StoreError) -> Salvage.Report {
    let backup = BackupWork(disk: disk)
    try backup.checkSource(folder)
    try disk.makeFolder(target)
    try disk.syncNames(of: target)
    let names = try backup.contents(target).filter {
      !$0.hasPrefix("damaged.sqlite") && !$0.hasPrefix("store.sqlite.new")
    }
    guard names.subtracting(["lock", "blobs"]).isEmpty else {
      throw StoreError(.notWritable, "\(target) is not empty: salvage into a new folder.")
    }
    let sourceLock = try backup.lock(folder)
    let targetLock = try backup.lock(target)
    defer { withExtendedLifetime((sourceLock, targetLock)) {} }
    try copyDatabase()
    // Whoever wrote the log: what follows a broken frame was committed, and is not read.
    if !bugs.salvageTrustsLog {
      report.isLogWhole = try LogCheck.isWhole(copy + "-wal", on: disk)
    }
    report.isComplete = report.isLogWhole
    let blobs = try copyBlobs(backup, progress)
    try build(blobs, progress)
    try Database.removeFiles(copy, on: disk)
    try disk.syncFolder(target)
    return report
  }

  private func copyDatabase() throws(StoreError) {
    try Database.removeFiles(copy, on: disk)
    try Database.removeFiles(new, on: disk)
    try Database.copyFiles("\(folder)/store.sqlite", to: copy, on: disk)
  }

  /// Copies every blob whose bytes are its own, whatever the database says.
  private mutating func copyBlobs(
    _ backup: BackupWork, _ progress: (Salvage.Report) -> Void
  ) throws(StoreError) -> [BlobReference] {
    var blobs: [BlobReference] = []
    let source = folder + "/blobs"
    guard try disk.exists(source) else { return [] }
    for part in try disk.names(in: source).sorted()
    where try disk.status(of: "\(source)/\(part)") == .folder {
      let before = blobs.count
      for name in try disk.names(in: "\(source)/\(part)").sorted() {
        let path = "\(source)/\(part)/\(name)"
        guard let hash = BlobHash(name), let byteCount = try disk.byteCount(path) else { continue }
        let blob = BlobReference(hash: hash, byteCount: byteCount)
        let isWhole = try backup.copy(
          blob, from: folder, to: BlobFiles.path(of: hash, in: target))
        if isWhole { blobs.append(blob) } else { report.damagedBlobs.append(hash) }
        report.blobs = blobs.count
        progress(report)
      }
      if blobs.count > before { try disk.syncFolder("\(target)/blobs/\(part)") }
    }
    if !blobs.isEmpty { try disk.syncFolder(target + "/blobs") }
    return blobs
  }

  private mutating func build(
    _ blobs: [BlobReference], _ progress: (Salvage.Report) -> Void
  ) throws(StoreError) {
    let damaged = try DamagedStore(copy, on: disk)
    defer { damaged.close() }
    var options = StoreOptions()
    options.disk = disk
    let connection = try Database(path: new, options: options).open(isExpected: false)
    defer { connection.close() }
    let layout = try LayoutUpgrade(connection: connection, model: damaged.model()).run()
    let writer = try RecordWriter(RecordReader(connection, layout: layout))
    var spaces: [SpaceID: SpaceState] = [:]
    for table in damaged.layout.tables {
      let (keys, isWhole) = damaged.keys(of: table)
      if !isWhole { report.isComplete = false }
      var start = 0
      while start < keys.count {
        let piece = keys[start..<min(start + Self.recordsPerCommit, keys.count)]
        try connection.transaction { () throws(StoreError) in
          for key in piece { try take(key, from: damaged, into: &spaces, writer) }
        }
        start += piece.count
        progress(report)
      }
    }
    try connection.transaction { () throws(StoreError) in
      for conflict in damaged.conflicts() {
        guard let state = spaces[conflict.space] else { continue }
        try writer.keepConflict(conflict.cell, of: conflict.key, space: state.number)
      }
      for blob in blobs { try writer.hold(blob) }
      try BlobTenant.noteUnnamed(connection)
      // Only a store that has every record may say what it holds.
      if report.isComplete, let vectors = damaged.vectors() {
        for (space, vector) in vectors { spaces[space]?.vector = vector }
      } else {
        report.isComplete = false
      }
      clock = max(clock, damaged.clock())
      let sites = damaged.sites()
      for (id, var state) in spaces {
        let site = sites?[id] ?? Site(device: 0, incarnation: 0)
        let mark = CommitMark(site: site, stamp: clock, random: options.random())
        try writer.write(&state, over: writer.space(id), mark)
      }
      if let sites { try Identity.write(sites, connection) }
    }
    try connection.closeTakingLog()
    try disk.open(new, .reading).sync()
    try disk.rename(new, to: target + "/store.sqlite")
    try disk.syncFolder(target)
  }

  private mutating func take(
    _ key: DamagedStore.Key, from damaged: DamagedStore, into spaces: inout [SpaceID: SpaceState],
    _ writer: RecordWriter
  ) throws(StoreError) {
    guard let space = damaged.spaces[key.space], let record = damaged.record(key) else {
      report.lostRecords += 1
      report.isComplete = false
      return
    }
    if spaces[space] == nil { spaces[space] = try writer.space(space) }
    guard var state = spaces[space] else { return }
    state.arrival += 1
    var arrived = record
    arrived.arrival = state.arrival
    arrived.hasUnknownCells = false
    try writer.write(arrived, over: nil, space: state.number)
    for cell in record.state.cells where cell.stamp < Stamp.limit {
      clock = max(clock, cell.stamp)
    }
    spaces[space] = state
    report.records += 1
  }
}
