import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// A device that took a refused change back, and said so, does not keep it after a power cut, in either mode
/// (guarantees 1 and 5): its position shows what the cut took, and it is told once more.
@Suite(.onOwnThread) struct RefusalDurabilityTests {
  /// What a guest shows, after a power cut, of a record that it may not change.
  private static func shown(
    seed: UInt64, _ mode: StoreOptions.Durability, bugs: SeededBugs = []
  ) throws -> String? {
    let world = World(seed: seed, model: model, seededBugs: bugs)
    defer { world.remove() }
    let server = try world.makeReplica("server")
    let guest = try world.makeReplica("guest", options: .init(durability: mode))
    let link = world.connect(guest, to: server, .init(role: .add))
    try server.write { _ = try $0.create(Doc.self) { $0.text = "allowed" } }
    world.run(for: .seconds(10))
    var doc = try #require(try guest.fetch(Query<Doc>(in: world.space)).first)
    doc.text = "refused"
    // The change is on the disk, and what takes it back may not be.
    link.disconnect()
    try guest.write { try $0.update(doc) }
    try guest.close()
    try guest.start()
    link.connect()
    while try guest.fetch(Query<Doc>(in: world.space)).first?.text == "refused" {
      world.run(for: .milliseconds(10))
    }
    world.run(for: .milliseconds(500))
    guest.cutPower()
    try guest.start()
    world.run(for: .seconds(60))
    return try guest.fetch(Query<Doc>(in: world.space)).first?.text
  }

  @Test(arguments: [StoreOptions.Durability.full, .normal])
  func `what was taken back stays so`(mode: StoreOptions.Durability) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      #expect(try Self.shown(seed: seed, mode) == "allowed", "seed \(seed)")
    }
  }

  @Test func `that it is answered without the position shows`() throws {
    let shown = try (1...20 as ClosedRange<UInt64>).map {
      try Self.shown(seed: $0, .normal, bugs: [.answerWithoutPosition])
    }
    #expect(shown.contains("refused"))
  }
}
