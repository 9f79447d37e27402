import Foundation
import Reunion
import ReunionCore
import ReunionStore
import ReunionSync
import Testing

@testable import ReunionNearby

/// Random histories: whatever happens, two replicas end up equal.
@Suite struct WalkTests {
  static let isFull = ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full"

  /// A slice, or all where `REUNION_FAULTS=full`; `REUNION_BLUETOOTH_SEED` runs one, and
  /// `REUNION_BLUETOOTH_LAST` those from there to it.
  static let seeds: ClosedRange<UInt64> = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["REUNION_BLUETOOTH_SEED"].flatMap(UInt64.init) {
      let last = environment["REUNION_BLUETOOTH_LAST"].flatMap(UInt64.init) ?? seed
      return seed...max(seed, last)
    }
    return isFull ? 1...2000 : 1...12
  }()

  @Test func `whatever happens to two replicas over Bluetooth, they end up equal`() throws {
    var total = Walk.Outcome()
    for seed in Self.seeds {
      let outcome = try Walk(seed: seed).run()
      #expect(
        outcome.violations.isEmpty,
        "seed \(seed): \(outcome.violations.joined(separator: " ")) REUNION_BLUETOOTH_SEED=\(seed)")
      total.writes += outcome.writes
      total.cuts += outcome.cuts
      total.kills += outcome.kills
      total.days += outcome.days
    }
    print(
      """
      faults: bluetooth sync, \(Self.seeds.count) seeds from \(Self.seeds.lowerBound): \
      \(total.writes) writes, \(total.cuts) cuts, \(total.kills) kills, \(total.days) days apart
      """)
  }

  @Test(arguments: [
    SeededBug.vectorRisesPastHole, .commitNotNoticed, .deletedNotSent,
  ])
  func `a walk finds a bug of the store`(bug: SeededBug) throws {
    let seed = try (1...200 as ClosedRange<UInt64>).first {
      try !Walk(seed: $0, storeBugs: [bug]).run().violations.isEmpty
    }
    #expect(seed != nil, "\(bug)")
    print("seeded bugs: bluetooth sync, \(bug) by seed \(seed ?? 0)")
  }
}
