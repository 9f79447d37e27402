import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

@testable import ReunionStore

/// A power cut or an error of the disk at any step of a rollback leaves the upgraded store or the one of
/// before, each with all that was written since (guarantees 5 and 7).
@Suite(.onOwnThread) struct RollbackCutTests {
  /// A store on a simulated disk whose upgrade is about to be taken back.
  private struct Upgraded {
    let disk: SimulatedDisk
    let old: Model
    let new: Model
    let writer: UpgradeWriter
    let blobs: [BlobHash]

    /// Of a seed; nil where no upgrade of it touches rows.
    init?(seed: UInt64) throws {
      disk = SimulatedDisk(seed: seed)
      var random = SeededRandom(seed: seed)
      let chain = UpgradeChain(versions: 8, &random)
      var writer = UpgradeWriter(seed: seed)
      var store = try Self.open(disk, chain.models[0], seed)
      let references = try [3_000, 20_000].map { count in
        try store.blobs.add([UInt8](repeating: UInt8(seed & 255), count: count))
      }
      blobs = references.map(\.hash)
      try writer.write(60, into: store, naming: references.map { .blob($0) })
      // The versions before the first one that touches rows, which is the one to be taken back.
      var (old, new): (Model, Model?) = (chain.models[0], nil)
      for model in chain.models.dropFirst() where new == nil {
        try store.close()
        store = try Self.open(disk, model, seed &+ 1)
        if store.upgradeReport?.isGuarded == true { new = model } else { old = model }
      }
      try writer.write(20, into: store, naming: [])
      try store.close()
      guard let new else { return nil }
      (self.old, self.new, self.writer) = (old, new, writer)
    }

    static func open(_ disk: SimulatedDisk, _ model: Model, _ seed: UInt64) throws -> Store {
      try Store.open(
        folder: Story.folder, model: model, options: Story.options(disk, seed: seed))
    }

    /// Throws unless both versions of the app go on with a store, and nothing of it is lost.
    func check(_ disk: SimulatedDisk, _ moment: String) throws {
      for (model, disk) in [(old, disk.copy()), (new, disk)] {
        var writer = writer
        let store = try Self.open(disk, model, 77)
        try writer.check(store, moment)
        for blob in blobs where try store.blobs.read(blob, count: 1).isEmpty {
          throw Loss("\(moment): a blob is gone")
        }
        try writer.write(3, into: store, naming: [])
        try writer.check(store, moment)
        try store.close()
        guard try Verification(folder: Story.folder, on: disk).isSound else {
          throw Loss("\(moment): it is not sound")
        }
      }
    }

    /// Whether a disk's store has the layout of the upgraded one.
    func isUpgraded(_ disk: SimulatedDisk) throws -> Bool {
      try Store.plan(
        folder: Story.folder, model: new, options: Story.options(disk, seed: 5)
      ).steps.isEmpty
    }
  }

  /// Rolls back with power cuts at every change of the disk.
  ///
  /// - Returns: how many cuts there were, and how many of them left the upgraded store; nil where the seed
  ///   has nothing to take back.
  private static func run(
    seed: UInt64, bugs: SeededBugs = []
  ) throws -> (cuts: Int, upgraded: Int)? {
    guard let before = try Upgraded(seed: seed) else { return nil }
    let left = Lock<[SimulatedDisk]>([])
    before.disk.observeChanges { [disk = before.disk] _ in
      let cut = disk.afterPowerCut()
      left.withLock { $0.append(cut) }
    }
    _ = try UpgradeRollback.run(Story.folder, on: BuggyDisk.over(before.disk, bugs))
    before.disk.observeChanges(nil)
    let all = left.withLock { $0 } + [before.disk.afterPowerCut()]
    var upgraded = 0
    for (number, disk) in all.enumerated() {
      let moment = "seed \(seed), cut \(number) of \(all.count)"
      if try before.isUpgraded(disk.copy()) { upgraded += 1 }
      try before.check(disk, moment)
    }
    guard try !before.isUpgraded(before.disk.afterPowerCut()) else {
      throw Loss("seed \(seed): the rollback was told, and is not there")
    }
    return (all.count, upgraded)
  }

  @Test func `a power cut at any step of a rollback leaves one of the two stores`() {
    let seeds: ClosedRange<UInt64> =
      Extent.seed.map { $0...$0 } ?? 1...(Extent.isFull ? 50 : 4)
    var (cuts, upgraded, rollbacks) = (0, 0, 0)
    for seed in seeds {
      do {
        guard let found = try Self.run(seed: seed) else { continue }
        cuts += found.cuts
        upgraded += found.upgraded
        rollbacks += 1
      } catch {
        Issue.record("seed \(seed): \(error); \(Extent.command(seed, "RollbackCutTests"))")
        return
      }
    }
    print(
      """
      faults: \(cuts) power cuts at every step of \(rollbacks) rollbacks: \(upgraded) left the upgraded \
      store, \(cuts - upgraded) the earlier one, 0 anything else
      """)
    #expect(upgraded > 0 && upgraded < cuts)
  }

  @Test(arguments: [SeededBug.databaseNotSynced, .folderNamesNotSynced])
  func `a rollback that is not safe from power cuts: its seeded bug is found`(bug: SeededBug) {
    var caught: (any Error)?
    for seed in 1...20 as ClosedRange<UInt64> where caught == nil {
      do { _ = try Self.run(seed: seed, bugs: [bug]) } catch { caught = error }
    }
    #expect(caught != nil)
    print("caught \(bug): \(caught.map { "\($0)" } ?? "nothing")")
  }

  @Test func `an error of the disk at any call leaves a store that can be rolled back later`()
    throws
  {
    var failures = 0
    for seed in 1...(Extent.isFull ? 10 : 2) as ClosedRange<UInt64> {
      guard let before = try Upgraded(seed: seed) else { continue }
      for number in Swift.stride(from: 1, to: Int.max, by: Extent.isFull ? 1 : 11) {
        let disk = before.disk.copy()
        let first = disk.callCount + number
        disk.faults.failingCalls = first..<(first + 1)
        let report = try? UpgradeRollback.run(Story.folder, on: disk)
        disk.faults.failingCalls = nil
        let isOver = disk.callCount < first
        if report == nil {
          failures += 1
          if try before.isUpgraded(disk.copy()) {
            _ = try UpgradeRollback.run(Story.folder, on: disk)
          }
        }
        try before.check(disk, "seed \(seed), call \(number)")
        if isOver { break }
      }
    }
    print("faults: \(failures) rollbacks that a failing disk broke off: 0 lost")
    #expect(failures > 5)
  }
}
