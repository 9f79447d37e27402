public import ReunionCore
public import ReunionDisk
import ReunionStore

/// Copies of a store in a separate folder, made while the store is in use.
///
/// ```swift
/// let report = try Backup.make(of: replica.folder, in: "/mnt/disk/album") { report in
///   print("\(report.copiedBlobs) files copied")
/// }
/// if !report.lost.isEmpty { print("Damaged here: \(report.lost.count) files") }
/// _ = try Backup.restore("/mnt/disk/album", to: "/home/ada/album-restored")
/// ```
///
/// A backup holds a store's records as of one moment, and the blobs that it held then. You may make
/// it again into the same folder; blobs that are there already are not copied again. SQL and
/// `Verification` read it, and it opens as a store only with `StoreOptions.isReadOnly`: to use it,
/// `restore` it. *Durability*: everything is on the disk when a function returns; if one is broken
/// off, the earlier backup stays whole. *Thread*: any, but not an event loop's: these functions
/// take as long as the disk does.
public enum Backup {
  /// What was copied.
  public struct Report: Hashable, Sendable {
    /// The living records.
    public internal(set) var records = 0
    /// The blobs that the copy holds.
    public internal(set) var blobs = 0
    /// How many of them were copied now.
    public internal(set) var copiedBlobs = 0
    /// Blobs that the store says it holds, but that are missing or damaged. The copy does not claim
    /// them, so it asks its peers for them.
    public internal(set) var lost: [BlobHash] = []
    /// Blobs that records name and whose files lie in an earlier backup, but in the store no more.
    /// The backup keeps them.
    public internal(set) var kept: [BlobHash] = []
    /// Blobs that living records name and that are neither in the store nor in the backup: they may
    /// not have arrived yet.
    public internal(set) var missing: [BlobHash] = []
  }

  /// Makes a backup of the store in a folder, or brings an earlier one up to date.
  ///
  /// The store may be in use, also by this program. *Cost*: writes all records anew, and of the
  /// blobs those that the backup lacks; it reads each of these, and checks it by its hash.
  /// - Parameters:
  ///   - folder: The store's folder.
  ///   - target: The backup's folder, on the same disk or another; only its owner can read it.
  ///   - disk: Where both are.
  ///   - progress: Called after each blob with the counts so far.
  /// - Returns: What was copied. Read `lost` and `missing`: they are no errors, but bytes that this
  ///   backup does not hold.
  /// - Throws: `StoreError`. `notFound` if there is no store; `damaged` if the store is: salvage
  ///   it. `notWritable` if the target holds something else, was used as a store since, or is
  ///   inside the store or around it. `inUse` if another backup into it is under way; `diskFull`,
  ///   `ioFailed`. The earlier backup is then as it was.
  public static func make(
    of folder: String, in target: String, on disk: any Disk = .system,
    progress: (Report) -> Void = { _ in }
  ) throws -> Report {
    let work = BackupWork(disk: disk)
    try work.checkSource(folder)
    try disk.requireApart(folder, target)
    try disk.makeFolder(target)
    try disk.syncNames(of: target)
    try work.checkTarget(target)
    return try work.locked(target) { () throws(StoreError) in
      try work.copy(folder, to: target, progress: progress)
    }
  }

  /// Turns a backup into a store in a new or empty folder. The store writes under a new
  /// incarnation, so that it and the store that the backup was made of may both go on.
  ///
  /// - Parameters:
  ///   - backup: The backup's folder, which stays as it is.
  ///   - folder: The new store's folder.
  ///   - disk: Where both are.
  ///   - progress: Called after each blob with the counts so far.
  /// - Returns: What was copied.
  /// - Throws: `StoreError`. `notFound` if there is no backup; `notWritable` if the folder is not
  ///   empty; the others as `make`. What was copied by then stays in the folder: remove it before
  ///   you try again.
  public static func restore(
    _ backup: String, to folder: String, on disk: any Disk = .system,
    progress: (Report) -> Void = { _ in }
  ) throws -> Report {
    let work = BackupWork(disk: disk)
    try work.checkSource(backup)
    try disk.requireApart(backup, folder)
    try disk.makeFolder(folder)
    try disk.syncNames(of: folder)
    guard try work.contents(folder).isEmpty else {
      throw StoreError(.notWritable, "\(folder) is not empty: restore into a new folder.")
    }
    return try work.locked(folder) { () throws(StoreError) in
      let report = try work.copy(backup, to: folder, progress: progress)
      // It is a store of its own from now on, and no backup that a next one may replace.
      try disk.remove(folder + "/" + Store.backupMark)
      try disk.syncFolder(folder)
      return report
    }
  }
}

/// The steps of making a backup, on one disk.
struct BackupWork {
  let disk: any Disk

