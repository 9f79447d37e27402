import ReunionCore
public import ReunionDisk
import ReunionStore

/// A hash of everything in a store: equal for stores that hold the same, to the bit.
///
/// ```swift
/// let before = try Fingerprint(folder: replica.folder)
/// let after = try Fingerprint(folder: "/mnt/disk/album")    // a backup, or another device's
/// print(before == after ? "They hold the same." : "\(before.records), \(after.records) records")
/// ```
///
/// It covers every cell of every record, the values that lost in conflicts, the version vectors,
/// and every blob whose bytes match its name. The store may be in use. *Cost*: reads everything.
public struct Fingerprint: Hashable, Sendable {
  /// The records, deleted ones too.
  public private(set) var records = 0
  /// The blobs that the store holds whole.
  public private(set) var blobs = 0
  /// The bytes of these blobs.
  public private(set) var blobBytes: UInt64 = 0
  /// The SHA-256 of all of it.
  public private(set) var hash: [UInt8] = []

  /// Reads the store in a folder.
  ///
  /// - Throws: `notFound` if there is none, `damaged`, `newerVersion`, `ioFailed`.
  public init(
    folder: String, on disk: any Disk = .system, progress: (Fingerprint) -> Void = { _ in }
  ) throws {
    let path = folder + "/store.sqlite"
    guard try disk.exists(path) else {
      throw StoreError(.notFound, "There is no store in \(folder): name the folder that has one.")
    }
    let connection = try DatabaseConnection(path: path, on: disk, readOnly: true)
    defer { connection.close() }
    try connection.keepLogOnClose(true)
    try connection.execute("BEGIN")
    let layout = try Layout(connection)
    let reader = RecordReader(connection, layout: layout)
    var all = SHA256()
    for space in try reader.spaces() { try read(space, reader, &all) }
    var last: [UInt8] = []
    while true {
      let page = try reader.blobs(after: last, count: 500)
      guard let end = page.last else { break }
      last = end.bytes
      for hash in page {
        let file = BlobFiles.path(of: hash, in: folder)
        guard let byteCount = try disk.byteCount(file),
          try BlobStore.hash(disk.open(file, .reading)) == hash
        else { continue }
        blobs += 1
        blobBytes += byteCount
        all.update(hash.bytes)
        progress(self)
      }
    }
    try connection.execute("COMMIT")
    hash = all.finish()
  }

  private mutating func read(
    _ space: SpaceID, _ reader: RecordReader, _ hash: inout SHA256
  ) throws(StoreError) {
    guard let number = try reader.numbers.existingNumber(of: space) else { return }
    hash.update(space.bytes)
    records += try reader.digest(space: number, into: &hash)
    var writer = ByteWriter()
    writer.vector(try reader.vector(space: number))
    let statement = try reader.connection.prepare(
      """
      SELECT field, merge, site, seq, stamp, replaced, kind, value, entity, record \
      FROM reunion_conflict WHERE space = ?1 ORDER BY number
      """)
    defer { statement.finalize() }
    try statement.bind(1, number)
    while try statement.step() {
      writer.integer(UInt32(truncatingIfNeeded: statement.int(8)))
      writer.identifier(try statement.identifier(9, RecordID.self))
      writer.flatCell(try reader.wholeCell(statement))
    }
    hash.update(writer.bytes)
  }
}
