import Foundation
import ReunionCore
import Testing

@testable import ReunionStore

/// What sessions send is read once for all of them, and is what the database holds.
@Suite struct RecentWindowsTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""
    var number = 0

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Note>(
      1, "note", [.field(1, "text", \.text), .field(2, "number", \.number)])
  }

  /// The changes after a number as the database holds them.
  private func held(_ store: Store, _ space: SpaceID, after arrival: UInt64) throws -> [Change] {
    try store.readTransaction { (reader) throws(StoreError) in
      var changes: [Change] = []
      guard let number = try reader.numbers.existingNumber(of: space) else { return changes }
      try reader.forEach(space: number, after: arrival) { record in
        changes += record.state.cells.map {
          Change(entity: record.key.entity, record: record.key.id, cell: $0)
        }
      }
      return changes
    }
  }

  private func sent(
    _ store: Store, _ space: SpaceID, after arrival: UInt64, bytesMax: Int = .max
  ) throws -> PushWindow {
    try store.window(
      in: space, Conversation.Reading(after: arrival), bytesMax: bytesMax)
  }

  @Test func `what is sent is what is held, whatever was read before`() throws {
    let folder = "\(NSTemporaryDirectory())/recent-\(UUID())"
    let store = try Store.open(folder: folder, model: Model(Note.schema))
    defer {
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
    let spaces = [SpaceID(high: 1, low: 1), SpaceID(high: 1, low: 2)]
    // The same ids in both spaces, and more records than are kept.
    let ids = (0..<1_500 as Range<UInt64>).map { RecordID(high: 9, low: $0) }
    for space in spaces {
      try store.write(in: space) { transaction in
        for id in ids {
          var note = Note(id: id)
          note.text = "\(space) \(id)"
          try transaction.create(note)
        }
      }
    }
    var random = Seeded(state: 7)
    for round in 0..<60 {
      let space = spaces[round % 2]
      try store.write(in: space) { transaction in
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          let id = ids[ids.count - 1 - Int.random(in: 0..<200, using: &random)]
          if Int.random(in: 0..<8, using: &random) == 0 {
            try transaction.delete(Note.self, id)
          } else if try transaction.fetch(Note.self, id) != nil {
            try transaction.set(\Note.number, of: id, to: round)
          }
        }
      }
      // One that fails leaves nothing behind.
      struct Given: Error {}
      #expect(throws: Given.self) {
        try store.write(in: space) { transaction in
          try transaction.create(Note(id: RecordID(high: 8, low: UInt64(round))))
          throw Given()
        }
      }
      for space in spaces {
        let last = try sent(store, space, after: .max >> 25).end?.cursor ?? 0
        for after in [0, last - 300, last - 40, last - 1, last] {
          let expected = try held(store, space, after: after)
          // Nobody has asked there before, and the end is that of the others.
          let end = try sent(store, space, after: last + 1 + UInt64(round)).end
          for _ in 1...2 {
            let window = try sent(store, space, after: after)
            #expect(window.changes == expected)
            #expect(window.end == end && end?.cursor == last)
          }
          let first = try sent(store, space, after: after, bytesMax: 1)
          #expect(expected.starts(with: first.changes))
          #expect(first.end == nil || expected.count == first.changes.count)
        }
      }
    }
  }

  /// What a window leaves out for one peer, it does not leave out for the next.
  @Test func `each peer gets of a shared window what it lacks`() throws {
    let folder = "\(NSTemporaryDirectory())/recent-\(UUID())"
    let store = try Store.open(folder: folder, model: Model(Note.schema))
    defer {
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
    let space = SpaceID(high: 1, low: 1)
    try store.write(in: space) { transaction in
      for number in 0..<10 as Range<UInt64> {
        try transaction.create(Note(id: RecordID(high: 9, low: number)))
      }
    }
    let all = try sent(store, space, after: 0)
    var held = VersionVector()
    held.raise(store.site, to: 12)
    let some = try store.window(
      in: space, Conversation.Reading(after: 0, vectorAfter: 3, held: held), bytesMax: .max)
    #expect(some.changes == all.changes.filter { $0.cell.dot.seq > 12 } && !some.changes.isEmpty)
    let own = try store.window(
      in: space, Conversation.Reading(after: 0, vectorAfter: 3), ofDevice: store.site.device + 1,
      bytesMax: .max)
    #expect(own.changes.isEmpty && own.end?.raised == [] && own.end?.cursor == all.end?.cursor)
    #expect(try sent(store, space, after: 0) == all)
  }
}
