import ReunionCore
import Testing

@testable import ReunionStore

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
}
