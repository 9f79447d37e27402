import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// A commit that the disk failed may stand in the log, and a copy of the folder takes it from there: its
/// numbers must name nothing else (guarantee 4).
@Suite(.onOwnThread) struct FailedCommitTests {
  /// What a copy of a folder in which a commit had failed came to.
  private struct Outcome {
    let copyHoldsFailed: Bool
    let areEqual: Bool
  }

  /// Fails one call of a commit, copies the folder, writes on, and has all meet; nil where the commit
  /// makes no such call.
  private static func run(failing call: Int, bugs: SeededBugs = []) throws -> Outcome? {
    let world = World(seed: 1, model: model, seededBugs: bugs)
    defer { world.remove() }
    let server = try world.makeReplica("server")
    let laptop = try world.makeReplica("laptop")
    let link = world.connect(laptop, to: server)
    try laptop.write { _ = try $0.create(Doc.self) { $0.text = "before" } }
    world.run(for: .seconds(10))
    link.disconnect()
    let failing = laptop.disk.callCount + call
    // All that follow fail too: otherwise the commit is cut out of the log (`FailedCloseTests`).
    laptop.disk.faults.failingCalls = failing..<Int.max
    let isWritten =
      (try? laptop.write { _ = try $0.create(Doc.self) { $0.text = "failed" } }) != nil
    laptop.disk.faults.failingCalls = nil
    if isWritten { return nil }
    let copy = try world.cloneReplica(laptop, as: "copy")
    try laptop.write { _ = try $0.create(Doc.self) { $0.text = "after" } }
    let copyHoldsFailed = try texts(of: copy, in: world).contains("failed")
    link.connect()
    world.connect(copy, to: server)
    world.run(for: .seconds(60))
    let held = try [server, laptop, copy].map { try texts(of: $0, in: world) }
    return Outcome(
      copyHoldsFailed: copyHoldsFailed,
      areEqual: Set(held).count == 1 && held[0].isSuperset(of: ["before", "after"])
        && held[0].contains("failed") == copyHoldsFailed)
  }

  private static func texts(of replica: WorldReplica, in world: World) throws -> Set<String> {
    Set(try replica.fetch(Query<Doc>(in: world.space)).map(\.text))
  }

  @Test func `a copy made after a commit that failed and its original stay equal`() throws {
    var (copiesWithFailed, caught) = (0, 0)
    var call = 1
    while let outcome = try Self.run(failing: call) {
      #expect(outcome.areEqual, "call \(call)")
      copiesWithFailed += outcome.copyHoldsFailed ? 1 : 0
      let seeded = try #require(try Self.run(failing: call, bugs: [.failedNumbersGivenAgain]))
      caught += seeded.areEqual ? 0 : 1
      call += 1
    }
    // The dangerous call is among them, and the negative control shows there.
    #expect(copiesWithFailed > 0)
    #expect(caught > 0)
  }
}