  func checkSource(_ folder: String) throws(StoreError) {
    guard try disk.exists(folder + "/store.sqlite") else {
      throw StoreError(.notFound, "There is no store in \(folder): name the folder that has one.")
    }
  }

  /// Runs a closure that has a folder for itself. The lock is given back, not only closed: a child
  /// process that is about to start may hold its file.
  func locked<Success>(
    _ folder: String, _ body: () throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    let lock = try lock(folder)
    let result = Result { () throws(StoreError) in try body() }
    try lock.unlock()
    return try result.get()
  }

  func lock(_ folder: String) throws(StoreError) -> any DiskFile {
    try disk.makePrivate(folder)
    let lock = try disk.open(folder + "/lock", .writing)
    guard try lock.tryLock() else {
      throw StoreError(.inUse, "Another program has \(folder) open: close it there first.")
    }
    return lock
  }

  /// Refuses to replace anything but an earlier backup that nobody has written to since.
  func checkTarget(_ folder: String) throws(StoreError) {
    let names = try contents(folder)
    if names.subtracting(["lock", "blobs", "store.sqlite.new", Store.backupMark]).isEmpty {
      return
    }
    guard let nonces = try disk.read(folder + "/" + Store.backupMark) else {
      throw StoreError(
        .notWritable, "\(folder) holds something other than a backup: choose another folder.")
    }
    let connection = try DatabaseConnection(
      path: folder + "/store.sqlite", on: disk, readOnly: true)
    defer { connection.close() }
    let used = try nonce(connection)[...]
    guard
      stride(from: 0, to: nonces.count, by: 8).contains(where: { nonces[$0...].prefix(8) == used })
    else {
      throw StoreError(
        .notWritable,
        "\(folder) was used as a store since its backup was made: choose another folder.")
    }
  }

  func contents(_ folder: String) throws(StoreError) -> Set<String> {
    Set(try disk.names(in: folder)).subtracting(["lost+found", ".DS_Store"])
  }

  private func nonce(_ connection: DatabaseConnection) throws(StoreError) -> [UInt8] {
    let statement = try connection.statement("SELECT value FROM reunion_meta WHERE key = 'nonce'")
    defer { statement.reset() }
    return try statement.step() ? statement.bytes(0) : []
  }

  func copy(
    _ source: String, to target: String, progress: (Backup.Report) -> Void
  ) throws(StoreError) -> Backup.Report {
    let new = target + "/store.sqlite.new"
    try Database.removeFiles(new, on: disk)
    try copyDatabase(source + "/store.sqlite", to: new)
    var report = Backup.Report()
    let connection = try DatabaseConnection(path: new, on: disk)
    do throws(StoreError) {
      try connection.execute("PRAGMA synchronous = EXTRA")
      report.records = try livingCount(connection)
      try copyBlobs(source, to: target, connection, &report, progress)
      let mode = try connection.statement("PRAGMA journal_mode = WAL")
      guard try mode.step() else { throw StoreError(.ioFailed, "\(new) cannot be written.") }
      mode.reset()
      let nonce = try nonce(connection)
      try connection.closeTakingLog()
      try disk.open(new, .reading).sync()
      try disk.remove(target + "/store.sqlite-wal")
      try disk.remove(target + "/store.sqlite-shm")
      // The mark names the earlier one too, until the new one has its name.
      let earlier = try disk.read(target + "/" + Store.backupMark)?.suffix(8) ?? []
      try disk.write(earlier + nonce, to: target + "/" + Store.backupMark)
      try disk.rename(new, to: target + "/store.sqlite")
      try disk.syncFolder(target)
    } catch {
      connection.close()
      throw error
    }
    return report
  }

  /// Copies a database as of one moment, while others write to it; every page is checked.
  private func copyDatabase(_ path: String, to target: String) throws(StoreError) {
    let connection = try DatabaseConnection(path: path, on: disk)
    defer { connection.close() }
    // The store's own last connection sees to its log.
    try connection.keepLogOnClose(true)
    try Database.checkSchema(connection)
    try vacuum(connection, into: target)
  }

  /// Copies a database as of one moment into a new file, and puts its pages in order.
  func vacuum(_ connection: DatabaseConnection, into target: String) throws(StoreError) {
    let statement = try connection.prepare("VACUUM INTO ?1")
    defer { statement.finalize() }
    try statement.bind(1, text: target)
    do throws(StoreError) {
      try statement.run()
    } catch {
      // SQLite says that the file is there already where its size cannot be had.
      guard error.code == .unexpected, try disk.byteCount(target) ?? 0 == 0 else { throw error }
      throw StoreError(.ioFailed, "\(target) cannot be written.", underlying: error.description)
    }
  }

  private func livingCount(_ connection: DatabaseConnection) throws(StoreError) -> Int {
    var count: Int64 = 0
    for table in try Layout(connection).tables {
      count += try connection.number("SELECT count(*) FROM \(table.name) WHERE alive") ?? 0
    }
    return Int(count)
  }

