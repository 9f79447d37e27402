import ReunionCore
import ReunionDisk
import ReunionStore

/// Writes a store out as plain files: records as of one moment, then blobs, then what vouches for
/// them all.
struct ArchiveExport {
  private let archive: String
  private let folder: String
  private let connection: DatabaseConnection
  private let names: FieldNames
  private let lock: any DiskFile
  private let disk = SystemDisk.system
  private let sums: ArchiveFile
  private var report = Archive.Report()

  /// Prepares a new or empty folder, or one of an export that was broken off.
  init(folder: String, archive: String) throws(StoreError) {
    self.folder = folder
    self.archive = archive
    connection = try DatabaseConnection(path: folder + "/store.sqlite", on: disk, readOnly: true)
    try connection.keepLogOnClose(true)
    try Database(path: connection.path, options: StoreOptions()).checkVersion(connection)
    try Database.checkSchema(connection)
    names = try FieldNames(connection)
    lock = try ArchiveFolder.prepare(
      archive, mark: ArchiveFolder.unfinished, done: ArchiveFolder.header,
      lock: ArchiveFolder.unfinished, owns: ArchiveFolder.isOfArchive)
    sums = try ArchiveFile(creating: "\(archive)/\(ArchiveFolder.sums)")
  }

  mutating func run(_ progress: (Archive.Report) -> Void) throws(StoreError) -> Archive.Report {
    defer {
      connection.close()
      withExtendedLifetime(lock) {}
    }
    let readMe = try ArchiveFile(creating: archive + "/README.txt")
    try readMe.write(Array(Archive.readMe.utf8))
    try note("README.txt", readMe.finish())
    try connection.execute("BEGIN")
    let layout = try Layout(connection)
    let reader = RecordReader(connection, layout: layout)
    let header = try ArchiveHeader(connection)
    for space in try reader.spaces() {
      try export(space, reader)
      progress(report)
    }
    try connection.execute("COMMIT")
    try exportBlobs(progress)
    try finish(header)
    return report
  }

  private func note(_ path: String, _ hash: String) throws(StoreError) {
    try sums.write(Array("\(hash)  \(path)\n".utf8))
  }

  // Records

  private mutating func export(_ space: SpaceID, _ reader: RecordReader) throws(StoreError) {
    guard let number = try reader.numbers.existingNumber(of: space) else { return }
    let path = "spaces/\(space.description)"
    try disk.makeFolder("\(archive)/\(path)")
    let vector = try ArchiveFile(creating: "\(archive)/\(path)/vector.jsonl")
    for dot in try reader.vector(space: number).entries {
      let members = [("site", JSONText.text(dot.site.description)), ("seq", .number(dot.seq))]
      try vector.write(JSONText.object(members).bytes())
    }
    try note("\(path)/vector.jsonl", vector.finish())
    var open: (entity: UInt32, path: String, file: ArchiveFile)?
    try reader.forEach(space: number) { (record) throws(StoreError) in
      let entity = record.key.entity
      if open?.entity != entity {
        if let open { try note(open.path, open.file.finish()) }
        let name = names.entity(entity).map { "-" + ArchiveFolder.fileName($0) } ?? ""
        let filePath = "\(path)/\(entity)\(name).jsonl"
        open = (entity, filePath, try ArchiveFile(creating: "\(archive)/\(filePath)"))
      }
      try open?.file.write(line(record).bytes())
      report.records += 1
    }
    if let open { try note(open.path, open.file.finish()) }
    try exportConflicts(number, "\(path)/conflicts.jsonl", reader)
    try disk.syncFolder("\(archive)/\(path)")
  }

  private func line(_ record: StoredRecord) -> JSONText {
    let entity = record.key.entity
    let cells = record.state.cells.map { cell in
      JSONText.object(
        ArchivedCell.members(cell, name: names.field(cell.field, of: entity)))
    }
    return .object([
      ("id", .text(record.key.id.description)), ("alive", .bool(record.state.isAlive)),
      ("cells", .list(cells)),
    ])
  }

  /// The losers in the order in which they lost: of those with one stamp the later is the first.
  private func exportConflicts(
    _ space: Int64, _ path: String, _ reader: RecordReader
  ) throws(StoreError) {
    let file = try ArchiveFile(creating: "\(archive)/\(path)")
    let statement = try connection.prepare(
      """
      SELECT field, merge, site, seq, stamp, replaced, kind, value, entity, record \
      FROM reunion_conflict WHERE space = ?1 ORDER BY number
      """)
    defer { statement.finalize() }
    try statement.bind(1, space)
    while try statement.step() {
      let cell = try reader.wholeCell(statement)
      let entity = UInt32(truncatingIfNeeded: statement.int(8))
      let id = try statement.identifier(9, RecordID.self)
      let head = [("entity", JSONText.number(entity)), ("id", .text(id.description))]
      let members = ArchivedCell.members(cell, name: names.field(cell.field, of: entity))
      try file.write(JSONText.object(head + members).bytes())
    }
    try note(path, file.finish())
  }

