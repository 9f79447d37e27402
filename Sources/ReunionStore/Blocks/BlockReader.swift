package import ReunionCore
package import ReunionDisk

/// Reads the parts of a block, one after the other. *Memory*: one part.
package struct BlockReader {
  /// The block.
  package let block: Block
  private let file: any DiskFile
  private var offset = UInt64(Block.headBytes)
  private var partsLeft: Int

  /// Opens a block's file.
  package init(_ block: Block, on disk: any Disk) throws(StoreError) {
    self.block = block
    file = try disk.open(block.path, .reading)
    partsLeft = block.partCount
  }

  /// Whether all parts were read.
  package var isOver: Bool { partsLeft == 0 }

  /// The next part; nil at the end. Its checksum is looked at where it is inflated.
  package mutating func next() throws(StoreError) -> PackedPart? {
    guard partsLeft > 0 else { return nil }
    do throws(WireError) {
      var head = ByteReader(try readAsWire(Block.frameBytes))
      let count = Int(try head.integer(UInt32.self))
      let byteCount = Int(try head.integer(UInt32.self))
      guard count <= PackedPart.bytesMax else { throw WireError(.tooLarge, "A part is too large.") }
      let part = PackedPart(byteCount: byteCount, bytes: try readAsWire(count))
      partsLeft -= 1
      return part
    } catch {
      throw StoreError(.ioFailed, "A block cannot be read: it is made anew when somebody asks.")
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
  /// Its cells as changes.
  var changes: [Change] {
    records.flatMap { record in
      record.state.cells.map { Change(entity: record.entity, record: record.id, cell: $0) }
    }
  }
}
