import Reunion
import ReunionCore
import ReunionTesting
import TestThreads
import Testing

/// What devices are told of where their changes are, in a hostile world (docs/protocol.md 2.23).
@Suite(.onOwnThread) struct WorldStandingTests {
  private static func simulation(_ change: (inout Simulation) -> Void = { _ in }) -> Simulation {
    var simulation = Notebook.simulation()
    simulation.tellsStanding = true
    change(&simulation)
    return simulation
  }

  @Test func `whoever is said to have a change has it on its disk`() {
    let seeds = Extent.first..<Extent.first + Extent.seeds
    let report = Self.simulation().search(seeds: seeds, until: Extent.stopwatch(10))
    if let failure = report.failure { Issue.record("\(failure)") }
    print("standing: \(report.historyCount) histories from seed \(Extent.first)")
    #expect(report.historyCount > 0)
  }

  @Test func `what is told before the other's disk is found (negative control)`() throws {
    let simulation = Self.simulation { $0.seededBugs = [.reachToldBeforeDisk] }
    let failure = try #require(simulation.search(seeds: 1...20).failure)
    #expect(failure.violation.contains("is told that"))
  }

  @Test func `that nobody is ever told is found (negative control)`() throws {
    let simulation = Self.simulation {
      $0.standingIsDeaf = true
      $0.hazards = $0.hazards.subtracting([.restores, .serverRestores, .normalDurability])
    }
    let failure = try #require(simulation.search(seeds: 1...20).failure)
    #expect(failure.violation.contains("is not told that"))
  }
}
