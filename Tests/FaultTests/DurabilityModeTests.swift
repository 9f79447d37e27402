import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

@testable import ReunionStore

/// A log is judged by the mode that wrote it, not by that of who opens it (guarantee 5).
@Suite(.onOwnThread) struct DurabilityModeTests {
  struct Outcome {
    var cuts = 0
    /// Logs that a power cut left with whole frames behind broken ones.
    var torn = 0
  }

  /// A store whose records are numbered, from 1 on.
  private struct Numbered {
    let store: Store

    init(
      _ disk: SimulatedDisk, _ mode: StoreOptions.Durability, seed: UInt64,
      bugs: SeededBugs = []
    ) throws {
      var options = Story.options(disk, seed: seed, bugs: bugs)
      // So that the log keeps what is written.
      options.checkpointPages = 1000
      options.durability = mode
      store = try Store.open(folder: Story.folder, model: model, options: options)
    }

    func write(_ numbers: ClosedRange<Int>) throws {
      for number in numbers {
        try store.write(in: space) { transaction in
          try transaction.create(Doc.self) {
            $0.number = number
            $0.text = String(repeating: "\(number) ", count: 200)
          }
        }
      }
    }

    /// How many records it holds. It throws unless they are the first ones, without a gap.
    func count() throws -> Int {
      let numbers = try store.fetch(Query<Doc>(in: space)).map(\.number).sorted()
      guard numbers == Array(1..<numbers.count + 1) else { throw Loss("it holds \(numbers)") }
      return numbers.count
    }
  }

  /// Writes under FULL, then under NORMAL, with power cuts after which it is opened under FULL.
  private static func run(seed: UInt64, bugs: SeededBugs = []) throws -> Outcome {
    let disk = SimulatedDisk(seed: seed)
    let first = try Numbered(disk, .full, seed: seed)
    try first.write(1...5)
    if seed % 2 == 0 { try first.store.close() }
    let work = seed % 2 == 0 ? disk : disk.copy()
    let left = Lock<[SimulatedDisk]>([])
    let luck = SharedRandom(seed: seed)
    let second = try Numbered(work, .normal, seed: seed &+ 1)
    let log = Story.folder + "/store.sqlite-wal"
    work.observeChanges { [work] _ in
      guard luck.draw({ $0.happens(0.1) }) else { return }
      let (cut, torn) = (work.afterPowerCut(), work.copy())
      // A cut in which all was written but one sector of the log, whose header alone is synced.
      let bits = (try? torn.byteCount(log)).map { $0 * 8 } ?? 0
      if bits > 32 * 8 {
        torn.flipBit(luck.draw { UInt64.random(in: 32 * 8..<bits, using: &$0) }, of: log)
      }
      left.withLock { $0 += [cut, torn] }
    }
    try second.write(6...25)
    work.observeChanges(nil)
    var outcome = Outcome()
    for cut in left.withLock({ $0 }) {
      outcome.cuts += 1
      if try !LogCheck.isWhole(log, on: cut) { outcome.torn += 1 }
      guard try Verification(folder: Story.folder, on: cut).isSound else {
        throw Loss("seed \(seed): a verification calls it damaged")
      }
      let third = try Numbered(cut, .full, seed: seed &+ 2, bugs: bugs)
      let count = try third.count()
      guard count >= 5 else { throw Loss("seed \(seed): \(count) of the 5 that were synced") }
      // Under FULL again, nothing is lost any more.
      try third.write(count + 1...count + 5)
      let fourth = try Numbered(cut.afterPowerCut(), .full, seed: seed &+ 3)
      guard try fourth.count() == count + 5 else { throw Loss("seed \(seed): it lost synced ones") }
    }
    return outcome
  }

  @Test func `a log that was written under NORMAL and torn is no damage, whoever opens it`() {
    var (cuts, torn) = (0, 0)
    for seed in Extent.seed.map({ $0...$0 }) ?? 1...(Extent.isFull ? 60 : 8) {
      do {
        let outcome = try Self.run(seed: seed)
        cuts += outcome.cuts
        torn += outcome.torn
      } catch {
        Issue.record("\(error); \(Extent.command(seed, "DurabilityModeTests"))")
        return
      }
    }
    #expect(torn > 0 || Extent.seed != nil)
    print(
      "faults: \(cuts) power cuts under NORMAL, opened under FULL: \(torn) logs torn, 0 damaged")
  }

  @Test func `a log that is judged by who opens it is called damaged (negative control)`() {
    let error = #expect(throws: StoreError.self) {
      for seed in UInt64(1)...8 { _ = try Self.run(seed: seed, bugs: [.logModeNotKept]) }
    }
    #expect(error?.code == .damaged)
  }

  @Test
  func `a flip in a log that was written under FULL is damage, also where it is opened NORMAL`()
    throws
  {
    let disk = SimulatedDisk(seed: 3)
    let normal = try Numbered(disk, .normal, seed: 1)
    try normal.write(1...5)
    // As a kill leaves it; then the store goes on under FULL, and is killed again.
    let next = disk.copy()
    let full = try Numbered(next, .full, seed: 2)
    try full.write(6...15)
    let killed = next.copy()
    let log = Story.folder + "/store.sqlite-wal"
    let byteCount = try #require(try killed.byteCount(log))
    var told = 0
    let bits = stride(from: UInt64(32 + 40), to: byteCount / 2, by: 1111)
    for bit in bits {
      let damaged = killed.copy()
      damaged.flipBit(bit * 8 + 3, of: log)
      let error = #expect(throws: StoreError.self) {
        _ = try Numbered(damaged, .normal, seed: 3)
      }
      if error?.code == .damaged { told += 1 }
    }
    #expect(told == Array(bits).count)
    #expect(try Numbered(killed, .normal, seed: 3).count() == 15)
  }

  @Test func `where a reader needs the log, the mode stays, and every commit is synced`() throws {
    let disk = SimulatedDisk(seed: 4)
    let full = try Numbered(disk, .full, seed: 1)
    try full.write(1...5)
    let next = disk.copy()
    let reader = try DatabaseConnection(
      path: Story.folder + "/store.sqlite", on: next, readOnly: true)
    try reader.keepLogOnClose(true)
    try reader.execute("BEGIN; PRAGMA busy_timeout = 0")
    _ = try reader.number("SELECT count(*) FROM reunion_space")
    let normal = try Numbered(next, .normal, seed: 2)
    try normal.write(6...15)
    let cut = next.afterPowerCut()
    #expect(try Numbered(cut, .full, seed: 3).count() == 15)
    reader.close()
  }
}
