import ReunionCore
import ReunionDisk
import ReunionFlow
import Synchronization
import Testing

@testable import ReunionStore

/// Blocks: a space in one file for newcomers (docs/protocol.md 6.1).
@Suite struct BlockTests {
  @Test func `a block has every cell, the vector and a position to go on from`() throws {
    var random = Seeded(state: 341)
    for _ in 0..<20 {
      let folder = Folder()
      let store = try RandomStore.make(in: folder, &random)
      for space in RandomStore.spaces {
        let block = try #require(try store.block(of: space, .whole))
        let read = try ReadBlock(block)
        var held: [RecordKey: RecordState] = [:]
        for record in read.records {
          let key = RecordKey(entity: record.entity, id: record.id)
          #expect(held.updateValue(record.state, forKey: key) == nil)
        }
        #expect(try held == store.states(of: space))
        #expect(try read.vector == store.vector(of: space))
        #expect(
          try store.resume(from: read.position, in: space)
            == .at(cursor: block.arrival, ownSeq: read.vector[store.site(in: space)]))
        #expect(read.hash == block.hash && read.site == store.site(in: space))
      }
    }
  }

  @Test func `a leaf's block has deleted records without their values`() throws {
    let folder = Folder()
    let store = try folder.open()
    let kept = try store.write(in: space) { transaction in
      let gone = try transaction.create(Photo.self) { $0.caption = "gone" }
      let kept = try transaction.create(Photo.self) { $0.caption = "kept" }
      try transaction.delete(Photo.self, gone.id)
      return kept.id
    }
    func texts(_ form: Block.Form) throws -> [RecordID: [String]] {
      let records = try ReadBlock(#require(try store.block(of: space, form))).records
      return Dictionary(
        uniqueKeysWithValues: records.map { ($0.id, $0.state.cells.compactMap(\.value.text)) })
    }
    #expect(try texts(.whole).values.contains { $0.contains("gone") })
    let leaf = try texts(.leaf)
    #expect(leaf.count == 2 && leaf[kept] == ["kept"])
    #expect(leaf.values.flatMap { $0 } == ["kept"])
  }

  @Test func `the newest records of each entity are in the first part`() throws {
    let folder = Folder()
    let store = try folder.open()
    var last: [RecordID] = []
    for _ in 0..<3 {
      last = try store.write(in: space) { transaction in
        let photos = try (0..<3_000).map { _ in try transaction.create(Photo.self) { _ in }.id }
        let heart = try transaction.create(Heart.self) { _ in }.id
        return [heart, photos.max() ?? photos[0]]
      }
    }
    let read = try ReadBlock(#require(try store.block(of: space, .leaf)))
    #expect(read.parts.count == 3)
    #expect(last.allSatisfy { id in read.parts[0].records.contains { $0.id == id } })
    #expect(read.records.count == 9_003)
  }

  @Test func `a block is made once for all who ask, and anew after an eighth`() throws {
    let folder = Folder()
    let store = try folder.open()
    let work = Mutex<[@Sendable () -> Void]>([])
    let blocks = Blocks(store, recordsMin: 40) { body in work.withLock { $0.append(body) } }
    let given = Mutex<[Block?]>([])
    func ask() { blocks.block(of: space, .leaf) { block in given.withLock { $0.append(block) } } }
    func runAll() { for body in work.withLock({ $0.exchange([]) }) { body() } }
    func create(_ count: Int) throws {
      try store.write(in: space) { transaction in
        for _ in 0..<count { _ = try transaction.create(Heart.self) { _ in } }
      }
    }
    try create(39)
    ask()
    #expect(given.withLock { $0.exchange([]) } == [nil])
    try create(1)
    for _ in 0..<3 { ask() }
    #expect(given.withLock { $0.isEmpty } && work.withLock { $0.count } == 1)
    runAll()
    let first = given.withLock { $0.exchange([]) }
    #expect(first.count == 3 && Set(first).count == 1 && first[0]?.recordCount == 40)
    // Five more are an eighth, and six are over it.
    try create(5)
    ask()
    #expect(given.withLock { $0.exchange([]) } == [first[0]])
    try create(1)
    ask()
    #expect(given.withLock { $0.isEmpty })
    runAll()
    let second = try #require(given.withLock { $0.exchange([]) }.first ?? nil)
    #expect(second.recordCount == 46)
    let names = try store.options.disk.names(in: folder.path + "/blocks")
    #expect(names.count == 1 && second.path.hasSuffix(names[0]))
    // Where somebody has emptied the folder it is made once more; and where it was damaged.
    try store.options.disk.remove(second.path)
    ask()
    runAll()
    let third = try #require(given.withLock { $0.exchange([]) }.first ?? nil)
    #expect(try ReadBlock(third).records.count == 46)
    blocks.drop(third)
    ask()
    runAll()
    let fourth = try #require(given.withLock { $0.exchange([]) }.first ?? nil)
    #expect(fourth.path != third.path)
    // What ends while one is made keeps none.
    try create(20)
    ask()
    blocks.removeAll()
    runAll()
    #expect(given.withLock { $0.exchange([]) } == [nil])
    #expect(try store.options.disk.names(in: folder.path + "/blocks").isEmpty)
  }

  @Test func `a leaf gets no block that has values of what was deleted since`() throws {
    let folder = Folder()
    let now = Mutex<UInt64>(1_700_000_000_000)
    let store = try folder.open { $0.wallMilliseconds = { now.withLock { $0 } } }
    let ids = try store.write(in: space) { transaction in
      try (0..<80).map { number in
        try transaction.create(Photo.self) { $0.caption = "photo \(number)" }.id
      }
    }
    let blocks = Blocks(store, recordsMin: 1) { $0() }
    func given(_ form: Block.Form) -> Block? {
      let given = Mutex<Block?>(nil)
      blocks.block(of: space, form) { block in given.withLock { $0 = block } }
      return given.withLock { $0 }
    }
    func block(_ form: Block.Form) throws -> Block { try #require(given(form)) }
    let (leaf, whole) = (try block(.leaf), try block(.whole))
    // An edit since is no matter.
    try store.write(in: space) { try $0.set(\Photo.caption, of: ids[1], to: "edited") }
    #expect(try block(.leaf) == leaf)
    try store.write(in: space) { try $0.delete(Photo.self, ids[0]) }
    // Not at once, so that nobody has it made again and again by deleting.
    #expect(given(.leaf) == nil)
    now.withLock { $0 += 10_001 }
    let next = try block(.leaf)
    #expect(next != leaf)
    let texts = try ReadBlock(next).records.flatMap { $0.state.cells.compactMap(\.value.text) }
    #expect(texts.contains("edited") && !texts.contains("photo 0"))
    #expect(try block(.leaf) == next && block(.whole) == whole)
  }

  @Test func `a damaged part of a block is not sent`() throws {
    let folder = Folder()
    let store = try folder.open()
    try store.write(in: space) { transaction in
      for _ in 0..<5_000 { _ = try transaction.create(Heart.self) { _ in } }
    }
    let block = try #require(try store.block(of: space, .whole))
    var reader = try BlockReader(block, on: store.options.disk)
    var parts = 0
    while try reader.next() != nil { parts += 1 }
    #expect(parts == block.checksums.count && parts > 1 && reader.isOver)
    let file = try store.options.disk.open(block.path, .writing)
    let at = try file.byteCount() / 2
    let byte = try file.read(at: at, count: 1)[0]
    try file.write([byte ^ 1], at: at)
    reader = try BlockReader(block, on: store.options.disk)
    #expect(throws: StoreError.self) { while try reader.next() != nil {} }
    try file.truncate(to: 100)
    reader = try BlockReader(block, on: store.options.disk)
    #expect(throws: StoreError.self) { try reader.next() }
  }

  @Test func `nothing that was erased stands in a block, made before or by an earlier run`() throws
  {
    let folder = Folder()
    let store = try folder.open()
    let ids = try store.write(in: space) { transaction in
      try (0..<50).map { number in
        try transaction.create(Photo.self) { $0.caption = "secret \(number)" }.id
      }
    }
    let work = Mutex<[@Sendable () -> Void]>([])
    let disk = store.options.disk
    func files() throws -> [String] { try disk.names(in: folder.path + "/blocks") }
    let blocks = Blocks(store, recordsMin: 1) { body in work.withLock { $0.append(body) } }
    func runAll() { for body in work.withLock({ $0.exchange([]) }) { body() } }
    blocks.block(of: space, .leaf) { _ in }
    runAll()
    #expect(try files().count == 1)
    try store.write(in: space) { try $0.erase(Photo.self, ids[0]) }
    #expect(try files().isEmpty)
    let given = Mutex<[Block?]>([])
    blocks.block(of: space, .leaf) { block in given.withLock { $0.append(block) } }
    runAll()
    let block = try #require(given.withLock { $0.first ?? nil })
    let texts = try ReadBlock(block).records.flatMap { $0.state.cells.compactMap(\.value.text) }
    #expect(texts.count == 49 && !texts.contains("secret 0"))
    // The next run knows nothing of what an earlier one kept.
    _ = Blocks(store)
    #expect(try files().isEmpty)
  }

  @Test
  func `a record that no part can hold is not packed, and many records are packed in several`()
    throws
  {
    func part(_ recordCount: Int, of cellCount: Int) throws -> [PackedPart]? {
      let cells = (0..<cellCount).map { number in
        Cell(
          field: UInt32(number + 1), merge: .register,
          dot: Dot(site: Site(device: 1, incarnation: 1), seq: UInt64(number + 1)),
          stamp: Stamp(rawValue: 9), value: .int(1))
      }
      let changes = (0..<recordCount).flatMap { number in
        cells.map {
          Change(entity: 1, record: RecordID(high: 1, low: UInt64(number)), cell: $0)
        }
      }
      return try BlockPart(changes).packedInParts()
    }
    #expect(try part(1, of: BlockPart.cellsMax)?.count == 1)
    #expect(try part(1, of: BlockPart.cellsMax + 1) == nil)
    let many = try #require(try part(BlockPart.recordsMax + 1, of: 2))
    let records = many.compactMap { $0.unpacked() }.flatMap(\.records)
    #expect(many.count == 2 && records.count == BlockPart.recordsMax + 1)
    #expect(records.map(\.id.low) == (0...UInt64(BlockPart.recordsMax)).map(\.self))
  }

  @Test func `a damaged stream inflates to nothing`() throws {
    let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* $0) }
    let deflated = try Deflate.deflated(bytes)
    #expect(Deflate.inflated(deflated, byteCount: bytes.count) == bytes)
    for count in [0, 1, bytes.count - 1, bytes.count + 1] {
      #expect(Deflate.inflated(deflated, byteCount: count) == nil)
    }
    for at in stride(from: 0, to: deflated.count, by: 7) {
      var damaged = deflated
      damaged[at] ^= 0x10
      #expect(Deflate.inflated(damaged, byteCount: bytes.count) == nil)
    }
  }
}

