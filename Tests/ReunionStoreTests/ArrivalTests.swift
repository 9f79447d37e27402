import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// A record whose fields are all written straight into their columns.
private struct Item: Entity, Equatable {
  let id: RecordID
  var name = ""
  var note: String?
  var score = 0.0
  var count = 0

  init(id: RecordID) { self.id = id }

  static let schema = Schema<Item>(
    7, "item",
    [
      .field(2, "name", \.name), .field(4, "note", \.note), .field(5, "score", \.score),
      .field(9, "count", \.count),
    ])
}

@Suite struct ArrivalTests {
  let folder = Folder()

  private func open() throws -> Store { try folder.open(Model(Item.schema, Photo.schema)) }

  /// The records that arrived after a number, found by looking at every one.
  private func scanned(_ store: Store, after cursor: UInt64) throws -> [RecordID] {
    try store.read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      var found: [StoredRecord] = []
      for entity in try reader.entities(space: number) {
        try reader.forEach(entity: entity, space: number) { found.append($0) }
      }
      return found.filter { $0.arrival > cursor }.sorted { $0.arrival < $1.arrival }.map(\.key.id)
    }
  }

  private func pushed(_ store: Store, after cursor: UInt64) throws -> [RecordID] {
    try store.read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      var found: [RecordID] = []
      try reader.forEach(space: number, after: cursor) { found.append($0.key.id) }
      return found
    }
  }

  @Test(arguments: [1, 2, 3]) func `names what arrived after any number`(seed: UInt64) throws {
    var random = Seeded(state: seed)
    var store = try open()
    var ids: [RecordID] = []
    for round in 0..<120 {
      try store.write(in: space) { transaction in
        for _ in 0..<Int.random(in: 0..<(40), using: &random) {
          if ids.isEmpty || Int.random(in: 0..<(4), using: &random) == 0 {
            ids.append(store.newID())
            try transaction.create(Item(id: ids[ids.count - 1]))
          } else if Int.random(in: 0..<(9), using: &random) == 0 {
            try transaction.delete(Item.self, ids[Int.random(in: 0..<(ids.count), using: &random)])
          } else {
            try transaction.set(
              \Item.count, of: ids[Int.random(in: 0..<(ids.count), using: &random)], to: round)
          }
        }
      }
      if round.isMultiple(of: 40) {
        try store.close()
        store = try open()
      }
      let arrival = try store.arrival(of: space)
      for cursor in [0, arrival / 2, arrival - min(arrival, 5), arrival] {
        #expect(try pushed(store, after: cursor) == scanned(store, after: cursor))
      }
    }
    try store.close()
    store = try open()
    let rows = try store.read { (reader) throws(StoreError) in
      try reader.connection.number("SELECT count(*) FROM reunion_arrival") ?? 0
    }
    // Where it is closed, no row is left that names stale entries alone.
    #expect(rows <= ids.count)
    #expect(try pushed(store, after: 0) == scanned(store, after: 0))
  }

  @Test func `keeps rows while they are many times overwritten`() throws {
    let store = try open()
    let ids = (0..<200).map { _ in store.newID() }
    try store.write(in: space) { transaction in
      for id in ids { try transaction.create(Item(id: id)) }
    }
    for round in 1...50 {
      try store.write(in: space) { transaction in
        for id in ids { try transaction.set(\Item.count, of: id, to: round) }
      }
    }
    let rows = try store.read { (reader) throws(StoreError) in
      try reader.connection.number("SELECT count(*) FROM reunion_arrival") ?? 0
    }
    #expect(rows < 30, "the log grows with what is overwritten")
  }

  @Test func `brings a store of version 1 along`() throws {
    var store = try open()
    let ids = (0..<300).map { _ in store.newID() }
    try store.write(in: space) { transaction in
      for id in ids { try transaction.create(Item(id: id)) }
      try transaction.create(Photo(id: ids[0]))
    }
    try store.write(in: space) { try $0.set(\Item.count, of: ids[7], to: 1) }
    let expected = try (scanned(store, after: 0), store.vector(of: space), store.digest(of: space))
    let site = store.site
    try store.close()
    let connection = try Connection(path: folder.database, on: .system)
    for sql in [
      """
      INSERT OR REPLACE INTO reunion_vector SELECT number, site, seq FROM reunion_space \
      WHERE site IS NOT NULL
      """,
      "ALTER TABLE reunion_space DROP COLUMN site", "ALTER TABLE reunion_space DROP COLUMN seq",
      "ALTER TABLE reunion_space DROP COLUMN recent", "DROP TABLE reunion_arrival",
      "CREATE INDEX reunion_record_7_arrival ON reunion_record_7(space, arrival)",
      "CREATE INDEX reunion_record_3_arrival ON reunion_record_3(space, arrival)",
      "CREATE INDEX reunion_unknown_record_arrival ON reunion_unknown_record(space, arrival)",
      "PRAGMA user_version = 1",
    ] { try connection.execute(sql) }
    connection.close()

    store = try open()
    #expect(store.site == site)
    #expect(try pushed(store, after: 0) == expected.0)
    #expect(try store.vector(of: space) == expected.1)
    #expect(try store.digest(of: space) == expected.2)
    try store.write(in: space) { try $0.set(\Item.count, of: ids[8], to: 2) }
    #expect(try pushed(store, after: 0) == scanned(store, after: 0))
    #expect(try pushed(store, after: store.arrival(of: space) - 1) == [ids[8]])
  }
}

