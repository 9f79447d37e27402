import NodeBrowsers
import ReunionTesting
import TestThreads
import Testing

/// Pages of a world in which what was deleted goes, sooner than any server lets it (docs/protocol.md 2.25).
@Suite(.onOwnThread, .enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct BrowserHorizonTests {
  private static func simulation(
    _ seed: UInt64, _ pipe: NodeBrowsers, bug: String? = nil
  ) -> BrowserSimulation {
    var simulation = BrowserSimulation(seed: seed, pipe: pipe)
    simulation.raisesHorizon = true
    simulation.bug = bug
    return simulation
  }

  @Test func `pages keep every promise where deletes go`() throws {
    let pipe = try NodeBrowsers()
    let count = BrowserTests.count / 2
    for seed in Extent.first..<Extent.first + count {
      let simulation = Self.simulation(seed, pipe)
      let history = simulation.history(seed: seed)
      do {
        try simulation.run(history)
      } catch {
        Issue.record("with horizons: \(simulation.failure(history, "\(error)"))")
        break
      }
    }
    print("browsers, with horizons: \(count) histories from seed \(Extent.first)")
  }

  /// Histories that broke a promise once.
  @Test(arguments: [12, 97, 99, 1056, 1076] as [UInt64])
  func `what failed once does not fail again`(seed: UInt64) throws {
    let simulation = Self.simulation(seed, try NodeBrowsers())
    try simulation.run(simulation.history(seed: seed))
  }

  @Test(
    arguments: [
      ("what was deleted long ago stays where a page was away", 1020),
      ("an unsent edit goes with what was deleted long ago", 1),
      ("what is held stays beside what comes whole", 1),
    ])
  func `each bug of a page is found (negative control)`(bug: String, first: UInt64) throws {
    let pipe = try NodeBrowsers()
    // Where the histories have changed since, one soon after it.
    let isFound = (first..<first + 60).contains { seed in
      let simulation = Self.simulation(seed, pipe, bug: bug)
      let history = simulation.history(seed: seed)
      guard BrowserTests.error({ try simulation.run(history) }) != nil else { return false }
      let sound = Self.simulation(seed, pipe)
      return BrowserTests.error { try sound.run(history) } == nil
    }
    #expect(isFound)
  }
}