  // Blobs

  /// Those that are held now, a page of them at a time, so that no read stays open meanwhile.
  private mutating func exportBlobs(
    _ progress: (Archive.Report) -> Void
  ) throws(StoreError) {
    var last: [UInt8] = []
    var folders: Set<String> = []
    while true {
      let page = try blobs(after: last)
      guard let end = page.last else { break }
      last = end.hash.bytes
      let use = try BlobUse(RecordReader(connection, layout: Layout(connection)))
      for blob in page {
        let isLiving = try use.isNamedByLiving(blob.hash)
        guard let path = try export(blob, isLiving: isLiving) else {
          if try isHeld(blob.hash) { report.lost.append(blob.hash) }
          continue
        }
        folders.insert("\(archive)/\(path)".parentFolder)
        report.blobs += 1
        try note(path, blob.hash.description)
        progress(report)
      }
    }
    for folder in folders { try disk.syncFolder(folder) }
  }

  private struct Blob {
    let hash: BlobHash
    /// A field that names it.
    let field: (entity: UInt32, field: UInt32)?
  }

  private func blobs(after hash: [UInt8]) throws(StoreError) -> [Blob] {
    let statement = try connection.statement(
      """
      SELECT b.hash, r.entity, min(r.field) FROM \
      (SELECT hash FROM reunion_blob WHERE hash > ?1 ORDER BY hash LIMIT 500) b \
      LEFT JOIN reunion_blob_reference r ON r.hash = b.hash GROUP BY b.hash ORDER BY b.hash
      """)
    defer { statement.reset() }
    try statement.bind(1, hash)
    var blobs: [Blob] = []
    while try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's hash")
      }
      let field =
        statement.isNull(1)
        ? nil
        : (
          UInt32(truncatingIfNeeded: statement.int(1)), UInt32(truncatingIfNeeded: statement.int(2))
        )
      blobs.append(Blob(hash: hash, field: field))
    }
    return blobs
  }

  private func isHeld(_ hash: BlobHash) throws(StoreError) -> Bool {
    let statement = try connection.statement("SELECT 1 FROM reunion_blob WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    return try statement.step()
  }

  /// Copies a blob and checks it; nil where its bytes are gone or others.
  private func export(_ blob: Blob, isLiving: Bool) throws(StoreError) -> String? {
    let source = BlobFiles.path(of: blob.hash, in: folder)
    guard disk.isPlainFile(source) else { return nil }
    let file = try disk.open(source, .reading)
    let kind = MediaType(head: try file.read(at: 0, count: MediaType.headBytes))
    let end = kind.map { "." + $0.fileExtension } ?? ""
    let path =
      "blobs/\(isLiving ? place(of: blob) : Archive.deletedFolder)/\(blob.hash.description)\(end)"
    try disk.makeFolder("\(archive)/\(path)".parentFolder)
    let copy = try disk.open("\(archive)/\(path)", .creating)
    guard try BlobFiles.copy(file, to: copy)?.hash == blob.hash else {
      try disk.remove(copy.path)
      return nil
    }
    try copy.sync()
    return path
  }

  private func place(of blob: Blob) -> String {
    guard let (entity, field) = blob.field else { return Archive.deletedFolder }
    let names = [
      self.names.entity(entity) ?? "\(entity)", self.names.field(field, of: entity) ?? "\(field)",
    ]
    return names.map(ArchiveFolder.fileName).joined(separator: ".")
  }

  // The end

  /// From the header on the archive is whole: it vouches for the sums, and they for each file.
  private func finish(_ header: ArchiveHeader) throws(StoreError) {
    for name in ["blobs", "spaces"] {
      if try disk.exists("\(archive)/\(name)") { try disk.syncFolder("\(archive)/\(name)") }
    }
    let sums = try sums.finish()
    try disk.syncFolder(archive)
    let bytes = header.json(report, sums: sums).bytes(isTall: true)
    try disk.write(bytes, to: "\(archive)/\(ArchiveFolder.header)")
    try disk.remove("\(archive)/\(ArchiveFolder.unfinished)")
    try disk.syncFolder(archive)
  }
}
