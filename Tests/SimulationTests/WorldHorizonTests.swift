import ReunionCore
import ReunionStore
import ReunionSync
import ReunionTesting
import TestThreads
import Testing

/// What was deleted goes for good, in a hostile world (docs/protocol.md 2.25).
@Suite(.onOwnThread) struct WorldHorizonTests {
  private static func simulation(_ bugs: SeededBugs = []) -> Simulation {
    var simulation = Notebook.simulation(seededBugs: bugs)
    simulation.raisesHorizon = true
    return simulation
  }

  @Test func `no promise is broken where deletes go sooner than any server lets them`() {
    let seeds = Extent.first..<Extent.first + Extent.seeds
    let report = Self.simulation().search(seeds: seeds, until: Extent.stopwatch(10))
    if let failure = report.failure { Issue.record("\(failure)") }
    print("horizons: \(report.historyCount) histories from seed \(Extent.first)")
    #expect(report.historyCount > 0)
  }

  /// Histories that broke a promise once.
  @Test(arguments: [
    1010, 1051, 1098, 1169, 1319, 1379, 1536, 1590, 300_300_838, 300_300_847, 300_301_303,
    700_700_884, 700_701_497, 620_620_197, 620_620_295, 620_620_377, 620_620_708, 620_621_832,
    720_722_098, 720_722_652, 720_723_290, 720_723_434, 720_724_899,
    21, 500_000_116, 720_724_469, 830_000_090, 850_000_504,
    850_000_888, 851_001_520,
  ])
  func `what failed once does not fail again`(seed: UInt64) throws {
    let simulation = Self.simulation()
    try simulation.run(simulation.history(seed: seed))
  }

  @Test(
    arguments: [
      (.oldNotNoticed, 1033), (.absentStays, 1033), (.unsentGoes, 1004), (.cameBackInPart, 1077),
      (.sessionGoesOnBelow, 1083), (.newcomerUnaware, 720_723_434),
    ] as [(SeededBug, UInt64)])
  func `each bug is found (negative control)`(bug: SeededBug, seed: UInt64) {
    // Where a history has changed since, one soon after it.
    let report = Self.simulation([bug]).search(seeds: seed...seed + 60)
    #expect(report.failure != nil)
  }
}
