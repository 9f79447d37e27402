import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

@Suite struct WideningTests {
  private struct Whole: Entity, Equatable {
    let id: RecordID
    var score = 0
    var note = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Whole>(
      9, "film", [.field(6, "score", \.score), .field(1, "note", \.note)])
  }

  private struct Broken: Entity, Equatable {
    let id: RecordID
    var score = 0.0
    var note: String?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Broken>(
      9, "film", [.field(6, "score", \.score), .field(1, "note", \.note)])
    static func == (left: Broken, right: Broken) -> Bool {
      left.id == right.id && left.score.bitPattern == right.score.bitPattern
        && left.note == right.note
    }
  }

  private let whole = Model(Whole.schema)
  private let broken = Model(Broken.schema)
  private let folders = [Folder(), Folder()]

  private func id(_ number: UInt64) -> RecordID { RecordID(high: 1, low: number) }

  private func nearest(_ value: Double) -> Int {
    if value.isNaN { return 0 }
    return Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }

  /// What cannot be told apart after going there and back is what tests should hold.
  private static let numbers: [Double] = [
    0, -0.0, 1, 2.5, -2.5, 0.49, 7, 1e300, -.infinity, .nan, 0x1p53, 0x1p62, -3,
  ]
  private static let ints = [0, 1, -3, 7, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1]

