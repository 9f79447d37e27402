import ReunionCore
import Testing

@testable import ReunionStore

private struct Crate: Entity, Equatable {
  let id: RecordID
  var name = ""
  var inside: Reference<Crate>?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Crate>(
    1, "crate",
    [.field(1, "name", \.name), .field(2, "inside", \.inside, onDelete: .delete)])
}

private struct Disc: Entity, Equatable {
  let id: RecordID
  var title = ""
  var crate: Reference<Crate>?
  var sequel: Reference<Disc>?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Disc>(
    2, "disc",
    [
      .field(1, "title", \.title), .field(2, "crate", \.crate, onDelete: .delete),
      .field(3, "sequel", \.sequel, onDelete: .clear),
    ])
}

private struct Loan: Entity, Equatable {
  let id: RecordID
  var disc: RecordID?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Loan>(
    3, "loan", [.field(1, "disc", \.disc, to: Disc.self, onDelete: .refuse)])
}

private let model = Model(Crate.schema, Disc.schema, Loan.schema)

/// What a delete does to the records that name the deleted one.
@Suite struct DeleteRuleTests {
  private let folders = [Folder(), Folder()]

  private struct State: Equatable {
    var crates: [Crate]
    var discs: [Disc]
    var loans: [Loan]
  }

  private func state(_ store: Store) throws -> State {
    State(
      crates: try store.fetch(Query(in: space)), discs: try store.fetch(Query(in: space)),
      loans: try store.fetch(Query(in: space)))
  }

  private func id(_ low: UInt64) -> RecordID { RecordID(high: 1, low: low) }

  private func crate(_ low: UInt64, inside: UInt64? = nil) -> Crate {
    var crate = Crate(id: id(low))
    crate.inside = inside.map { Reference(id($0)) }
    return crate
  }

  private func disc(_ low: UInt64, on crate: UInt64? = nil, sequel: UInt64? = nil) -> Disc {
    var disc = Disc(id: id(low))
    disc.title = "Volume \(low)"
    disc.crate = crate.map { Reference(id($0)) }
    disc.sequel = sequel.map { Reference(id($0)) }
    return disc
  }

  private func loan(_ low: UInt64, of disc: UInt64) -> Loan {
    var loan = Loan(id: id(low))
    loan.disc = id(disc)
    return loan
  }

  private func ids<E: Entity>(_: E.Type, _ store: Store) throws -> [UInt64] {
    try store.fetch(Query<E>(in: space)).map(\.id.low)
  }

  @Test func `deletes along chains, clears what stays, and one undo brings all of it back`() throws
  {
    let store = try folders[0].open(model)
    try store.write(in: space) { transaction in
      for crate in [crate(1), crate(2, inside: 1), crate(3)] { try transaction.create(crate) }
      for disc in [disc(10, on: 1), disc(11, on: 2), disc(12, on: 3, sequel: 11)] {
        try transaction.create(disc)
      }
    }
    let before = try state(store)
    try store.write(in: space, undo: "Throw out") { try $0.delete(Crate.self, id(1)) }
    #expect(try ids(Crate.self, store) == [3])
    let left = try store.fetch(Query<Disc>(in: space))
    #expect(left.map(\.id.low) == [12] && left.first?.sequel == nil)
    let after = try state(store)
    #expect(try store.undo(in: space)?.isComplete == true)
    #expect(try state(store) == before)
    #expect(try store.redo(in: space)?.isComplete == true)
    #expect(try state(store) == after)
  }

  @Test func `ends in circles, and in a record that names itself`() throws {
    let store = try folders[0].open(model)
    try store.write(in: space) { transaction in
      for crate in [crate(1, inside: 3), crate(2, inside: 1), crate(3, inside: 2)] {
        try transaction.create(crate)
      }
      try transaction.create(crate(4, inside: 4))
      try transaction.create(crate(5, inside: 6))
    }
    try store.write(in: space) { try $0.delete(Crate.self, id(2)) }
    #expect(try ids(Crate.self, store) == [4, 5])
    try store.write(in: space) { try $0.delete(Crate.self, id(4)) }
    #expect(try ids(Crate.self, store) == [5])
  }

