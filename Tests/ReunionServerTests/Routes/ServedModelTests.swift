import Foundation
import Reunion
import ReunionStore
import Testing

@testable import ReunionServer

/// An app's model beside the entities that the library keeps for itself, and as a server tells it
/// (docs/protocol.md 2.13, 3.5).
@Suite struct ServedModelTests {
  struct Member: Entity {
    let id: RecordID
    var name = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Member>(101, "member", [.field(1, "name", \.name)])
  }

  struct Invitation: Entity {
    let id: RecordID
    var text = ""
    var count = 0
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Invitation>(
      16_777_199, "invitation", [.field(1, "text", \.text), .field(16_777_216, "count", \.count)])
  }

  struct Feed: Entity {
    let id: RecordID
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Feed>(1, "feed", [])
  }

  struct Box: Entity {
    let id: RecordID
    var marks: Set<Int> = []
    var inside: Reference<Box>?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Box>(
      7, "box", [.field(1, "marks", \.marks), .field(2, "inside", \.inside, onDelete: .clear)])
  }

  struct Leaf: Entity {
    let id: RecordID
    var seconds = 0
    var parts = ""
    var share = 0.0
    var size = 0
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Leaf>(
      8, "leaf",
      [
        .field(11, "seconds", \.seconds), .field(12, "parts", \.parts),
        .field(13, "share", \.share), .field(14, "size", \.size),
      ],
      lenses: [
        .retype(OldField(1, Int?.self), to: \.seconds, by: .times(1 << 60)),
        .merge(
          OldField(2, String.self, initial: "x"), OldField(3, String.self), to: \.parts,
          by: .separator(", ")),
        .retype(OldField(4, Int.self, initial: .max), to: \.share, by: .times(0.5)),
        .fill(\.size, from: OldField(5, String.self), by: .cases(["s": 1, "l": 2])),
      ])
  }

  @Test func `the model that a server tells has its lenses, as pages take them`() throws {
    let lenses = try Model(Leaf.schema).entities[0].lenses.map { lens in
      String(decoding: try JSONWriter.bytes(JSONValue(lens)), as: UTF8.self)
    }
    #expect(
      lenses == [
        """
        {"by":["times","1152921504606846976"],"sources":[{"isOptional":true,"kind":2,"number":1}],\
        "targets":[{"kind":2,"number":11}]}
        """,
        """
        {"by":["separator",", "],"sources":[{"initial":"x","kind":4,"number":2},{"kind":4,"number":3}],\
        "targets":[{"kind":4,"number":12}]}
        """,
        """
        {"by":["scale",0.5],"sources":[{"initial":"9223372036854775807","kind":2,"number":4}],\
        "targets":[{"kind":3,"number":13}]}
        """,
        """
        {"by":["cases",[["s",1],["l",2]]],"fills":true,"sources":[{"kind":4,"number":5}],\
        "targets":[{"kind":2,"number":14}]}
        """,
      ])
  }

  static let model = Model(
    Feed.schema, Box.schema, Member.schema, Invitation.schema, version: 3, minimumReader: 2)
  static let space = SpaceID(high: 7, low: 7)

  @Test func `a model with the outermost numbers and the library's everyday names is served`()
    async throws
  {
    let folder = "\(NSTemporaryDirectory())/served-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let phone = try Replica(folder: folder + "/phone", model: Self.model)
    defer { #expect(throws: Never.self) { try phone.close() } }
    var membership: Membership?
    // The second start finds what the first one wrote.
    for start in 1...2 {
      try await phone.write(in: Self.space) { transaction in
        try transaction.create(Member.self) { $0.name = "Ada" }
        try transaction.create(Invitation.self) { $0.count = start }
        try transaction.create(Feed.self) { _ in }
      }
      let store = try Store.open(
        folder: folder + "/server",
        model: Model(
          entities: Self.model.entities + Access.entities, version: 3, minimumReader: 2))
      let access = try Access(to: Self.space, in: store)
      let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
      let server = try Server(
        Self.space, in: store, access: access,
        configuration: .init(
          listener: socket, uploadFolder: folder + "/uploads", name: { "Border" }))
      try server.start()
      let known = membership?.token
      let secret = try access.invite(.edit)
      let joined = try await Membership.join(
        link: "http://127.0.0.1:\(socket.port)/#join=\(secret)")
      membership = joined
      let connection = try phone.sync(Self.space, with: joined)
      for await members in try store.live(Query<Member>(in: Self.space)).values()
      where members.count == start {
        break
      }
      #expect(
        try store.fetch(Query<Invitation>(in: Self.space).sorted(by: \.count)).map(\.count)
          == Array(1...start))
      #expect(try store.count(Query<Feed>(in: Self.space)) == start)
      let told = try JSONEncoder().encode(JSONValue.object(server.modelFields()))
      let fields = String(decoding: told, as: UTF8.self)
      #expect(fields.contains(#""element":2"#))
      #expect(fields.contains(#""onDelete":"clear""#) && fields.contains(#""target":7"#))
      #expect(fields.contains(#""version":3"#) && fields.contains(#""minimumReader":2"#))
      #expect(known == nil || access.device(token: known ?? "") != nil)
      connection.disconnect()
      server.stop()
      try store.close()
    }
  }

  @Test func `a model that takes one of the library's numbers or names is refused offline too`()
    throws
  {
    struct Mine: Entity {
      let id: RecordID
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Mine>(16_777_202, "mine", [])
    }
    struct Named: Entity {
      let id: RecordID
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Named>(5, "reunion_member", [])
    }
    let folder = "\(NSTemporaryDirectory())/refused-\(UUID())"
    for model in [Model(Mine.schema), Model(Named.schema)] {
      #expect(throws: StoreError.self) { _ = try Replica(folder: folder, model: model) }
      #expect(!FileManager.default.fileExists(atPath: folder))
    }
  }
}