  @Test func `ints become doubles under their number, and no cell changes`() throws {
    var store = try folders[0].open(whole)
    try store.write(in: space) { transaction in
      for (number, int) in Self.ints.enumerated() {
        var record = Whole(id: id(UInt64(number)))
        record.score = int
        try transaction.create(record)
      }
    }
    let (digest, changes) = (try store.digest(of: space), try store.allChanges())
    try store.close()
    let print = try Fingerprint(folder: folders[0].path)
    store = try folders[0].open(broken)
    let scores = try store.fetch(Query<Broken>(in: space)).map(\.score)
    #expect(scores == Self.ints.map { Double($0) })
    #expect(try store.digest(of: space) == digest)
    #expect(try store.allChanges() == changes)
    // To a query they are the doubles that the app sees.
    #expect(try store.count(Query<Broken>(in: space).filter(\.score == 0x1p53)) == 2)
    #expect(try store.count(Query<Broken>(in: space).filter(\.score > 0.5)) == 5)
    #expect(
      try store.fetch(Query<Broken>(in: space).sorted(by: \.score)).map(\.score) == scores.sorted())
    // A write by the app is one of its kind, and takes the fast way.
    try store.write(in: space) { transaction in
      #expect(try transaction.records.setter(9, 6) != nil)
      #expect(try transaction.records.inserter(Broken.self) != nil)
      try transaction.set(\Broken.score, of: id(0), to: 0.5)
    }
    #expect(try store.record(entity: 9, id(0), in: space)?.register(6)?.value == .double(0.5))
    // A record that the app does not change stays an int.
    try store.write(in: space) { try $0.update(Broken.self, id(1)) { $0.note = "new" } }
    #expect(try store.record(entity: 9, id(1), in: space)?.register(6)?.value == .int(1))
    try store.write(in: space) { try $0.set(\Broken.score, of: id(0), to: 0) }
    try store.close()
    #expect(try Fingerprint(folder: folders[0].path) != print)
  }

  @Test func `an older device shows the nearest int, and keeps the double`() throws {
    let a = try folders[0].open(whole)
    let b = try folders[1].open(broken)
    try b.write(in: space) { transaction in
      for (number, double) in Self.numbers.enumerated() {
        var record = Broken(id: id(UInt64(number)))
        record.score = double
        try transaction.create(record)
      }
    }
    try a.pull(from: b)
    let shown = try a.fetch(Query<Whole>(in: space)).map(\.score)
    #expect(shown == Self.numbers.map(nearest))
    #expect(try a.digest(of: space) == b.digest(of: space))
    #expect(try a.count(Query<Whole>(in: space).filter(\.score == 3)) == 1)
    #expect(try a.fetch(Query<Whole>(in: space).sorted(by: \.score)).map(\.score) == shown.sorted())
    // What it does not change stays as it is.
    try a.write(in: space) { try $0.update(Whole.self, id(3)) { $0.note = "new" } }
    try a.write(in: space) { try $0.set(\Whole.note, of: id(4), to: "new") }
    try b.pull(from: a)
    #expect(
      try b.fetch(Query<Broken>(in: space)).map(\.score.bitPattern)
        == Self.numbers.map(\.bitPattern))
    try a.write(in: space) { try $0.set(\Whole.score, of: id(3), to: 9) }
    try b.pull(from: a)
    #expect(try b.fetch(Broken.self, id(3), in: space)?.score == 9)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test(arguments: 1...10)
  func `both kinds go together in every query, and when devices go on and back`(seed: UInt64) throws
  {
    print("seed \(seed)")
    var random = Seeded(state: seed)
    let a = try folders[0].open(whole)
    var b = try folders[1].open(broken)
    var isNew = true
    for _ in 0..<60 {
      let id = id(UInt64.random(in: 0..<8, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try a.pull(from: b)
      case 1: try b.pull(from: a)
      case 2:
        let digest = try b.digest(of: space)
        try b.close()
        isNew.toggle()
        b = try folders[1].open(isNew ? broken : whole)
        #expect(try b.digest(of: space) == digest)
      case 3, 4:
        let store = isNew && Bool.random(using: &random) ? b : a
        let double = Self.numbers[Int.random(in: 0..<Self.numbers.count, using: &random)]
        let int = Self.ints[Int.random(in: 0..<Self.ints.count, using: &random)]
        let isThere = try store.record(entity: 9, id, in: space) != nil
        try store.write(in: space) { transaction in
          if store === b {
            if !isThere { try transaction.create(Broken(id: id)) }
            try transaction.set(\Broken.score, of: id, to: double)
          } else {
            if !isThere { try transaction.create(Whole(id: id)) }
            try transaction.set(\Whole.score, of: id, to: int)
          }
        }
      default: break
      }
      guard isNew else { continue }
      let all = try b.fetch(Query<Broken>(in: space))
      for record in all {
        let value = try #require(try b.record(entity: 9, record.id, in: space)?.register(6)?.value)
        let shown = value.double ?? value.int.map { Double($0) } ?? 0
        #expect(record.score.bitPattern == shown.bitPattern)
      }
      let found = try b.fetch(Query<Broken>(in: space).filter(\.score >= 1))
      #expect(found == all.filter { $0.score >= 1 })
      let sum = try b.fetch(Query<Broken>(in: space).filter(\.score < 100).sum(of: \.score))
      let expected = all.map(\.score).filter { $0 < 100 }.reduce(0, +)
      #expect(sum == expected || sum.isNaN && expected.isNaN)
    }
    try a.pull(from: b)
    try b.pull(from: a)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test func `a field that may be nothing from now on costs nothing`() throws {
    struct Before: Entity {
      let id: RecordID
      var note = "?"
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Before>(9, "film", [.field(1, "note", \.note)])
    }
    struct After: Entity {
      let id: RecordID
      var note: String?
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<After>(9, "film", [.field(1, "note", \.note)])
    }
    var store = try folders[0].open(Model(Before.schema))
    try store.write(in: space) { try $0.create(Before(id: id(1))) }
    try store.close()
    store = try folders[0].open(Model(After.schema))
    #expect(store.layout.table(9).columns.map(\.kindByte) == [nil])
    #expect(try store.fetch(After.self, id(1), in: space)?.note == "?")
    let peer = try folders[1].open(Model(Before.schema))
    try store.write(in: space) { try $0.set(\After.note, of: id(1), to: nil) }
    try peer.pull(from: store)
    #expect(try peer.fetch(Before.self, id(1), in: space)?.note == "?")
    #expect(try peer.digest(of: space) == store.digest(of: space))
  }

  @Test func `other kinds stay refused`() throws {
    struct Text: Entity {
      let id: RecordID
      var score = ""
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Text>(9, "film", [.field(6, "score", \.score)])
    }
    try folders[0].open(whole).close()
    #expect(isCode(.invalidModel) { _ = try folders[0].open(Model(Text.schema)) })
    try folders[0].open(broken).close()
    #expect(isCode(.invalidModel) { _ = try folders[0].open(Model(Text.schema)) })
  }
}
