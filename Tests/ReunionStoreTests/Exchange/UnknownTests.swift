import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct UnknownTests {
  private let relayModel = Model(entities: [
    EntityDescription(
      number: 3, name: "photo",
      fields: [FieldDescription(number: 1, name: "caption", kind: .text)])
  ])

  @Test func `passes entities and fields that it does not know, byte for byte`() throws {
    let folders = [Folder(), Folder(), Folder()]
    let a = try folders[0].open()
    var relay = try folders[1].open(relayModel)
    let c = try folders[2].open()
    var photo = Photo(id: a.newID())
    photo.caption = "caption"
    photo.score = .nan
    photo.original = BlobReference(hash: BlobHash(of: [2]), byteCount: 1)
    var heart = Heart(id: a.newID())
    heart.photo = photo.id
    try a.write(in: space) { transaction in
      try transaction.create(photo)
      try transaction.create(heart)
    }
    let applied = try relay.pull(from: a)
    #expect(applied.wanted == [photo.original])
    #expect(try relay.blobs.missing(in: space) == [photo.original])
    #expect(try relay.digest(of: space) == a.digest(of: space))
    try c.pull(from: relay)
    #expect(try c.digest(of: space) == a.digest(of: space))
    #expect(try c.fetch(Heart.self, heart.id, in: space) == heart)
    #expect(try relay.counts() == (records: 2, blobs: 0))

    let arrival = try relay.arrival(of: space)
    try relay.close()
    relay = try folders[1].open()
    #expect(try relay.digest(of: space) == a.digest(of: space))
    #expect(try relay.arrival(of: space) == arrival)
    #expect(try relay.fetch(Heart.self, heart.id, in: space) == heart)
    let read = try #require(try relay.fetch(Photo.self, photo.id, in: space))
    #expect(read.caption == photo.caption && read.score.isNaN && read.original == photo.original)
    #expect(try relay.blobs.missing(in: space) == [photo.original])
    let left = try relay.read { (reader) throws(StoreError) in
      try reader.connection.number("SELECT count(*) FROM reunion_unknown_cell")
    }
    #expect(left == 0)

    try relay.close()
    relay = try folders[1].open(relayModel)
    #expect(try relay.digest(of: space) == a.digest(of: space))
  }

  @Test(arguments: [4, 8, 9, 30])
  func `entities that a model lacks are read among those that it has, in order`(
    count: UInt32
  ) throws {
    let folders = [Folder(), Folder()]
    let (knowing, relay) = (try folders[0].open(), try folders[1].open(relayModel))
    let photo = try knowing.write(in: space) { transaction in
      // Below and above those that the model has.
      for entity in [1] + Array(100..<100 + count) as [UInt32] {
        for low in [9, 1] as [UInt64] {
          try transaction.set(
            field: 1, of: RecordID(high: low, low: UInt64(entity)), entity: entity, to: .int(1))
        }
      }
      return try transaction.create(Photo.self)
    }
    try relay.pull(from: knowing)
    let keys = try relay.read { (reader) throws(StoreError) in
      let number = try reader.numbers.existingNumber(of: space) ?? 0
      var keys: [RecordKey] = []
      try reader.forEach(space: number) { keys.append($0.key) }
      return keys
    }
    #expect(keys.count == 2 * Int(count) + 3 && keys.contains { $0.id == photo.id })
    let ordered = keys.sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
    #expect(keys == ordered && Set(keys).count == keys.count)
    // The digest is of the same order, whichever way led to it.
    #expect(try relay.digest(of: space) == knowing.digest(of: space))
  }

  /// Replicas keep and forward unknown kinds as they are (docs/protocol.md 1.3).
  @Test func `keeps merge kinds, value kinds and malformed values that it does not know`() throws {
    let folders = [Folder(), Folder()]
    let a = try folders[0].open()
    let site = Site(device: 9, incarnation: 9)
    let id = RecordID(high: 5, low: 5)
    func cell(_ seq: UInt64, _ field: UInt32, _ merge: UInt8, _ kind: UInt8, _ bytes: [UInt8])
      -> Change
    {
      Change(
        entity: 3, record: id,
        cell: Cell(
          field: field, merge: MergeKind(rawValue: merge), dot: Dot(site: site, seq: seq),
          stamp: Stamp(milliseconds: 5 + seq),
          value: Value(kind: ValueKind(rawValue: kind), bytes: bytes)))
    }
    let changes = [
      cell(1, 0, 0, 0, []), cell(2, 1, 7, 4, [1]), cell(3, 1, 7, 4, [2]),
      cell(4, 1, 2, 4, [0xff, 0]),
      cell(5, 2, 2, 2, [1, 2, 3]), cell(6, 3, 2, 99, [4]), cell(7, 77, 2, 4, [5]),
      cell(8, 0, 9, 0, [6]),
      cell(9, 4, 2, 1, [2]), cell(10, 9, 2, 9, [1]), cell(11, 5, 2, 0, [1]),
    ]
    var vector = VersionVector()
    vector.raise(site, to: 11)
    try a.take(changes, vector, from: site)
    var oracle = RecordState()
    for change in changes { _ = oracle.merge(change.cell) }
    #expect(try a.record(entity: 3, id, in: space) == oracle)
    let b = try folders[1].open()
    try b.pull(from: a)
    #expect(try b.record(entity: 3, id, in: space) == oracle)
    let photo = try #require(try b.fetch(Photo.self, id, in: space))
    #expect(photo.width == 0 && photo.caption == "\u{fffd}\0")
    try b.write(in: space) { try $0.update(photo) }
    #expect(try b.record(entity: 3, id, in: space) == oracle)
    try b.write(in: space) { try $0.set(\Photo.width, of: id, to: 8) }
    #expect(try b.fetch(Photo.self, id, in: space)?.width == 8)
    try a.pull(from: b)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }
}
