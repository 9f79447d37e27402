import Reunion
import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// A commit that the disk failed while a store was closed may stand in the log whole, and not be on the disk.
/// The next process must not write on behind it: a power cut would take both (guarantee 5).
@Suite(.onOwnThread) struct FailedCloseTests {
  /// Fails two calls of closing, from one on, writes in another process, and cuts the power: what then opens
  /// shows; nil where closing makes no such call.
  private static func shown(
    failing call: Int, bugs: SeededBugs = []
  ) throws -> Set<String>? {
    let disk = SimulatedDisk(seed: UInt64(call))
    var options = StoreOptions()
    options.disk = disk
    options.seededBugs = bugs
    let space = SpaceID(high: 1, low: 1)
    func open() throws -> Store { try Store.open(folder: "/app", model: model, options: options) }
    func write(_ text: String, to store: Store) throws {
      _ = try store.write(in: space) { try $0.create(Doc.self) { $0.text = text } }
    }
    let first = try open()
    try write("one", to: first)
    let failing = disk.callCount + call
    disk.faults.failingCalls = failing..<failing + 2
    try? first.close()
    let isOver = disk.callCount < failing
    disk.faults = DiskFaults()
    guard !isOver else { return nil }
    let second = try open()
    try write("two", to: second)
    options.disk = disk.afterPowerCut()
    let third = try open()
    return Set(try third.fetch(Query<Doc>(in: space)).map(\.text))
  }

  @Test func `what was written after a close that the disk failed survives a power cut`() throws {
    var call = 1
    while let shown = try Self.shown(failing: call) {
      #expect(shown == ["one", "two"], "call \(call)")
      call += 1
    }
    #expect(call > 5)
  }

  @Test func `a failed commit that is left in the log shows (negative control)`() throws {
    let seen = (1...60).map { call in
      do {
        return try Self.shown(failing: call, bugs: [.failedCommitLeft]) ?? ["one", "two"]
      } catch {
        return []
      }
    }
    #expect(seen.contains { $0 != ["one", "two"] })
  }
}
