package import ReunionCore
package import ReunionDisk

/// Reads the parts of a block, one after the other. *Memory*: one part.
package struct BlockReader {
  /// The block.
  package let block: Block
  private let file: any DiskFile
  private var offset = UInt64(Block.headBytes)
  private var partsLeft: Int { block.checksums.count - partsRead }
  private var partsRead = 0

  /// Opens a block's file.
  package init(_ block: Block, on disk: any Disk) throws(StoreError) {
    self.block = block
    file = try disk.open(block.path, .reading)
  }

  /// Whether all parts were read.
  package var isOver: Bool { partsLeft == 0 }

  /// The next part; nil at the end.
  package mutating func next() throws(StoreError) -> PackedPart? {
    guard partsLeft > 0 else { return nil }
    do throws(WireError) {
      var head = ByteReader(try readAsWire(Block.frameBytes))
      let count = Int(try head.integer(UInt32.self))
      let byteCount = Int(try head.integer(UInt32.self))
      guard count <= PackedPart.bytesMax else { throw WireError(.tooLarge, "A part is too large.") }
      let bytes = try readAsWire(count)
      guard Deflate.checksum(of: bytes) == block.checksums[partsRead] else {
        throw WireError(.malformed, "A part of a block is damaged.")
      }
      partsRead += 1
      return PackedPart(byteCount: byteCount, bytes: bytes)
    } catch {
      throw StoreError(.damaged, "A block is damaged: it is made anew when somebody asks.")
    }
  }

  private mutating func readAsWire(_ count: Int) throws(WireError) -> [UInt8] {
    guard let bytes = try? file.read(at: offset, count: count), bytes.count == count else {
      throw WireError(.truncated, "A block ends too early.")
    }
    offset += UInt64(count)
    return bytes
  }
}

extension PackedPart {
  /// Its records; nil where it is damaged.
  package func unpacked() -> BlockPart? {
    guard byteCount <= BlockPart.bytesMax,
      let bytes = Deflate.inflated(bytes, byteCount: byteCount)
    else { return nil }
    return try? BlockPart(decoding: bytes)
  }
}

extension BlockPart {
  /// Changes, a record's next to one another, in columns.
  init(_ changes: [Change]) {
    var records: [Record] = []
    var start = 0
    for (index, change) in changes.enumerated() {
      let next = index + 1 < changes.count ? changes[index + 1] : nil
      if let next, next.entity == change.entity, next.record == change.record { continue }
      let cells = changes[start...index].map(\.cell)
      records.append(Record(entity: change.entity, id: change.record, state: RecordState(cells)))
      start = index + 1
    }
    self.init(records)
  }

  /// Its bytes, deflated, in as many parts as its records need; nil where one of them is too large.
  func packedInParts() throws(StoreError) -> [PackedPart]? {
    if let part = try packed() { return [part] }
    guard records.count > 1 else { return nil }
    let half = records.count / 2
    guard let first = try BlockPart(Array(records[..<half])).packedInParts(),
      let second = try BlockPart(Array(records[half...])).packedInParts()
    else { return nil }
    return first + second
  }

  /// Its bytes, deflated; nil where it is too large for a part.
  func packed() throws(StoreError) -> PackedPart? {
    let cellCount = records.reduce(0) { $0 + $1.state.cells.count }
    guard records.count <= Self.recordsMax, cellCount <= Self.cellsMax else { return nil }
    let bytes = encoded()
    guard bytes.count <= Self.bytesMax else { return nil }
    let deflated = try Deflate.deflated(bytes)
    guard deflated.count <= PackedPart.bytesMax else { return nil }
    return PackedPart(byteCount: bytes.count, bytes: deflated)
  }

  /// Whether a change claims to be a store's own and is not, or gives up its site.
  func isBeyond(_ own: Dot) -> Bool {
    records.contains { record in
      record.state.cells.contains { cell in
        Admission.isBeyond(own, Change(entity: record.entity, record: record.id, cell: cell))
      }
    }
  }

  /// Its cells as changes.
  var changes: [Change] {
    records.flatMap { record in
      record.state.cells.map { Change(entity: record.entity, record: record.id, cell: $0) }
    }
  }
}
