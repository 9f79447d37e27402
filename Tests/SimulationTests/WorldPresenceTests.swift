import ReunionTesting
import TestThreads
import Testing

/// What devices show each other in a hostile world: links that are cut, silent and slow, processes that die,
/// machines that are copied and put back (docs/protocol.md 2.22).
@Suite(.onOwnThread) struct WorldPresenceTests {
  private static func simulation(_ change: (inout Simulation) -> Void = { _ in }) -> Simulation {
    var simulation = Notebook.simulation()
    simulation.showsPresence = true
    change(&simulation)
    return simulation
  }

  @Test func `whom a device sees is connected with it, and shows just that`() {
    let seeds = Extent.first..<Extent.first + Extent.seeds
    let report = Self.simulation().search(seeds: seeds, until: Extent.stopwatch(10))
    if let failure = report.failure { Issue.record("\(failure)") }
    print("presence: \(report.historyCount) histories from seed \(Extent.first)")
    #expect(report.historyCount > 0)
  }

  @Test func `what outlives its link is found (negative control)`() throws {
    let simulation = Self.simulation { $0.presenceOutlivesLink = true }
    let failure = try #require(simulation.search(seeds: 1...20).failure)
    #expect(failure.violation.contains("sees"))
  }
}
