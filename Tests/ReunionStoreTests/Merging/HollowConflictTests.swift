import ReunionCore
import Testing

@testable import ReunionStore

/// What a leaf overwrites of a deleted record, of which it has no values (decisions 3 and 30).
@Suite struct HollowConflictTests {
  let folders = [Folder(), Folder()]
  private let all = Conversation.Reading(after: 0)

  /// A server and a leaf of it.
  private func pair() throws -> (server: Store, leaf: Store) {
    (try folders[0].open(), try folders[1].open())
  }

  /// The leaf takes all that the server holds, as it is given to leaves.
  private func fill(_ leaf: Store, from server: Store) throws {
    let changes = try server.window(
      in: space, all, toLeaf: leaf.site.device, bytesMax: 1 << 20
    ).changes
    try leaf.take(changes, try server.vector(of: space), from: server.site)
  }

  /// The server takes what the leaf's device wrote; `told` is what it says that it holds.
  private func push(_ leaf: Store, to server: Store, told: VersionVector? = nil) throws {
    let changes = try leaf.window(
      in: space, all, ofDevice: leaf.site.device, bytesMax: 1 << 20
    ).changes
    let vector = try told ?? leaf.vector(of: space)
    var raised = VersionVector()
    raised.raise(leaf.site, to: try leaf.vector(of: space)[leaf.site])
    _ = try server.apply(
      IncomingPush(
        peer: leaf.site, isLeaf: true, helloSeq: raised[leaf.site], changes: changes,
        raised: raised, vector: vector, position: []),
      in: space, authority: .all)
  }

  private func kept(_ server: Store) throws -> [String?] {
    try server.conflicts(in: space).map(\.lost.text)
  }

  @Test(arguments: [1, 2])
  func `what a leaf never saw is kept, in however many writes it came back`(
    writeCount: Int
  ) throws {
    let (server, leaf) = try pair()
    let photo = try server.write(in: space) { try $0.create(Photo.self) { $0.caption = "a lake" } }
    try server.write(in: space) { try $0.delete(Photo.self, photo.id) }
    try fill(leaf, from: server)
    for number in 0..<writeCount {
      try leaf.write(in: space) { try $0.set(\Photo.caption, of: photo.id, to: "mine \(number)") }
    }
    try push(leaf, to: server)
    #expect(try server.fetch(Photo.self, photo.id, in: space)?.caption == "mine \(writeCount - 1)")
    #expect(try kept(server) == ["a lake"])
  }

  @Test func `nor does it see it where somebody brought the record back meanwhile`() throws {
    let (server, leaf) = try pair()
    let photo = try server.write(in: space) { try $0.create(Photo.self) { $0.caption = "a lake" } }
    try server.write(in: space) { try $0.delete(Photo.self, photo.id) }
    try fill(leaf, from: server)
    try server.write(in: space) { try $0.set(\Photo.width, of: photo.id, to: 5) }
    for text in ["mine", "mine too"] {
      try leaf.write(in: space) { try $0.set(\Photo.caption, of: photo.id, to: text) }
    }
    try push(leaf, to: server)
    #expect(try kept(server) == ["a lake"])
  }

  @Test func `what it saw before the record was deleted is no conflict`() throws {
    let (server, leaf) = try pair()
    let photo = try server.write(in: space) { try $0.create(Photo.self) { $0.caption = "a lake" } }
    try fill(leaf, from: server)
    let told = try leaf.vector(of: space)
    for text in ["mine", "mine too"] {
      try leaf.write(in: space) { try $0.set(\Photo.caption, of: photo.id, to: text) }
    }
    try server.write(in: space) { try $0.delete(Photo.self, photo.id) }
    try push(leaf, to: server, told: told)
    #expect(try server.fetch(Photo.self, photo.id, in: space)?.caption == "mine too")
    #expect(try kept(server).isEmpty)
  }
}
