import Foundation
import Reunion
import Testing

/// Entities that an app forgot to name in its model.
@Suite struct UnknownEntityTests {
  struct Known: Entity {
    let id: RecordID
    var name = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Known>(1, "known", [.field(1, "name", \.name)])
  }

  struct Forgotten: Entity {
    let id: RecordID
    var name = ""
    var tags: Set<String> = []
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Forgotten>(
      2, "forgotten", [.field(1, "name", \.name), .field(2, "tags", \.tags)])
  }

  let folder = "\(NSTemporaryDirectory())/forgotten-\(UUID())"
  let space = SpaceID.random()

  private func expectRefused(_ body: () throws -> Void) {
    let error = #expect(throws: StoreError.self) { try body() }
    #expect(error?.code == .invalidModel)
    #expect(
      error?.message
        == "The store's model has no entity forgotten: open it with a model that has it.")
  }

  @Test func `nothing is written or read of an entity that the model lacks`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder, model: Model(Known.schema))
    let query = Query<Forgotten>(in: space)
    // In a space of which nothing is known yet, too.
    expectRefused { _ = try replica.fetch(query) }
    try replica.write(in: space) { try $0.create(Known.self) }
    let id = replica.newID()
    expectRefused { try replica.write(in: space) { _ = try $0.create(Forgotten.self) } }
    expectRefused { try replica.write(in: space) { try $0.create(Forgotten(id: id)) } }
    expectRefused {
      try replica.write(in: space) { _ = try $0.update(Forgotten.self, id) { _ in } }
    }
    expectRefused { try replica.write(in: space) { try $0.update(Forgotten(id: id)) } }
    expectRefused { try replica.write(in: space) { try $0.set(\Forgotten.name, of: id, to: "x") } }
    expectRefused {
      try replica.write(in: space) { try $0.insert("x", into: \Forgotten.tags, of: id) }
    }
    expectRefused { try replica.write(in: space) { try $0.delete(Forgotten.self, id) } }
    expectRefused { _ = try replica.fetch(query) }
    expectRefused { _ = try replica.fetch(Forgotten.self, id, in: space) }
    expectRefused { _ = try replica.count(query) }
    expectRefused { _ = try replica.live(query) }
    expectRefused { _ = try replica.snapshot { try $0.fetch(query) } }
    #expect(try replica.fetch(Query<Known>(in: space)).count == 1)
    try replica.close()
  }

  @Test func `a replica without a model says so to who asks for records`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder, model: Model(Forgotten.schema))
    try replica.write(in: space) { try $0.create(Forgotten.self) { $0.name = "kept" } }
    try replica.close()
    let unseen = try Replica(folder: folder + "-new")
    expectRefused { _ = try unseen.fetch(Query<Forgotten>(in: space)) }
    expectRefused { _ = try unseen.fetch(Forgotten.self, unseen.newID(), in: space) }
    try unseen.close()
    try FileManager.default.removeItem(atPath: folder + "-new")
  }
}