/// A wall clock that a test moves.
private final class Clock: Sendable {
  private let milliseconds = Lock<UInt64>(1_760_000_000_000)
  var now: UInt64 { milliseconds.withLock { $0 } }
  func advance(_ by: Int) { milliseconds.withLock { $0 += UInt64(by) } }
}

@Suite struct DirectWriteTests {
  let folder = Folder()
  let elsewhere = Folder()

  @Test(arguments: [1, 2, 3, 4]) func `keeps clocks as the merge would`(seed: UInt64) throws {
    var random = Seeded(state: seed)
    let clock = Clock()
    let store = try folder.open(Model(Item.schema)) { $0.wallMilliseconds = { clock.now } }
    var expected: [RecordID: [UInt32: Cell]] = [:]
    var last: Stamp = .none
    for _ in 0..<300 {
      clock.advance(
        Int.random(in: 0..<(3), using: &random) == 0
          ? 0 : Int.random(in: 0..<(100_000), using: &random))
      let ids = expected.keys.sorted()
      var seen: Set<FieldID> = []
      let before = try store.vector(of: space)[store.site]
      var written: [(FieldID, Value)] = []
      try store.write(in: space) { transaction in
        if ids.count < 5 || Int.random(in: 0..<(8), using: &random) == 0 {
          var item = Item(id: store.newID())
          item.note = Int.random(in: 0..<(2), using: &random) == 0 ? nil : "x"
          item.score = -0.0
          try transaction.create(item)
          expected[item.id] = [:]
          let fields: [(UInt32, Value)] = [
            (2, Value.text("")), (4, item.note.storedValue), (5, .double(-0.0)), (9, .int(0)),
          ]
          for (field, value) in fields {
            written.append((FieldID(entity: 7, record: item.id, field: field), value))
          }
        }
        for _ in 0..<(ids.isEmpty ? 0 : Int.random(in: 0..<(6), using: &random)) {
          let id = ids[Int.random(in: 0..<(ids.count), using: &random)]
          let number = Int.random(in: 0..<(1000), using: &random)
          switch Int.random(in: 0..<(4), using: &random) {
          case 0:
            try transaction.set(\Item.name, of: id, to: "n\(number)")
            written.append((FieldID(entity: 7, record: id, field: 2), .text("n\(number)")))
          case 1:
            let note = number.isMultiple(of: 2) ? nil : "note \(number)"
            try transaction.set(\Item.note, of: id, to: note)
            written.append((FieldID(entity: 7, record: id, field: 4), note.storedValue))
          case 2:
            let score = number.isMultiple(of: 3) ? Double.nan : Double(number)
            try transaction.set(\Item.score, of: id, to: score)
            written.append((FieldID(entity: 7, record: id, field: 5), .double(score)))
          default:
            try transaction.set(\Item.count, of: id, to: number)
            written.append((FieldID(entity: 7, record: id, field: 9), .int(Int64(number))))
          }
        }
      }
      guard !written.isEmpty else { continue }
      let stamp = try #require(
        try store.record(entity: 7, written[0].0.record, in: space)?.register(written[0].0.field)
      ).stamp
      #expect(stamp > last)
      last = stamp
      for (field, value) in written {
        let old = expected[field.record]?[field.field]
        let replaced =
          seen.insert(field).inserted ? old?.stamp ?? .none : old?.replaced ?? .none
        expected[field.record]?[field.field] = Cell(
          field: field.field, merge: .register, dot: Dot(site: store.site, seq: 0), stamp: stamp,
          replaced: replaced, value: value)
      }
      for id in Set(written.map(\.0.record)) {
        let state = try #require(try store.record(entity: 7, id, in: space))
        for (field, cell) in expected[id] ?? [:] {
          var held = try #require(state.register(field))
          if held.stamp == stamp { #expect(held.dot.seq > before) }
          held.dot = Dot(site: held.dot.site, seq: 0)
          #expect(held == cell)
        }
      }
    }
    // What a peer merges of it is the same.
    let other = try elsewhere.open(Model(Item.schema))
    try other.pull(from: store)
    #expect(try other.digest(of: space) == store.digest(of: space))
  }

