import NodeBrowsers
import ReunionTesting
import TestThreads
import Testing

/// A page takes back what its server refused, whatever message the link is cut after: a guest who may
/// add photos edits somebody else's, and adds one of its own.
@Suite(.onOwnThread, .enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct BrowserRefusalTests {
  /// A server, a phone that has added a photo, and a guest's page. The link is cut after
  /// `count` messages of one side, and the network comes back.
  static func history(cutAfter count: Int?, ofBrowser isBrowsers: Bool) -> BrowserHistory {
    let base = History(
      seed: 4, members: [.init("server"), .init("phone")], routes: [.init(1, 0)], steps: [])
    var steps: [BrowserStep] = [
      .world(.act(replica: 1, action: 0)), .world(.pass(milliseconds: 3_000)),
      .openTab(browser: 0), .world(.pass(milliseconds: 3_000)),
    ]
    if let count { steps.append(.cut(browser: 0, messages: count, ofBrowser: isBrowsers)) }
    steps += [
      .act(browser: 0, .edit), .act(browser: 0, .create), .world(.pass(milliseconds: 40_000)),
    ]
    let guest = WorldBrowser.Options(name: "guest", acceptor: 0, role: .add)
    return BrowserHistory(base: base, browsers: [guest], steps: steps)
  }

  static func simulation(_ pipe: NodeBrowsers, bug: String? = nil) -> BrowserSimulation {
    // An even seed: the core that the apps ship.
    var simulation = BrowserSimulation(seed: 4, pipe: pipe)
    simulation.bug = bug
    return simulation
  }

  @Test func `what is refused is taken back, and the page is told`() throws {
    let simulation = Self.simulation(try NodeBrowsers())
    // In the end all are equal, the guest's own photo is at the phone, and nobody has its edit.
    let outcome = try simulation.run(Self.history(cutAfter: nil, ofBrowser: false))
    #expect(outcome.refusedCount == 1)
  }

  @Test func `a refusal that a cut takes is said again, after every message`() throws {
    let simulation = Self.simulation(try NodeBrowsers())
    for isBrowsers in [false, true] {
      for count in 0..<8 {
        let outcome = try simulation.run(Self.history(cutAfter: count, ofBrowser: isBrowsers))
        #expect(
          outcome.refusedCount == 1,
          "cut after \(count) messages of the \(isBrowsers ? "page" : "server")")
      }
    }
  }

  @Test func `a page that keeps what was refused is found (negative control)`() throws {
    let simulation = Self.simulation(try NodeBrowsers(), bug: "what was refused stays")
    let error = BrowserTests.error {
      try simulation.run(Self.history(cutAfter: nil, ofBrowser: false))
    }
    #expect(error?.contains("are not equal") == true, "\(error ?? "nothing")")
  }
}
