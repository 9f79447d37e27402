import ReunionCore
import Testing

@testable import ReunionStore

/// What a rule of an app's sees of a push.
@Suite struct JudgeTests {
  /// A width only grows, beside what the store holds.
  private static func growing(_ store: Store) -> TransactionRule {
    TransactionRule { transaction in
      let shrinks = transaction.writes.contains { write in
        guard write.field == 2, let width = Int(storedValue: write.value) else { return false }
        let held = try? store.fetch(Photo.self, write.record, in: transaction.space)
        return width < held?.width ?? 0
      }
      return shrinks ? "A photo only grows." : nil
    }
  }

  @Test func `it does not see what is held already, when that comes again`() throws {
    let folders = [Folder(), Folder()]
    let (server, phone) = (try folders[0].open(sampleModel), try folders[1].open(sampleModel))
    let rule = Self.growing(server)
    func push() throws -> IncomingPush {
      try phone.push(in: space, Conversation.Reading(after: 0))
    }
    let photo = try phone.write(in: space) { try $0.create(Photo.self) { $0.width = 1 } }
    let early = try push()
    _ = try server.apply(early, in: space, authority: .all)
    try phone.write(in: space) { try $0.set(\Photo.width, of: photo.id, to: 5) }
    _ = try server.apply(push(), in: space, authority: .all)
    // Both the old push, which would shrink it, and the last one come again after a lost connection.
    for again in [early, try push()] {
      var again = again
      #expect(try server.judge(&again, in: space, by: rule).isEmpty)
      _ = try server.apply(again, in: space, authority: .all)
    }
    #expect(try server.fetch(Photo.self, photo.id, in: space)?.width == 5)
    // What is new it sees.
    try phone.write(in: space) { try $0.set(\Photo.width, of: photo.id, to: 2) }
    var forged = try push()
    #expect(
      try server.judge(&forged, in: space, by: rule).map(\.sentence) == ["A photo only grows."])
  }
}
