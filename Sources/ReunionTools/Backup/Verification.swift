public import ReunionCore
public import ReunionDisk
import ReunionStore

/// What a look at every page, record and blob of a store found. It changes nothing.
///
/// ```swift
/// let found = try Verification(folder: replica.folder)
/// if let damage = found.damage { print("Restore a backup, or salvage it: \(damage)") }
/// for hash in found.damaged { print("A peer has to bring", hash) }
/// print(found.isSound ? "All \(found.records) records are whole." : "Not all is whole.")
/// ```
///
/// It reads a backup, too. Damage is a finding, and not an error.
///
/// The store may be in use meanwhile. *Cost*: reads everything, at the speed of the disk and of
/// SHA-256.
public struct Verification: Hashable, Sendable {
  /// The records that could be read, deleted ones too.
  public private(set) var records = 0
  /// The blobs whose bytes match their hash.
  public private(set) var blobs = 0
  /// What is wrong with the database; nil if every page and every record is as it was written.
  public private(set) var damage: String?
  /// Blobs that the store says it holds, but whose bytes differ or are missing.
  public private(set) var damaged: [BlobHash] = []
  /// Blobs that living records name and the store lacks. They come when a peer has them.
  public private(set) var missing: [BlobHash] = []
  /// Blobs that the store holds and nothing names, such as those of deleted records. A collection
  /// removes them.
  public private(set) var unreferenced: [BlobHash] = []
  /// Of the missing, those whose files lie whole in the store's folder: they are taken back when
  /// the store is next opened by a server, or now (`takeBack`).
  public private(set) var returned: [BlobHash] = []
  /// Files among the blobs that the store does not name, by their paths in its folder. A collection
  /// removes what a crash left.
  public private(set) var strays: [String] = []
  /// Files of unfinished transfers, which continue from there.
  public private(set) var unfinished: [String] = []
  /// Damaged files that were put aside.
  public private(set) var quarantined: [String] = []

  /// What members of one space may have left to reach into another, each with what to do.
  public private(set) var traces: [String] = []

  /// Whether everything that the store says it holds is there and whole. What is `missing` may be:
  /// it has not arrived yet.
  public var isSound: Bool { damage == nil && damaged.isEmpty }

  /// Reads the store in a folder.
  ///
  /// - Parameters:
  ///   - folder: The store's folder, or a backup's.
  ///   - disk: Where it is.
  ///   - progress: Called after each blob with what was found so far.
  /// - Throws: `notFound` if there is no store, `newerVersion`, `ioFailed`; never `damaged`, which
  ///   `damage` tells.
  public init(
    folder: String, on disk: any Disk = .system, progress: (Verification) -> Void = { _ in }
  ) throws {
    let path = folder + "/store.sqlite"
    guard try disk.exists(path) else {
      throw StoreError(.notFound, "There is no store in \(folder): name the folder that has one.")
    }
    for name in ["partial", "quarantine"] where try disk.exists("\(folder)/\(name)") {
      let files = try disk.names(in: "\(folder)/\(name)").sorted().map { "\(name)/\($0)" }
      if name == "partial" { unfinished = files } else { quarantined = files }
    }
    // Before the rows: whoever adds a blob names the file first.
    let files = try Self.files(in: folder, on: disk)
    var blobs: [BlobHash] = []
    do throws(StoreError) {
      let connection = try DatabaseConnection(path: path, on: disk, readOnly: true)
      defer { connection.close() }
      try connection.keepLogOnClose(true)
      try Database.checkLog(connection, on: disk)
      blobs = try readBlobs(connection, try readRecords(connection))
    } catch {
      guard error.code == .damaged else { throw error }
      damage = error.description
      return
    }
    for hash in missing {
      let file = BlobFiles.path(of: hash, in: folder)
      guard try disk.byteCount(file) != nil else { continue }
      if try BlobStore.hash(disk.open(file, .reading)) == hash { returned.append(hash) }
    }
    let named = Set(blobs.map { BlobFiles.path(of: $0, in: folder) })
    strays = files.filter { !named.contains("\(folder)/\($0)") }
    for hash in blobs {
      let file = BlobFiles.path(of: hash, in: folder)
      if try disk.exists(file), try BlobStore.hash(disk.open(file, .reading)) == hash {
        self.blobs += 1
      } else {
        damaged.append(hash)
      }
      progress(self)
    }
  }

  /// Has a store that no program has open hold again what records name and whose files are back.
  ///
  /// - Parameter folder: The store's folder.
  /// - Returns: how many blobs those are. It is 0 where a program has the store open, which does it
  ///   itself, and of a backup or a folder that cannot be written.
  /// - Throws: as `Store.open`.
  public static func takeBack(in folder: String) throws -> Int {
    do {
      let store = try Store.open(existing: folder)
      let count = try store.blobs.takeBackNamed().count
      try store.close()
      return count
    } catch let error as StoreError where [.inUse, .isBackup, .notWritable].contains(error.code) {
      return 0
    }
  }

  private static func files(
    in folder: String, on disk: any Disk
  ) throws(StoreError) -> [String] {
    guard try disk.exists(folder + "/blobs") else { return [] }
    var files: [String] = []
    for name in try disk.names(in: folder + "/blobs").sorted() {
      guard case .folder? = try disk.status(of: "\(folder)/blobs/\(name)") else {
        files.append("blobs/\(name)")
        continue
      }
      files += try disk.names(in: "\(folder)/blobs/\(name)").sorted().map { "blobs/\(name)/\($0)" }
    }
    return files
  }

  private mutating func readRecords(
    _ connection: DatabaseConnection
  ) throws(StoreError) -> RecordReader {
    try Database.verify(connection)
    try Database.checkSchema(connection)
    let layout = try Layout(connection)
    let reader = RecordReader(connection, layout: layout)
    var found = Traces()
    var held: [SpaceID: Set<Site>] = [:]
    let spaces = try reader.spaces()
    for space in spaces {
      guard let number = try reader.numbers.existingNumber(of: space) else { continue }
      held[space] = Set(try reader.vector(space: number).entries.map(\.site))
      try reader.forEach(space: number) { record in
        records += 1
        found.look(at: record, in: space)
      }
    }
    traces = found.sentences(spaces, held: held, sites: try? Identity.sites(connection))
    return reader
  }

  private mutating func readBlobs(
    _ connection: DatabaseConnection, _ reader: RecordReader
  ) throws(StoreError) -> [BlobHash] {
    let use = try BlobUse(reader)
    let lacked = try hashes(
      connection,
      """
      SELECT DISTINCT hash FROM reunion_blob_reference r \
      WHERE NOT EXISTS (SELECT 1 FROM reunion_blob b WHERE b.hash = r.hash)
      """)
    for hash in lacked where try use.isNamedByLiving(hash) { missing.append(hash) }
    let held = try hashes(connection, "SELECT hash FROM reunion_blob")
    for hash in held where try !use.isNamed(hash) { unreferenced.append(hash) }
    return held
  }

  private func hashes(_ connection: DatabaseConnection, _ sql: String) throws(StoreError)
    -> [BlobHash]
  {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var hashes: [BlobHash] = []
    while try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's hash")
      }
      hashes.append(hash)
    }
    return hashes
  }
}