  @Test func `beats what a clock that is ahead has written`() throws {
    let ahead = Clock()
    ahead.advance(60_000)
    let other = try elsewhere.open(Model(Item.schema)) { $0.wallMilliseconds = { ahead.now } }
    let now = Clock()
    let store = try folder.open(Model(Item.schema)) { $0.wallMilliseconds = { now.now } }
    let late = other.newID()
    try other.write(in: space) { try $0.create(Item(id: late)) }
    ahead.advance(3_600_000)
    try other.write(in: space) { try $0.set(\Item.name, of: late, to: "far ahead") }
    try store.pull(from: other)
    let new = store.newID()
    try store.write(in: space) { transaction in
      try transaction.create(Item(id: new))
      try transaction.set(\Item.name, of: late, to: "mine")
      try transaction.set(\Item.count, of: new, to: 5)
    }
    #expect(try store.fetch(Item.self, late, in: space)?.name == "mine")
    let states = try [late, new].map { try #require(try store.record(entity: 7, $0, in: space)) }
    let mine = try #require(states[0].register(2))
    #expect(mine.stamp > mine.replaced && mine.replaced > .none)
    // One transaction has one stamp.
    #expect(states[1].cells.allSatisfy { $0.stamp == mine.stamp })
    try other.pull(from: store)
    #expect(try other.fetch(Item.self, late, in: space)?.name == "mine")
    #expect(try other.digest(of: space) == store.digest(of: space))
  }
}

@Suite struct PackedClockTests {
  private let table = Table(
    entity: 1,
    columns: [Table.Column(field: 1, kind: .text), Table.Column(field: 5, kind: .int)])

  @Test func `gives every reading back`() throws {
    var random = Seeded(state: 5)
    for _ in 0..<2000 {
      func stamp() -> UInt64 {
        let milliseconds = UInt64.random(
          in: 0..<(1 << Int.random(in: 1...47, using: &random)), using: &random)
        return max(
          milliseconds << 16
            | UInt64.random(in: 0..<(1 << Int.random(in: 0...16, using: &random)), using: &random),
          1)
      }
      let entries = [UInt32(0), 1, 5].map { field in
        PackedClock.Entry(
          field: field, merge: field == 0 ? .creation : .register,
          kind: field == 0
            ? .null : Bool.random(using: &random) ? .null : field == 1 ? .text : .int,
          site: Int64.random(in: 1...300, using: &random), seq: stamp(), stamp: stamp(),
          replaced: Bool.random(using: &random) ? 0 : stamp())
      }
      let bytes = PackedClock.encode(entries, hasMore: false, table: table)
      let read = try PackedClock.decode(bytes, table: table)
      #expect(!read.hasMore)
      #expect(read.entries.map(\.stamp) == entries.map(\.stamp))
      #expect(read.entries.map(\.replaced) == entries.map(\.replaced))
      #expect(read.entries.map(\.seq) == entries.map(\.seq))
      #expect(read.entries.map(\.site) == entries.map(\.site))
      #expect(read.entries.map(\.kind) == entries.map(\.kind))
      #expect(read.entries.map(\.field) == entries.map(\.field))
    }
  }

  @Test func `reads clocks of version 1`() throws {
    // Creation and a text by site 3: seqs 1 and 2, stamps 5 << 16 | 1 and that + 7, replaced 2 less.
    let bytes: [UInt8] = [
      0, 0b0001_1000, 3, 0, 0, 0, 0, 0, 5, 0, 1, 0b0011_0010, 14, 2,
    ]
    let read = try PackedClock.decode(bytes, table: table)
    #expect(read.entries.map(\.stamp) == [5 << 16 | 1, 5 << 16 | 8])
    #expect(read.entries.map(\.replaced) == [0, 5 << 16 | 6])
    #expect(read.entries.map(\.seq) == [1, 2])
    #expect(read.entries.map(\.field) == [0, 1])
  }
}
