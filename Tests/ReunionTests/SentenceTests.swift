import Foundation
import Reunion
import Testing

/// Sentences of errors that somebody meets who is new: each names what is wrong, and the remedy.
@Suite struct SentenceTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""
    var tags: Set<String> = []
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(
      1, "note", [.field(1, "text", \.text), .field(2, "tags", \.tags)])
  }

  let folder = "\(NSTemporaryDirectory())/sentences-\(UUID())"
  let space = SpaceID.random()

  private func sentence(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "Nothing was wrong."
    } catch {
      return "\(error)"
    }
  }

  @Test func `a value that is too large is named as the model names its field`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder, model: Model(Note.schema))
    let text = String(repeating: "x", count: 600 * 1024)
    let expected = "The value of note.text has 614400 bytes: keep over 512 KiB as a blob."
    let id = replica.newID()
    try replica.write(in: space) { try $0.create(Note(id: id)) }
    #expect(
      sentence { try replica.write(in: space) { _ = try $0.create(Note.self) { $0.text = text } } }
        == expected)
    #expect(
      sentence { try replica.write(in: space) { try $0.set(\Note.text, of: id, to: text) } }
        == expected)
    #expect(
      sentence { try replica.write(in: space) { try $0.insert(text, into: \Note.tags, of: id) } }
        .hasPrefix("The value of note.tags has "))
    // Whoever catches it goes on in the same write.
    try replica.write(in: space) { transaction in
      try? transaction.set(\Note.text, of: id, to: text)
      try transaction.set(\Note.text, of: id, to: "short")
    }
    #expect(try replica.fetch(Note.self, id, in: space)?.text == "short")
    try replica.close()
  }

  @Test func `a file that is not there is said to be not there`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder, model: Model(Note.schema))
    #expect(
      sentence { _ = try replica.blobs.adopt(file: folder + "/nowhere.jpg") }
        .hasPrefix("There is no file \(folder)/nowhere.jpg: check the path."))
    try replica.close()
  }

  @Test func `a second replica of a folder in one program is told of the first`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder, model: Model(Note.schema))
    let said = sentence { _ = try Replica(folder: folder, model: Model(Note.schema)) }
    #expect(said.hasPrefix("This program has \(folder) open already"))
    try replica.close()
  }

  @Test func `a link of another kind is sent where it belongs`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder, model: Model(Note.schema))
    let pairing = "http://192.168.1.20:8080/#pair=abc"
    #expect(
      sentence { try replica.sync(space, joining: pairing) }
        == "\(pairing) is a link to pair with: pass it to pair(by:called:).")
    #expect(
      sentence { try replica.sync(space, joining: "http://192.168.1.20:8080/#map") }
        .contains("Such a link looks like"))
    try replica.close()
  }

  @Test func `codes are printed by their names`() throws {
    #expect("\(StoreError.Code.invalidModel)" == "invalidModel")
    #expect("\(StoreError.Code.diskFull)" == "diskFull")
    #expect("\(StoreError.Code(rawValue: 999))" == "999")
    #expect(StoreError.Code(rawValue: 8) == .invalidModel)
    #expect(Set([StoreError.Code(rawValue: 8), .invalidModel]).count == 1)
    #expect("\(JoinError.Code.badLink)" == "badLink")
  }

  @Test func `a model's numbers and names are refused with what may be taken`() throws {
    func refusal(_ entity: EntityDescription) -> String {
      sentence { _ = try Replica(folder: folder, model: Model(entities: [entity])) }
    }
    #expect(
      refusal(EntityDescription(number: 0, name: "note", fields: []))
        .hasSuffix("give it one from 1 to 16777199."))
    #expect(
      refusal(EntityDescription(number: 1, name: "sqlite_note", fields: []))
        .hasPrefix("The name \"sqlite_note\" of an entity cannot be used"))
    let id = FieldDescription(number: 1, name: "id", kind: .text)
    #expect(
      refusal(EntityDescription(number: 1, name: "note", fields: [id]))
        == "note has a field \"id\": SQL needs that name: rename the field.")
    #expect(!FileManager.default.fileExists(atPath: folder + "/store.sqlite"))
  }
}
