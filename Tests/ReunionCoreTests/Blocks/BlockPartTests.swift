import ReunionCore
import Testing

/// Parts of a block (docs/protocol.md 6.2).
@Suite struct BlockPartTests {
  static func part(_ random: inout Seeded) -> BlockPart {
    var records: [BlockPart.Record] = []
    for number in 0..<Int.random(in: 0...40, using: &random) {
      var state = RecordState()
      for _ in 0..<Int.random(in: 1...9, using: &random) {
        _ = state.merge(randomCell(using: &random))
      }
      guard !state.cells.isEmpty else { continue }
      records.append(
        BlockPart.Record(
          entity: UInt32.random(in: 1...3, using: &random),
          id: RecordID(high: UInt64(number) << 16, low: random.next()), state: state))
    }
    return BlockPart(records)
  }

  @Test func `what is written is read`() throws {
    var random = Seeded(34)
    for _ in 0..<400 {
      let part = Self.part(&random)
      #expect(try BlockPart(decoding: part.encoded()) == part)
    }
  }

  @Test func `numbers, fixed values and lengths are read as they were, odd ones too`() throws {
    var records: [BlockPart.Record] = []
    let site = Site(device: 1, incarnation: 2)
    let values: [Value] = [
      .int(.max), .int(.min), Value(kind: .int, bytes: [1]), .text(""), .text("a"), .null,
      .double(.nan), .date(milliseconds: -1), Value(kind: ValueKind(rawValue: 99), bytes: [7]),
    ]
    for (number, value) in values.enumerated() {
      let cell = Cell(
        field: 1, merge: .register, dot: Dot(site: site, seq: Dot.seqMax),
        stamp: Stamp(rawValue: Stamp.limit.rawValue - 1), replaced: Stamp(rawValue: 1),
        value: value)
      records.append(
        BlockPart.Record(
          entity: 7, id: RecordID(high: .max - UInt64(number), low: 0), state: RecordState([cell])))
    }
    let part = BlockPart(records)
    #expect(try BlockPart(decoding: part.encoded()) == part)
  }

  @Test func `a cut or a flipped byte is an error or another part, never a trap`() throws {
    var random = Seeded(35)
    for _ in 0..<60 {
      let bytes = Self.part(&random).encoded()
      for cut in 0..<min(bytes.count, 200) {
        #expect(throws: WireError.self) { try BlockPart(decoding: Array(bytes[..<cut])) }
      }
      for _ in 0..<200 where !bytes.isEmpty {
        var damaged = bytes
        let at = Int.random(in: 0..<bytes.count, using: &random)
        damaged[at] = UInt8.random(in: 0...255, using: &random)
        guard let read = try? BlockPart(decoding: damaged) else { continue }
        for cell in read.records.flatMap(\.state.cells) { try cell.validate() }
        #expect(try BlockPart(decoding: read.encoded()) == read)
      }
    }
  }

  @Test func `cells out of order, two registers of a field and two creations are refused`() throws {
    let site = Site(device: 1, incarnation: 2)
    func part(_ fields: [(UInt32, MergeKind)]) throws -> BlockPart {
      // Columns stand in the order of the cells: it is written here as nobody would.
      var writer = ByteWriter()
      writer.varint(1)
      writer.identifier(site)
      writer.varint(UInt64(fields.count))
      for (field, merge) in fields {
        writer.bytes([1, UInt8(field), merge.rawValue, merge == .creation ? 0 : 2])
      }
      writer.bytes([1, UInt8(fields.count)] + fields.indices.map { UInt8($0) })
      writer.lengthPrefixed([0])
      writer.lengthPrefixed([2])
      writer.integer(UInt64(7))
      writer.lengthPrefixed(fields.map { _ in 0 })
      writer.lengthPrefixed(fields.map { _ in 0 })
      writer.lengthPrefixed([2] + fields.dropFirst().map { _ in 0 })
      writer.lengthPrefixed(fields.map { _ in 0 })
      writer.lengthPrefixed(fields.map { _ in 0 })
      writer.lengthPrefixed([])
      writer.bytes(fields.map { _ in 0 })
      return try BlockPart(decoding: writer.bytes)
    }
    let read = try part([(0, .creation), (1, .register), (2, .annotation)])
    #expect(read.records.count == 1 && read.records[0].state.cells.count == 3)
    #expect(try BlockPart(decoding: read.encoded()) == read)
    let wrong: [[(UInt32, MergeKind)]] = [
      [(2, .register), (1, .register)], [(1, .register), (1, .annotation)],
      [(1, .register), (1, .register)], [(0, .creation), (0, .creation)],
      [(1, .register), (0, .creation)],
    ]
    for fields in wrong { #expect(throws: WireError.self) { try part(fields) } }
  }

  @Test func `a shape that claims cells without end is refused before they are made`() throws {
    // One column, one shape of 200 cells, 4,096 records of it, and no clocks.
    var writer = ByteWriter()
    writer.varint(0)
    writer.bytes([1, 1, 1, 2, 1])
    writer.varint(1)
    writer.varint(200)
    writer.bytes([UInt8](repeating: 0, count: 200))
    writer.lengthPrefixed([UInt8](repeating: 0, count: 4096))
    writer.lengthPrefixed([UInt8](repeating: 0, count: 4096))
    writer.bytes([UInt8](repeating: 0, count: 8 * 4096))
    for _ in 0..<6 { writer.lengthPrefixed([]) }
    #expect(throws: WireError.self) { try BlockPart(decoding: writer.bytes) }
  }
}
