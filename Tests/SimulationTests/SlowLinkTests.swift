import Reunion
import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// Much data over a link that is slow: whoever takes it in says now and then that it is there
/// (docs/protocol.md 2.10).
@Suite(.onOwnThread) struct SlowLinkTests {
  /// The states of a dialling that takes in `bytes` of records, second by second, and how many arrived.
  private static func states(
    bytes: Int, over quality: NetworkQuality, _ terms: WorldConnection.Terms,
    seededBugs: SeededBugs = []
  ) throws -> (held: Int, lost: Int) {
    let world = World(seed: 5, model: Model(Scene.Note.schema), seededBugs: seededBugs)
    defer { world.remove() }
    let server = try world.makeReplica("server")
    let phone = try world.makeReplica("phone")
    let text = String(repeating: "long ", count: 200)
    try server.store.write(in: world.space) { transaction in
      for _ in 0..<(bytes / 1000) { try transaction.create(Scene.Note.self) { $0.text = text } }
    }
    let connection = world.connect(phone, to: server, terms)
    connection.setQuality(quality)
    connection.connect()
    var lost = 0
    for _ in 0..<300 {
      world.run(for: .seconds(1))
      if case .waiting = connection.connectionState { lost += 1 }
    }
    return (try phone.store.count(Query<Scene.Note>(in: world.space)), lost)
  }

  @Test(arguments: [false, true], [12_000, 40_000])
  func `a large space comes over a slow link without being cut off`(
    isLeaf: Bool, bytesPerSecond: Int
  ) throws {
    let (held, lost) = try Self.states(
      bytes: 1_000_000,
      // Packets that are short for the rate, or the simulated stream sends again what only waits.
      over: NetworkQuality(packetBytesMax: bytesPerSecond / 40, bytesPerSecond: bytesPerSecond),
      WorldConnection.Terms(isLeaf: isLeaf))
    #expect(held == 1000)
    #expect(lost == 0, "The link was lost while data came.")
  }

  @Test func `a receiver that says nothing is cut off`() throws {
    let (held, lost) = try Self.states(
      bytes: 1_000_000, over: NetworkQuality(packetBytesMax: 1000, bytesPerSecond: 40_000),
      WorldConnection.Terms(), seededBugs: [.pongsNotSent])
    #expect(held == 0)
    #expect(lost > 0)
  }

  /// One value of 400 KB is one message, of which nothing is heard until all of it is there. It goes in
  /// fragments (docs/protocol.md 1.1).
  @Test(arguments: [512, 64 * 1024, 1 << 20])
  func `a large value comes over a slow link, whole or in fragments`(messageBytesMax: Int) throws {
    let world = World(seed: 6, model: Model(Scene.Note.schema))
    defer { world.remove() }
    let server = try world.makeReplica("server")
    let phone = try world.makeReplica("phone")
    let text = String(repeating: "long ", count: 80_000)
    try server.write { try $0.create(Scene.Note.self) { $0.text = text } }
    let connection = world.connect(
      phone, to: server, WorldConnection.Terms(messageBytesMax: max(1024, messageBytesMax)))
    connection.setQuality(NetworkQuality(packetBytesMax: 300, bytesPerSecond: 12_000))
    connection.connect()
    var lost = 0
    for _ in 0..<120 {
      world.run(for: .seconds(1))
      if case .waiting = connection.connectionState { lost += 1 }
    }
    #expect(try phone.fetch(Query<Scene.Note>(in: world.space)).first?.text.count == 400_000)
    #expect(lost == 0)
  }
}
