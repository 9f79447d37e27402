import NodeBrowsers
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// What is erased for good, in a hostile world: gone everywhere in the end, whatever anybody wrote in it
/// meanwhile, and nothing else is.
@Suite(.onOwnThread) struct ErasureTests {
  @Test func `records that are erased are gone everywhere, and nothing else is`() throws {
    let report = Notebook.simulation(erases: true).search(seeds: 1..<80)
    if let failure = report.failure { Issue.record("\(failure)") }
    #expect(report.historyCount == 79)
  }

  @Test func `what is taken again of the erased is found (negative control)`() throws {
    let bugged = Notebook.simulation(seededBugs: [.erasedTakenAgain], erases: true)
    let report = bugged.search(seeds: 1..<80)
    #expect(report.failure != nil)
  }

  @Test(.enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
  func `browsers let go what is erased, and one that does not is found (negative control)`()
    throws
  {
    let pipe = try NodeBrowsers()
    var caught = 0
    for seed in 1..<25 as Range<UInt64> {
      var simulation = BrowserSimulation(seed: seed, pipe: pipe, erases: true)
      let history = simulation.history(seed: seed)
      try simulation.run(history)
      guard caught == 0 else { continue }
      simulation.bug = "what is erased for good stays"
      if BrowserTests.error({ try simulation.run(history) }) != nil { caught += 1 }
    }
    #expect(caught == 1)
  }
}
