import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// Devices of four versions of an app that get newer ones at any moment (guarantee 9).
@Suite(.onOwnThread) struct MixedVersionTests {
  @Test func `devices that upgrade at random moments end as if they had upgraded first`() {
    let simulation = Logbook.simulation()
    let report = simulation.search(
      seeds: Extent.first..<Extent.first + Extent.seeds, until: Extent.stopwatch(Extent.seconds / 9)
    )
    if let failure = report.failure {
      Issue.record("\(failure)\nreplay: \(failure.command) UPGRADES=yes")
    }
    print(
      "versions: \(report.historyCount) histories, \(report.writeCount) writes, "
        + "\(report.failure == nil ? 0 : 1) broken promises")
    #expect(report.historyCount > 0)
  }

  @Test(arguments: [SeededBug.unknownEntitiesDropped, .deletesIgnored, .stampNotRaised])
  func `what an older version loses or overrides is found (negative control)`(bug: SeededBug) {
    let simulation = Logbook.simulation(seededBugs: [bug])
    #expect(simulation.search(seeds: 1...60).failure != nil)
  }
}
