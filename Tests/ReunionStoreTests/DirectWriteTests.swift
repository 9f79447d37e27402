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

  static let schema = Schema<Item>(
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
