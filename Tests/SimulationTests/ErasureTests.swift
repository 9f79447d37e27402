import ReunionStore
import ReunionTesting
import Testing

/// What is erased for good, in a hostile world: gone everywhere in the end, whatever anybody wrote in it
/// meanwhile, and nothing else is.
@Suite struct ErasureTests {
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
}
