import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// A record whose fields are all written straight into their columns.
struct Item: Entity, Equatable {
  let id: RecordID
  var name = ""
  var note: String?
  var score = 0.0
  var count = 0

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Item>(
    7, "item",
    [
      .field(2, "name", \.name), .field(4, "note", \.note), .field(5, "score", \.score),
      .field(9, "count", \.count),
    ])
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

@Suite struct BrokenWriteTests {
  let folder = Folder()

  @Test func `a transaction that is over takes nothing more`() throws {
    struct Refusal: Error {}
    let store = try folder.open(Model(Item.schema))
    var leaked: WriteTransaction?
    #expect(throws: Refusal.self) {
      try store.write(in: space) { transaction in
        leaked = transaction
        throw Refusal()
      }
    }
    let transaction = try #require(leaked)
    #expect(isCode(.closed) { try transaction.create(Item(id: store.newID())) })
    #expect(isCode(.closed) { _ = try transaction.fetch(Query<Item>(in: space)) })
    #expect(try store.fetch(Query<Item>(in: space)).isEmpty)
  }

  @Test func `a grouped write that throws in a new space leaves no trace`() async throws {
    struct Refusal: Error {}
    let store = try folder.open(Model(Item.schema))
    let (first, second) = (SpaceID(high: 1, low: 1), SpaceID(high: 2, low: 2))
    await #expect(throws: Refusal.self) {
      try await store.groupedWrite(in: first) { transaction in
        try transaction.create(Item(id: transaction.newID()))
        throw Refusal()
      }
    }
    try store.write(in: first) { try $0.create(Item(id: store.newID())) }
    try store.write(in: second) { try $0.create(Item(id: store.newID())) }
    #expect(try store.fetch(Query<Item>(in: first)).count == 1)
    #expect(try store.fetch(Query<Item>(in: second)).count == 1)
  }

  @Test func `a rollback after a sweep leaves the log whole`() throws {
    struct Refusal: Error {}
    let store = try folder.open(Model(Item.schema))
    let ids = (0..<1500).map { _ in store.newID() }
    try store.write(in: space) { transaction in
      for id in ids { try transaction.create(Item(id: id)) }
    }
    for count in [1000, 60, 1400, 3] {
      try store.write(in: space) { transaction in
        for id in ids.prefix(count) { try transaction.set(\Item.count, of: id, to: count) }
      }
      #expect(throws: Refusal.self) {
        try store.write(in: space) { transaction in
          for id in ids.suffix(40) { try transaction.set(\Item.count, of: id, to: -1) }
          throw Refusal()
        }
      }
    }
    let site = store.site
    try store.mintIncarnation(after: site, keeping: nil, found: Site(device: 1, incarnation: 1))
    #expect(throws: Refusal.self) {
      try store.write(in: space) { transaction in
        try transaction.set(\Item.count, of: ids[700], to: -1)
        throw Refusal()
      }
    }
    try store.write(in: space) { transaction in
      for id in ids.prefix(600) { try transaction.set(\Item.count, of: id, to: 9) }
    }
    try store.close()
    let again = try folder.open(Model(Item.schema))
    let pushed = try again.allChanges().filter { $0.entity != Retirement.entity }
    #expect(Set(pushed.map(\.record)) == Set(ids))
  }

  @Test func `a stamp that is raised is that of all the transaction writes`() throws {
    let ahead = Clock()
    ahead.advance(3_600_000)
    let elsewhere = Folder()
    let other = try elsewhere.open(Model(Item.schema)) { $0.wallMilliseconds = { ahead.now } }
    let now = Clock()
    let store = try folder.open(Model(Item.schema)) { $0.wallMilliseconds = { now.now } }
    let (mine, late) = (store.newID(), other.newID())
    try store.write(in: space) { try $0.create(Item(id: mine)) }
    try other.write(in: space) { try $0.create(Item(id: late)) }
    try store.pull(from: other)
    try store.write(in: space) { transaction in
      try transaction.set(\Item.name, of: mine, to: "a")
      var item = try #require(try transaction.fetch(Item.self, mine))
      item.count = 7
      try transaction.update(item)
      try transaction.set(\Item.name, of: late, to: "b")
    }
    let states = try [mine, late].map { try #require(try store.record(entity: 7, $0, in: space)) }
    let stamps = [states[0].register(2), states[0].register(9), states[1].register(2)].map {
      $0?.stamp
    }
    #expect(Set(stamps).count == 1)
  }
}