  @Test func `refuses whole, wherever the refusal is, and says who refuses`() throws {
    let store = try folders[0].open(model)
    try store.write(in: space) { transaction in
      try transaction.create(crate(1))
      for disc in [disc(10, on: 1), disc(11, on: 1, sequel: 10)] { try transaction.create(disc) }
      try transaction.create(loan(20, of: 11))
    }
    let before = try state(store)
    try store.write(in: space) { transaction in
      let error = #expect(throws: StoreError.self) { try transaction.delete(Crate.self, id(1)) }
      #expect(error?.code == .referenced)
      #expect(
        error?.message
          == "The disc \(id(11)) stays, because the loan \(id(20)) names it: delete that loan first, or"
          + " change its disc.")
    }
    #expect(try state(store) == before)
    try store.write(in: space) { transaction in
      // What refuses goes first, in the same transaction, and was not written out yet.
      try transaction.set(\Loan.disc, of: id(20), to: nil)
      try transaction.delete(Crate.self, id(1))
    }
    #expect(try ids(Disc.self, store) == [] && ids(Loan.self, store) == [20])
  }

  @Test func `sees what its own transaction wrote, and not what others add meanwhile`() throws {
    let (a, b) = (try folders[0].open(model), try folders[1].open(model))
    try a.write(in: space) { transaction in
      try transaction.create(crate(1))
      try transaction.create(disc(10, on: 1))
      try transaction.set(\Disc.crate, of: id(10), to: nil)
      try transaction.create(disc(11, on: 1))
      try transaction.delete(Crate.self, id(1))
      try transaction.create(crate(2))
    }
    #expect(try ids(Disc.self, a) == [10])
    try b.pull(from: a)
    #expect(try state(a) == state(b))
    try b.write(in: space) { try $0.create(disc(12, on: 2)) }
    try a.write(in: space) { try $0.delete(Crate.self, id(2)) }
    for (to, from) in [(a, b), (b, a)] { try to.pull(from: from) }
    // The merge enforces nothing: the disc stays, and names what is gone.
    #expect(try state(a) == state(b))
    #expect(try ids(Disc.self, a) == [10, 12] && ids(Crate.self, a) == [])
  }

  @Test func `acts in its own space alone`() throws {
    let store = try folders[0].open(model)
    let other = SpaceID(high: 8, low: 8)
    for place in [space, other] {
      try store.write(in: place) { transaction in
        try transaction.create(crate(1))
        try transaction.create(disc(10, on: 1))
      }
    }
    try store.write(in: space) { try $0.delete(Crate.self, id(1)) }
    #expect(try ids(Disc.self, store) == [])
    #expect(try store.count(Query<Disc>(in: other)) == 1)
  }

  @Test func `holds for an undo of what was made, and for what is erased`() throws {
    let store = try folders[0].open(model)
    try store.write(in: space, undo: "Build") { transaction in
      try transaction.create(crate(1))
      try transaction.create(disc(10, on: 1))
      try transaction.create(loan(20, of: 10))
    }
    // What was made together goes together, though the loan refuses to be without the disc.
    #expect(try store.undo(in: space)?.isComplete == true)
    #expect(try state(store) == State(crates: [], discs: [], loans: []))
    _ = try store.redo(in: space)
    try store.write(in: space, undo: "Buy") { try $0.create(disc(11, on: 1)) }
    try store.write(in: space) { try $0.create(loan(21, of: 11)) }
    #expect(try store.undo(in: space)?.kept.map(\.record) == [id(11)])
    #expect(try ids(Disc.self, store) == [10, 11])
    #expect(isCode(.referenced) { try store.write(in: space) { try $0.erase(Disc.self, id(10)) } })
    try store.write(in: space) { transaction in
      for low in [20, 21] as [UInt64] { try transaction.delete(Loan.self, id(low)) }
      try transaction.erase(Crate.self, id(1))
    }
    #expect(try state(store) == State(crates: [], discs: [], loans: []))
  }

  @Test func `a rule that cannot hold is refused with the model`() throws {
    struct Note: Entity {
      let id: RecordID
      var crate = RecordID(high: 0, low: 0)
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(
        5, "note", [.field(1, "crate", \.crate, to: Crate.self, onDelete: .clear)])
    }
    struct Word: Entity {
      let id: RecordID
      var crate: String?
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Word>(
        5, "word", [.field(1, "crate", \.crate, to: Crate.self, onDelete: .delete)])
    }
    let refused = #expect(throws: StoreError.self) { try folders[0].open(Model(Note.schema)) }
    #expect(refused?.message.contains("note.crate can never be none") == true)
    let other = #expect(throws: StoreError.self) { try folders[0].open(Model(Word.schema)) }
    #expect(other?.message.contains("word.crate names no record") == true)
  }

  @Test(arguments: 1...4)
  func `random deletes leave nothing that names what they deleted`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = Seeded(state: seed)
    let store = try folders[0].open(model)
    func some(_ range: ClosedRange<UInt64>) -> UInt64? {
      Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(in: range, using: &random)
    }
    try store.write(in: space) { transaction in
      for low in 1...20 as ClosedRange<UInt64> {
        try transaction.create(crate(low, inside: some(1...20)))
      }
      for low in 31...90 as ClosedRange<UInt64> {
        try transaction.create(disc(low, on: some(1...20), sequel: some(31...90)))
      }
      for low in 101...104 as ClosedRange<UInt64> {
        try transaction.create(loan(low, of: .random(in: 31...90, using: &random)))
      }
    }
    var history = [try state(store)]
    for _ in 0..<20 {
      let low = UInt64.random(in: 1...90, using: &random)
      let before = try state(store)
      do {
        try store.write(in: space, undo: "Delete") { transaction in
          try transaction.delete(Crate.self, id(low))
          try transaction.delete(Disc.self, id(low))
        }
      } catch let error as StoreError where error.code == .referenced {
        #expect(try state(store) == before)
      }
      let now = try state(store)
      let (crates, discs) = (Set(now.crates.map(\.id)), Set(now.discs.map(\.id)))
      #expect(now.crates.compactMap(\.inside?.id).allSatisfy(crates.contains))
      #expect(now.discs.compactMap(\.crate?.id).allSatisfy(crates.contains))
      #expect(now.discs.compactMap(\.sequel?.id).allSatisfy(discs.contains))
      #expect(now.loans.compactMap(\.disc).allSatisfy(discs.contains))
      if now != before { history.append(now) }
    }
    while history.count > 1 {
      #expect(try state(store) == history.removeLast())
      _ = try store.undo(in: space)
    }
    #expect(try state(store) == history[0])
  }
}
