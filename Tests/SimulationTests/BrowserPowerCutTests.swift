import NodeBrowsers
import ReunionTesting
import TestThreads
import Testing

/// The power fails right after an edit of what a push has just brought: the page shows a push at once
/// and keeps it a moment later.
@Suite(.onOwnThread, .enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct BrowserPowerCutTests {
  /// What is broken after a phone adds eight photos in one transaction, and somebody edits one that
  /// a page shows, the given number of milliseconds later.
  static func fault(after milliseconds: Int, _ pipe: NodeBrowsers, bug: String? = nil) -> String? {
    let base = History(
      seed: 4, members: [.init("server"), .init("phone")], routes: [.init(1, 0)], steps: [])
    let history = BrowserHistory(
      base: base, browsers: [.init(name: "page", acceptor: 0)],
      steps: [
        .openTab(browser: 0), .world(.pass(milliseconds: 3_000)),
        .world(.act(replica: 1, action: 6)), .world(.pass(milliseconds: milliseconds)),
        .act(browser: 0, .edit), .cutPower(browser: 0),
      ])
    // An even seed: the core that the apps ship.
    var simulation = BrowserSimulation(seed: 4, pipe: pipe)
    simulation.bug = bug
    return BrowserTests.error { try simulation.run(history) }
  }

  static let moments = Array(stride(from: 40, through: 400, by: 12))

  @Test func `an edit takes no part of a push to the disk without the rest`() throws {
    let pipe = try NodeBrowsers()
    for moment in Self.moments {
      #expect(Self.fault(after: moment, pipe) == nil, "after \(moment) ms")
    }
  }

  @Test func `half a push on the disk is found (negative control)`() throws {
    let pipe = try NodeBrowsers()
    let faults = Self.moments.compactMap {
      Self.fault(after: $0, pipe, bug: "an edit takes half a push to the disk")
    }
    #expect(faults.contains { $0.contains("half a transaction") }, "\(faults)")
  }
}
