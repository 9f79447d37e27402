import Foundation
import Reunion
import ReunionCommandLine
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// An app's own rule on the server, over real sockets: what it refuses its author takes back.
@Suite struct TransactionRuleTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
  }

  static let rule = TransactionRule { transaction in
    let isLong = transaction.writes.contains { String(storedValue: $0.value)?.count ?? 0 > 100 }
    return isLong ? "A note has a hundred letters at most." : nil
  }

  /// Joins a replica of its own by a role.
  static func phone(
    _ name: String, _ role: Role, _ service: SpaceService
  ) async throws -> (Replica, Membership, SpaceID) {
    let left = InvitationFile(role: role.rawValue, expires: nil)
    let secret = try #require(left.leave(in: service.store.folder))
    let replica = try Replica(
      folder: "\(service.store.folder)/../\(name)", model: Model(Note.schema))
    let membership = try await Membership.join(
      link: "http://127.0.0.1:\(service.port)/#join=\(secret)",
      device: replica.store.site.device)
    return (replica, membership, try #require(membership.spaceIDs.first))
  }

  @Test(arguments: [Role.add, .edit], [1, 3000])
  func `refuses a transaction and what builds on it, tells its author, and lets the others in`(
    role: Role, count: Int
  ) async throws {
    let folder = "\(NSTemporaryDirectory())/rule-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let told = Log<String>()
    let service = try SpaceService(ServeOptions([folder + "/server", "--port", "0"])) {
      $0.rule = Self.rule
      $0.notice = told.append
    }
    _ = try service.start()
    defer { service.stop() }
    let (author, membership, space) = try await Self.phone("author", role, service)
    defer { try? author.close() }
    let heard = Log<RefusedChange>()
    let hearing = author.refusedChanges.observe(heard.append)
    let long = String(repeating: "x", count: 101)
    var kept: Set<String> = []
    // A guest's transaction has 2,000 changes at most.
    for start in stride(from: 0, to: count, by: 500) {
      let texts = (start..<min(start + 500, count)).map {
        "Note \($0), " + String(repeating: "y", count: 80)
      }
      kept.formUnion(texts)
      try await author.write(in: space) { transaction in
        for text in texts { try transaction.create(Note.self) { $0.text = text } }
      }
    }
    // Both of one transaction are refused, and a later one that builds on it.
    let (refused, tooLong) = try await author.write(in: space) { transaction in
      let other = try transaction.create(Note.self) { $0.text = "short, and beside a long one" }
      return (other, try transaction.create(Note.self) { $0.text = long })
    }
    try await author.write(in: space) { try $0.set(\Note.text, of: refused.id, to: "short again") }
    try await author.write(in: space) { try $0.create(Note.self) { $0.text = "the last" } }
    kept.insert("the last")
    let connection = try author.sync(space, with: membership)
    for await notes in try author.live(Query<Note>(in: space)).values()
    where Set(notes.map(\.text)) == kept {
      break
    }
    let (reader, reading, _) = try await Self.phone("reader", .view, service)
    defer { try? reader.close() }
    let other = try reader.sync(space, with: reading)
    for await notes in try reader.live(Query<Note>(in: space)).values()
    where notes.count == kept.count {
      #expect(Set(notes.map(\.text)) == kept)
      break
    }
    #expect(
      told.all.contains {
        $0.hasPrefix("Refused a change of the device")
          && $0.hasSuffix(": A note has a hundred letters at most.")
      })
    #expect(Set(heard.all.map(\.record)) == [refused.id, tooLong.id])
    #expect(heard.all.allSatisfy { $0.sentence == "A note has a hundred letters at most." })
    #expect(heard.all.allSatisfy { $0.space == space && $0.entity == Note.schema.number })
    hearing.cancel()
    connection.disconnect()
    other.disconnect()
  }
}