  private func copyBlobs(
    _ source: String, to target: String, _ connection: DatabaseConnection,
    _ report: inout Backup.Report,
    _ progress: (Backup.Report) -> Void
  ) throws(StoreError) {
    var blobs: [BlobReference] = []
    let statement = try connection.statement("SELECT hash, byte_count FROM reunion_blob")
    while try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's hash")
      }
      blobs.append(BlobReference(hash: hash, byteCount: UInt64(bitPattern: statement.int(1))))
    }
    statement.reset()
    var folders: Set<String> = []
    var gone: [BlobHash] = []
    let layout = try Layout(connection)
    let use = try BlobUse(RecordReader(connection, layout: layout))
    for blob in blobs {
      let path = BlobFiles.path(of: blob.hash, in: target)
      if try disk.byteCount(path) == blob.byteCount {
        let isThere = try disk.exists(BlobFiles.path(of: blob.hash, in: source))
        if !isThere, try use.isNamed(blob.hash) { report.kept.append(blob.hash) }
      } else {
        guard try copy(blob, from: source, to: path) else {
          gone.append(blob.hash)
          // What nothing named may have been collected since the database was copied.
          if try use.isNamed(blob.hash) { report.lost.append(blob.hash) }
          continue
        }
        report.copiedBlobs += 1
      }
      // Also of one that an earlier backup copied, which was broken off.
      folders.insert(path.parentFolder)
      report.blobs += 1
      progress(report)
    }
    let found = try namedFiles(source, target, use, connection, &report)
    for blob in found { folders.insert(BlobFiles.path(of: blob.hash, in: target).parentFolder) }
    for folder in folders.sorted() { try disk.syncFolder(folder) }
    if !folders.isEmpty { try disk.syncFolder(target + "/blobs") }
    try connection.transaction { () throws(StoreError) in
      let delete = try connection.statement("DELETE FROM reunion_blob WHERE hash = ?1")
      for hash in gone {
        try delete.bind(1, hash.bytes)
        try delete.run()
      }
      let insert = try connection.statement(
        "INSERT OR REPLACE INTO reunion_blob(hash, byte_count) VALUES(?1, ?2)")
      for blob in found {
        try insert.bind(1, blob.hash.bytes)
        try insert.bind(2, Int64(bitPattern: blob.byteCount))
        try insert.run()
      }
    }
  }

  /// What living records name without a row: a whole file of it, in the source or in an earlier
  /// backup, is held by the copy. The rest is noted as missing.
  private func namedFiles(
    _ source: String, _ target: String, _ use: BlobUse, _ connection: DatabaseConnection,
    _ report: inout Backup.Report
  ) throws(StoreError) -> [BlobReference] {
    var found: [BlobReference] = []
    let statement = try connection.statement(
      """
      SELECT DISTINCT hash FROM reunion_blob_reference r \
      WHERE NOT EXISTS (SELECT 1 FROM reunion_blob b WHERE b.hash = r.hash)
      """)
    defer { statement.reset() }
    while try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's hash")
      }
      guard try use.isNamedByLiving(hash) else { continue }
      let path = BlobFiles.path(of: hash, in: target)
      let isThere = try isWhole(hash, at: path)
      let isInSource = try isWhole(hash, at: BlobFiles.path(of: hash, in: source))
      let blob = BlobReference(hash: hash, byteCount: 0)
      var isCopied = false
      if !isThere, isInSource { isCopied = try copy(blob, from: source, to: path) }
      guard isThere || isCopied, let byteCount = try disk.byteCount(path) else {
        report.missing.append(hash)
        continue
      }
      if isCopied { report.copiedBlobs += 1 } else if !isInSource { report.kept.append(hash) }
      report.blobs += 1
      found.append(BlobReference(hash: hash, byteCount: byteCount))
    }
    return found
  }

  private func isWhole(_ hash: BlobHash, at path: String) throws(StoreError) -> Bool {
    guard try disk.byteCount(path) != nil else { return false }
    return try BlobStore.hash(disk.open(path, .reading)) == hash
  }

  /// Copies a blob, and checks what it copies; false where the bytes are gone or others.
  func copy(
    _ blob: BlobReference, from source: String, to path: String
  ) throws(StoreError) -> Bool {
    let from = BlobFiles.path(of: blob.hash, in: source)
    guard try disk.exists(from) else { return false }
    try disk.makeFolder(path.parentFolder)
    let input = try disk.open(from, .reading)
    let output = try disk.open(path + ".new", .creating)
    do throws(StoreError) {
      guard try BlobFiles.copy(input, to: output)?.hash == blob.hash else {
        try disk.remove(output.path)
        return false
      }
      try output.sync()
      try disk.rename(output.path, to: path)
    } catch {
      try disk.remove(output.path)
      throw error
    }
    return true
  }
}
