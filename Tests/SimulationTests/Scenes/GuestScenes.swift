import ReunionCore
import ReunionStore
import ReunionTesting

/// Scenes of a guest who changes what is not theirs: others must not take it, and the guest must see
/// what they see (guarantees 1 and 11).
enum GuestScenes {
  /// A guest of a server that is connected to another one.
  static let atSecondServer: BugScenes.Play = { bugs in
    let world = Scene.world(bugs: bugs)
    defer { world.remove() }
    let (server, clone) = (try world.makeReplica("server"), try world.makeReplica("clone"))
    let phone = try world.makeReplica("phone")
    try server.write("the host's", in: world)
    _ = world.connect(clone, to: server)
    _ = world.connect(phone, to: clone, .init(role: .add))
    try overwrite(at: phone, in: world)
    try check([server, clone, phone], in: world)
  }

  /// A guest whose push is so large that the server keeps parts of it on its disk.
  static let inLargePush: BugScenes.Play = { bugs in
    let world = Scene.world(bugs: bugs)
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    for _ in 0..<20 { try server.write("the host's", in: world) }
    let connection = world.connect(phone, to: server, .init(role: .add))
    world.run(for: .seconds(10))
    connection.disconnect()
    world.run(for: .seconds(10))
    try overwrite(at: phone, in: world)
    connection.connect()
    world.run(for: .seconds(60))
    try check([server, phone], in: world)
  }

  /// A guest whose link is cut after any message of the server.
  static let cutAnywhere: BugScenes.Play = { bugs in
    for count in 0..<12 {
      let world = Scene.world(bugs: bugs)
      defer { world.remove() }
      let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
      try server.write("the host's", in: world)
      let connection = world.connect(phone, to: server, .init(role: .add))
      world.run(for: .seconds(10))
      connection.cut(afterMessages: count, ofDialler: false)
      try overwrite(at: phone, in: world)
      // A heartbeat, where no other message uses the link up.
      try server.write("the host's", in: world)
      world.run(for: .seconds(120))
      try check([server, phone], in: world)
    }
  }

  /// A guest who deletes a picture before its bytes have come, which is refused (guarantee 13).
  static let deletedBeforeItsBlob: BugScenes.Play = { bugs in
    let world = World(seed: 1, model: Model(Picture.schema), seededBugs: bugs)
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    let connection = world.connect(phone, to: server, .init(role: .view))
    world.run(for: .seconds(10))
    let file = try server.store.blobs.add([UInt8](repeating: 7, count: 4 << 20))
    try server.write { _ = try $0.create(Picture.self) { $0.file = file } }
    var picture: Picture?
    while picture == nil {
      world.run(for: .milliseconds(1))
      picture = try phone.fetch(Query<Picture>(in: world.space)).first
    }
    connection.disconnect()
    guard let picture, try !phone.store.blobs.contains(file.hash) else {
      throw Violation(13, "the bytes came with the record")
    }
    try phone.write { try $0.delete(Picture.self, picture.id) }
    connection.connect()
    world.run(for: .seconds(120))
    guard try phone.fetch(Query<Picture>(in: world.space)).count == 1 else {
      throw Violation(11, "phone does not show what it may not delete")
    }
    guard try phone.store.blobs.contains(file.hash) else {
      throw Violation(13, "phone lacks the bytes of a picture that it could not delete")
    }
  }

  /// The host writes over what a device wrote, and is put back to before it: with what the host wrote the
  /// device lets go its own change, and may not say that the host has it (guarantee 3). The device is a cache
  /// that has been copied to another machine since it wrote; the one that it was copied from brings the
  /// change in the end.
  static let coveredInCache: BugScenes.Play = { bugs in
    let world = Scene.world(bugs: bugs)
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    try server.write("another", in: world)
    let before = server.snapshot()
    try phone.write("the guest's", in: world)
    let site = phone.store.site
    let moved = try world.cloneReplica(phone, as: "moved")
    world.connect(moved, to: server, .init(isLeaf: true))
    world.run(for: .seconds(10))
    let notes = try server.fetch(Query<Scene.Note>(in: world.space))
    guard notes.count == 2 else { throw Violation(13, "server lacks a note") }
    for note in notes {
      try server.write { try $0.set(\Scene.Note.text, of: note.id, to: "the host's") }
    }
    world.run(for: .seconds(10))
    server.restore(before)
    try server.start()
    world.run(for: .seconds(120))
    // What it says that it holds of the device it shows, or what was written over it.
    let shown = try texts(server, world)
    let held = try server.store.vector(of: world.space)[site]
    guard held < 2 || shown.contains("the guest's") || shown.contains("the host's") else {
      throw Violation(3, "server says that it holds what nobody has")
    }
    world.connect(phone, to: server, .init(isLeaf: true))
    world.run(for: .seconds(60))
    guard try texts(server, world).contains("the guest's") else {
      throw Violation(2, "server lacks what phone has")
    }
  }

  private static func texts(_ replica: WorldReplica, _ world: World) throws -> [String] {
    try replica.fetch(Query<Scene.Note>(in: world.space)).map(\.text)
  }

  private struct Picture: Entity {
    let id: RecordID
    var file: BlobReference?

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Picture>(1, "picture", [.field(1, "file", \.file)])
  }

  private static func overwrite(at phone: WorldReplica, in world: World) throws {
    world.run(for: .seconds(10))
    let notes = try phone.store.fetch(Query<Scene.Note>(in: world.space))
    try phone.store.write(in: world.space) { transaction in
      for note in notes { try transaction.set(\Scene.Note.text, of: note.id, to: "the guest's") }
    }
    world.run(for: .seconds(10))
  }

  private static func check(_ replicas: [WorldReplica], in world: World) throws {
    world.run(for: .seconds(60))
    for replica in replicas {
      let notes = try replica.store.fetch(Query<Scene.Note>(in: world.space))
      guard !notes.isEmpty, notes.allSatisfy({ $0.text == "the host's" }) else {
        throw Violation(
          replica.name == "phone" ? 1 : 11, "\(replica.name) shows what the guest may not write")
      }
    }
  }
}
