import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// Errors of the disk at any call, and a disk that is full (guarantee 5).
@Suite(.onOwnThread) struct DiskErrorTests {
  /// What errors are made of in a story.
  enum Errors {
    /// `count` calls in a row, from a number on.
    case calls(Int, count: Int)
    /// A disk that has room for this many bytes and no more, until the end.
    case capacity(UInt64)
  }

  /// What a story with errors came to.
  struct Outcome {
    var calls = 0
    var errors = 0
  }

  private static let codes: Set<StoreError.Code> = [
    .ioFailed, .diskFull, .notWritable, .damaged, .blobMissing, .notFound, .inUse, .closed,
  ]

  /// Runs a story with errors; throws the first broken promise.
  static func run(seed: UInt64, _ errors: Errors?, bugs: SeededBugs = []) throws -> Outcome {
    let story = Story(seed: seed, bugs: bugs)
    let disk = story.disk
    var outcome = Outcome()
    switch errors {
    case .calls(let number, let count)?: disk.faults.failingCalls = number..<number + count
    case .capacity(let byteCount)?: disk.faults.capacityBytes = byteCount
    case nil: break
    }
    for _ in 0..<30 {
      do {
        try story.step()
      } catch let error as StoreError {
        outcome.errors += 1
        guard codes.contains(error.code) else { throw Loss("an error without a kind: \(error)") }
        // What became of it is asked where the disk answers again.
        let faults = disk.faults
        disk.faults = DiskFaults()
        outcome.calls -= disk.callCount
        try story.settle()
        outcome.calls += disk.callCount
        disk.faults = faults
        if case .calls = errors { disk.faults.failingCalls = nil }
      }
    }
    outcome.calls += disk.callCount
    disk.faults = DiskFaults()
    try story.step()
    try story.settle()
    // A power cut now takes nothing of it.
    for _ in 0..<3 {
      try Aftermath(story, call: disk.callCount, on: disk.afterPowerCut()).check()
    }
    try story.close()
    try story.open()
    try story.settle()
    return outcome
  }

  @Test func `an error of the disk at any call is told, and costs nothing that was acknowledged`()
    throws
  {
    let seeds: ClosedRange<UInt64> = Extent.seed.map { $0...$0 } ?? 1...(Extent.isFull ? 2 : 1)
    var (runs, errors) = (0, 0)
    for seed in seeds {
      let calls = try Self.run(seed: seed, nil).calls
      let stride = Extent.isFull ? 1 : max(1, calls / 100)
      for number in Swift.stride(from: 1, through: calls, by: stride) {
        do {
          errors += try Self.run(seed: seed, .calls(number, count: number % 5 == 0 ? 7 : 1)).errors
          runs += 1
        } catch {
          Issue.record("call \(number): \(error); \(Extent.command(seed, "DiskErrorTests"))")
          return
        }
      }
    }
    print("faults: errors at \(runs) calls: \(errors) told, 0 acknowledged writes lost")
  }

  @Test func `a full disk costs nothing that was acknowledged, and the store goes on`() throws {
    let count: UInt64 = Extent.isFull ? 500 : 30
    let seeds: ClosedRange<UInt64> = Extent.seed.map { $0...$0 } ?? 1...count
    var errors = 0
    for seed in seeds {
      do {
        errors += try Self.run(seed: seed, .capacity(20_000 + seed * 7919 % 300_000)).errors
      } catch {
        Issue.record("\(error); \(Extent.command(seed, "DiskErrorTests"))")
        return
      }
    }
    print("faults: \(seeds.count) full disks: \(errors) errors told, 0 acknowledged writes lost")
  }
}
