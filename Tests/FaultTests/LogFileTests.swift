import ReunionDisk
import ReunionFlow
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// Frames of the log are gathered into few writes, and yet what committed is in the files when SQLite
/// says so, whatever SQLite does to its log meanwhile.
@Suite(.onOwnThread) struct LogFileTests {
  /// A database with a cache so small that transactions spill, and frames are written anew.
  static func open(_ disk: any Disk) throws -> DatabaseConnection {
    let connection = try DatabaseConnection(path: "/log.sqlite", on: disk, mayCreate: true)
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute("PRAGMA synchronous = NORMAL")
    try connection.execute("PRAGMA cache_size = 10")
    try connection.execute("PRAGMA wal_autocheckpoint = 40")
    return connection
  }

  /// One transaction: rows put and changed over more pages than the cache has.
  static func transact(_ connection: DatabaseConnection, _ random: inout SeededRandom) throws {
    try connection.execute("BEGIN IMMEDIATE")
    for _ in 0..<(random.happens(0.3) ? 60 : 4) {
      let row = Int.random(in: 0..<150, using: &random)
      let number = Int.random(in: 0..<1_000_000, using: &random)
      let bytes = Int.random(in: 0..<3000, using: &random)
      try connection.execute(
        """
        INSERT INTO t VALUES(\(row), \(number), zeroblob(\(bytes)))
        ON CONFLICT(id) DO UPDATE SET n = excluded.n, v = excluded.v
        """)
      if random.happens(0.1) { _ = try connection.number("SELECT sum(n) FROM t") }
    }
    try connection.execute(random.happens(0.2) ? "ROLLBACK" : "COMMIT")
  }

  static let sum = "SELECT count(*) * 1000000007 + sum(n) * 31 + sum(length(v)) FROM t"

  /// Runs transactions, and after each looks at what a process would find that starts after a kill.
  ///
  /// - Returns: how many commits it looked at, and after how many something was missing.
  static func run(
    seed: UInt64, transactions: Int, through other: (SimulatedDisk) -> any Disk = { $0 }
  ) throws -> (looks: Int, lost: Int) {
    var random = SeededRandom(seed: seed)
    let disk = SimulatedDisk(seed: seed)
    let connection = try open(other(disk))
    defer { connection.close() }
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, v BLOB)")
    try connection.execute("INSERT INTO t VALUES(0, 0, x'')")
    var lost = 0
    for _ in 0..<transactions {
      try transact(connection, &random)
      let found = try DatabaseConnection(path: "/log.sqlite", on: disk.copy())
      defer { found.close() }
      let wanted = try connection.number(sum)
      do {
        try Database.verify(found)
        if try found.number(sum) != wanted { lost += 1 }
      } catch {
        lost += 1
      }
    }
    return (transactions, lost)
  }

  @Test func `after each commit a killed process leaves all of it`() throws {
    var (looks, missing) = (0, 0)
    for seed in UInt64(1)...(Extent.isFull ? 100 : 8) {
      let (count, lost) = try Self.run(seed: seed, transactions: 60)
      #expect(lost == 0, "seed \(seed)")
      looks += count
      missing += lost
    }
    print("every commit of a log: \(looks) looked at, \(missing) lost")
  }

  @Test func `a header that stays behind is seen (negative control)`() throws {
    var lost = 0
    for seed in UInt64(1)...8 {
      lost += try Self.run(seed: seed, transactions: 60, through: HeaderlessDisk.init).lost
    }
    #expect(lost > 0)
  }

  @Test func `a commit is one write of the log`() throws {
    let disk = SimulatedDisk(seed: 1)
    let connection = try Self.open(disk)
    defer { connection.close() }
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, v BLOB)")
    try connection.execute("CREATE TABLE u(id INTEGER PRIMARY KEY)")
    for row in 0..<3 {
      let calls = Lock(0)
      disk.observeChanges { _ in calls.withLock { $0 += 1 } }
      try connection.execute(
        "BEGIN; INSERT INTO t VALUES(\(row), 1, x''); INSERT INTO u VALUES(\(row)); COMMIT")
      disk.observeChanges(nil)
      // The first transaction may have read of the log since the one before it.
      if row > 0 { #expect(calls.withLock { $0 } == 1) }
    }
  }
}

/// A disk that keeps back frames' headers that come alone, as a log would that waits for their pages.
private final class HeaderlessDisk: Disk {
  private let disk: SimulatedDisk

  init(_ disk: SimulatedDisk) { self.disk = disk }

  func open(_ path: String, _ access: DiskAccess) throws(StoreError) -> any DiskFile {
    let file = try disk.open(path, access)
    return path.hasSuffix("-wal") ? HeaderlessFile(file) : file
  }
  func status(of path: String) throws(StoreError) -> DiskStatus? { try disk.status(of: path) }
  func number(of path: String) throws(StoreError) -> (device: UInt64, file: UInt64) {
    try disk.number(of: path)
  }
  func names(in folder: String) throws(StoreError) -> [String] { try disk.names(in: folder) }
  func createFolder(_ path: String) throws(StoreError) { try disk.createFolder(path) }
  func makePrivate(_ folder: String) throws(StoreError) { try disk.makePrivate(folder) }
  func rename(_ path: String, to target: String) throws(StoreError) {
    try disk.rename(path, to: target)
  }
  func remove(_ path: String) throws(StoreError) { try disk.remove(path) }
  func syncFolder(_ path: String) throws(StoreError) { try disk.syncFolder(path) }
}

private final class HeaderlessFile: DiskFile {
  private let file: any DiskFile
  private let kept = Lock<(offset: UInt64, bytes: [UInt8])?>(nil)

  init(_ file: any DiskFile) { self.file = file }

  var path: String { file.path }
  private func writeKept() throws(StoreError) {
    guard let (offset, bytes) = kept.withLock({ $0.take() }) else { return }
    try file.write(bytes, at: offset)
  }
  func byteCount() throws(StoreError) -> UInt64 {
    try writeKept()
    return try file.byteCount()
  }
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StoreError) -> Int {
    try writeKept()
    return try file.read(into: buffer, at: offset)
  }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
    try writeKept()
    guard bytes.count == 24 else { return try file.write(bytes, at: offset) }
    kept.withLock { $0 = (offset, Array(bytes)) }
  }
  func truncate(to byteCount: UInt64) throws(StoreError) {
    try writeKept()
    try file.truncate(to: byteCount)
  }
  func sync() throws(StoreError) {
    try writeKept()
    try file.sync()
  }
  func tryLock() throws(StoreError) -> Bool { try file.tryLock() }
  func unlock() throws(StoreError) { try file.unlock() }
}
