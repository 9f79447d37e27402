import Foundation
import ReunionCore
import Testing

@testable import ReunionStore

/// What sessions send is read once for all of them, and is what the database holds.
@Suite struct RecentRecordsTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""
    var number = 0

    init(id: RecordID) { self.id = id }

    static let schema = Schema<Note>(
      1, "note", [.field(1, "text", \.text), .field(2, "number", \.number)])
  }

  private struct Sent: Equatable {
    let key: RecordKey
    let arrival: UInt64
    let state: RecordState
  }

  private func sent(_ store: Store, _ space: SpaceID, by recent: RecentRecords?) throws -> [Sent] {
    try store.readTransaction { (reader) throws(StoreError) in
      var sent: [Sent] = []
      guard let number = try reader.numbers.existingNumber(of: space) else { return sent }
      try reader.scan(space: number, after: 0, recent: recent) { (record) throws(StoreError) in
        sent.append(Sent(key: record.key, arrival: record.arrival, state: record.state))
        return true
      }
      return sent
    }
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
        let expected = try sent(store, space, by: nil)
        #expect(try sent(store, space, by: store.recentRecords) == expected)
        #expect(try sent(store, space, by: store.recentRecords) == expected)
      }
    }
  }
}
