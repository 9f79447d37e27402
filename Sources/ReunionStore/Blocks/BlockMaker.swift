import ReunionCore
import ReunionDisk

/// Writes the block of a space, from one read transaction.
///
/// *Memory*: one part. *Cost*: reads every record of the space once.
struct BlockMaker {
  let space: SpaceID
  let form: Block.Form
  /// Where it goes.
  let folder: String
  let disk: any Disk
  private var records: [BlockPart.Record] = []
  private var byteCount = 0
  private var cellCount = 0
  private var recordCount = 0
  private var checksums: [UInt32] = []
  private var file: any DiskFile
  private var offset = UInt64(Block.headBytes)
  private let path: String

  init(
    _ space: SpaceID, _ form: Block.Form, in folder: String, named mark: String, on disk: any Disk
  ) throws(StoreError) {
    (self.space, self.form, self.folder, self.disk) = (space, form, folder, disk)
    path = "\(folder)/\(space)-\(form.rawValue)-\(mark)"
    file = try disk.open(path, .creating)
  }

  /// Writes it; nil, and no file, where the space has less than `recordsMin` records, or one too large for a
  /// part.
  mutating func make(
    _ reader: RecordReader, number: Int64, row: SpaceRow, by site: Site, position: [UInt8],
    recordsMin: Int
  ) throws(StoreError) -> Block? {
    do throws(StoreError) {
      guard try add(reader, number: number), recordCount >= recordsMin else {
        try disk.remove(path)
        return nil
      }
      let head = Block.head(
        space, form, by: site, arrival: row.arrival, parts: checksums.count, records: recordCount)
      let end = Block.end(head, position, try reader.vector(space: number))
      // A page takes no longer one.
      guard end.count <= BlockPart.bytesMax else {
        try disk.remove(path)
        return nil
      }
      try writeFrame(PackedPart(byteCount: end.count, bytes: Deflate.deflated(end)))
      try file.write(head, at: 0)
      let hash = try hash()
      return Block(
        space: space, form: form, path: path, site: site, hash: hash, arrival: row.arrival,
        checksums: checksums, recordCount: recordCount)
    } catch {
      try? disk.remove(path)
      throw error
    }
  }

  /// Adds all records, the newest of each entity first; false where one is too large.
  private mutating func add(_ reader: RecordReader, number: Int64) throws(StoreError) -> Bool {
    let tables = reader.layout.tables.filter { !$0.isUnknown }
    var statements: [(table: Table, rows: Statement)] = []
    defer { for (_, rows) in statements { rows.finalize() } }
    for table in tables {
      let rows = try reader.connection.prepare(table.selectAll + " DESC")
      statements.append((table, rows))
      try rows.bind(1, number)
    }
    // The first part has the newest of each.
    let share = max(BlockPart.recordsMax / 2 / max(tables.count, 1), 1)
    var isOver = [Bool](repeating: false, count: statements.count)
    for isFirst in [true, false] {
      for (index, (table, rows)) in statements.enumerated() {
        var count = 0
        while !isOver[index], !isFirst || count < share {
          guard try rows.step() else {
            isOver[index] = true
            break
          }
          let record = try reader.row(rows, table: table, space: number)
          guard try take(record) else { return false }
          count += 1
        }
      }
    }
    var isTaken = true
    try reader.forEachUnknown(space: number) { (record) throws(StoreError) in
      if isTaken { isTaken = try take(record) }
    }
    return try isTaken ? endPart() : false
  }

  /// Takes a record in; false where a part was too large.
  private mutating func take(_ record: StoredRecord) throws(StoreError) -> Bool {
    guard !record.state.cells.isEmpty else { return true }
    let isWhole = form == .whole || record.state.isSurelyAlive
    let state = isWhole ? record.state : record.state.standing
    let bytes = state.cells.reduce(0) { $0 + $1.approximateBytes }
    if records.count == BlockPart.recordsMax
      || cellCount + state.cells.count > BlockPart.cellsMax && !records.isEmpty
      || byteCount + bytes > BlockPart.bytesSoftMax && !records.isEmpty
    {
      guard try endPart() else { return false }
    }
    records.append(BlockPart.Record(entity: record.key.entity, id: record.key.id, state: state))
    byteCount += bytes
    cellCount += state.cells.count
    recordCount += 1
    return state.cells.count <= BlockPart.cellsMax
  }

  private mutating func endPart() throws(StoreError) -> Bool {
    defer { (records, byteCount, cellCount) = ([], 0, 0) }
    // By rising id, as they were written: their numbers then follow one another.
    return try write(records.reversed())
  }

  /// Writes records in one part, or in several where it would be too large for a message.
  private mutating func write(_ records: [BlockPart.Record]) throws(StoreError) -> Bool {
    guard !records.isEmpty else { return true }
    if let part = try BlockPart(records).packed() {
      checksums.append(Deflate.checksum(of: part.bytes))
      try writeFrame(part)
      return true
    }
    guard records.count > 1 else { return false }
    let half = records.count / 2
    // The newer ones first.
    guard try write(Array(records[half...])) else { return false }
    return try write(Array(records[..<half]))
  }

  private mutating func writeFrame(_ part: PackedPart) throws(StoreError) {
    var frame = ByteWriter()
    frame.integer(UInt32(part.bytes.count))
    frame.integer(UInt32(part.byteCount))
    frame.bytes(part.bytes)
    try file.write(frame.bytes, at: offset)
    offset += UInt64(frame.bytes.count)
  }

  private func hash() throws(StoreError) -> BlobHash {
    var hash = SHA256()
    var at: UInt64 = 0
    while at < offset {
      let bytes = try file.read(at: at, count: 256 * 1024)
      guard !bytes.isEmpty else { break }
      hash.update(bytes)
      at += UInt64(bytes.count)
    }
    guard let hash = BlobHash(bytes: hash.finish()) else {
      throw StoreError(.unexpected, "A block has no hash; please report this.")
    }
    return hash
  }
}

extension RecordReader {
  /// Calls a closure with each record of the entities that the model lacks.
  fileprivate func forEachUnknown(
    space: Int64, _ body: (StoredRecord) throws(StoreError) -> Void
  ) throws(StoreError) {
    let keys = try connection.prepare(
      "SELECT entity, id FROM reunion_unknown_record WHERE space = ?1 ORDER BY entity, id")
    defer { keys.finalize() }
    try keys.bind(1, space)
    while try keys.step() {
      let key = RecordKey(
        entity: UInt32(truncatingIfNeeded: keys.int(0)), id: try keys.identifier(1))
      if let record = try record(key, space: space) { try body(record) }
    }
  }
}
