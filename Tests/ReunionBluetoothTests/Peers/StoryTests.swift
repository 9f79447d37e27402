import Foundation
import Testing

@testable import ReunionBluetooth

/// Random histories: nothing is lost, nothing comes twice, nothing comes out of order.
@Suite struct StoryTests {
  /// A slice, or all where `REUNION_FAULTS=full`; `REUNION_BLUETOOTH_SEED` runs one, and
  /// `REUNION_BLUETOOTH_LAST` those from there to it.
  static let seeds: ClosedRange<UInt64> = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["REUNION_BLUETOOTH_SEED"].flatMap(UInt64.init) {
      let last = environment["REUNION_BLUETOOTH_LAST"].flatMap(UInt64.init) ?? seed
      return seed...max(seed, last)
    }
    return environment["REUNION_FAULTS"] == "full" ? 1...10_000 : 1...300
  }()

  @Test func `whatever happens to two devices, messages are whole, in order, and there once`()
    throws
  {
    var (sent, cuts, kills, values) = (0, 0, 0, 0)
    for seed in Self.seeds {
      let outcome = try Story(seed: seed).run()
      #expect(
        outcome.violations.isEmpty,
        "seed \(seed): \(outcome.violations.joined(separator: " ")) REUNION_BLUETOOTH_SEED=\(seed)")
      sent += outcome.sentCount
      cuts += outcome.cutCount
      kills += outcome.killCount
      values += outcome.valueCount
    }
    print(
      """
      faults: bluetooth, \(Self.seeds.count) seeds from \(Self.seeds.lowerBound): \(sent) messages, \
      \(cuts) cuts, \(kills) kills, \(values) values
      """)
  }

  @Test func `the same with disks that fail now and then`() throws {
    var failures = 0
    for seed in Self.seeds.prefix(Self.seeds.count > 300 ? 2000 : 100) {
      let outcome = try Story(seed: seed, diskFailureChance: 0.1).run()
      #expect(
        outcome.violations.isEmpty, "seed \(seed): \(outcome.violations.joined(separator: " "))")
      failures += outcome.diskFailureCount
    }
    #expect(failures > 0)
    print("faults: bluetooth, \(failures) failures of a disk")
  }
}
