import ReunionCore
import ReunionSync
import ReunionTesting
import TestThreads
import Testing

/// Newcomers that take blocks, in a hostile world (docs/protocol.md 2.24).
@Suite(.onOwnThread) struct WorldBlockTests {
  private static func simulation(_ change: (inout Simulation) -> Void = { _ in }) -> Simulation {
    var simulation = Notebook.simulation()
    simulation.sendsBlocks = true
    change(&simulation)
    return simulation
  }

  @Test func `no promise is broken where newcomers take blocks`() {
    let seeds = Extent.first..<Extent.first + Extent.seeds
    let report = Self.simulation().search(seeds: seeds, until: Extent.stopwatch(10))
    if let failure = report.failure { Issue.record("\(failure)") }
    print("blocks: \(report.historyCount) histories from seed \(Extent.first)")
    #expect(report.historyCount > 0)
  }

  @Test func `a block that counts as newer than it is is found (negative control)`() {
    let simulation = Self.simulation { $0.seededBugs = [.blockOlderThanPosition] }
    #expect(simulation.search(seeds: 1...60).failure != nil)
  }
}
