import ReunionTesting
import TestThreads
import Testing

/// Guests' pushes that are merged a few changes at a time, with messages that come meanwhile, in a
/// hostile world: every promise holds as it does where each is one commit.
@Suite(.onOwnThread) struct SliceTests {
  @Test func `guests' pushes that come in slices keep every promise`() throws {
    var simulation = Notebook.simulation()
    simulation.sliceChanges = 4
    let report = simulation.search(seeds: 1..<100)
    if let failure = report.failure { Issue.record("\(failure)") }
    #expect(report.historyCount == 99)
  }
}