/// A block as a newcomer reads it.
struct ReadBlock {
  var parts: [BlockPart] = []
  let site: Site
  let position: [UInt8]
  let vector: VersionVector
  let hash: BlobHash
  var records: [BlockPart.Record] { parts.flatMap(\.records) }

  init(_ block: Block) throws {
    let bytes = try #require(try SystemDisk.system.read(block.path))
    hash = BlobHash(of: bytes)
    var reader = ByteReader(bytes)
    let mark = try reader.bytes(8)
    #expect(mark == Array("RBLK".utf8) + [1, block.form.rawValue, 0, 0])
    let space = try reader.identifier(SpaceID.self)
    #expect(space == block.space)
    site = try reader.identifier(Site.self)
    let arrival = try reader.integer(UInt64.self)
    let count = try reader.integer(UInt32.self)
    let recordCount = try reader.integer(UInt32.self)
    #expect(arrival == block.arrival && Int(recordCount) == block.recordCount)
    for _ in 0..<count { parts.append(try BlockPart(decoding: Self.frame(&reader))) }
    var end = ByteReader(try Self.frame(&reader))
    try reader.finish()
    let head = try end.bytes(Block.headBytes)
    #expect(head == Array(bytes.prefix(Block.headBytes)))
    position = try end.bytes(Int(try end.integer(UInt32.self)))
    var vector = VersionVector()
    for _ in 0..<(try end.integer(UInt32.self)) {
      let site = try end.identifier(Site.self)
      vector.raise(site, to: try end.integer(UInt64.self))
    }
    try end.finish()
    self.vector = vector
  }

  private static func frame(_ reader: inout ByteReader) throws -> [UInt8] {
    let deflated = Int(try reader.integer(UInt32.self))
    let count = Int(try reader.integer(UInt32.self))
    return try #require(Deflate.inflated(try reader.bytes(deflated), byteCount: count))
  }
}

extension Store {
  /// A block that is made at once.
  func block(of space: SpaceID, _ form: Block.Form) throws -> Block? {
    let given = Mutex<Block?>(nil)
    Blocks(self, recordsMin: 1) { $0() }.block(of: space, form) { block in
      given.withLock { $0 = block }
    }
    return given.withLock { $0 }
  }

  func states(of space: SpaceID) throws -> [RecordKey: RecordState] {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [:] }
      var states: [RecordKey: RecordState] = [:]
      try reader.forEach(space: number) { (record) throws(StoreError) in
        states[record.key] = record.state
      }
      return states
    }
  }
}

extension Array {
  /// Gives what is there and puts something else in its place.
  fileprivate mutating func exchange(_ other: [Element]) -> [Element] {
    defer { self = other }
    return self
  }
}
