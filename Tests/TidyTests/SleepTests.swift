import Foundation
import Testing
import Waiting

/// Tests wait for what happens, and not for a moment of the clock. Where time passes as a part of a
/// story, one file of each language lets it pass, with a reason.
@Suite struct SleepTests {
  static let homes: Set<String> = [
    "Tests/Fixtures/Waiting/Waiting.swift", "Tests/Journeys/journey.py",
  ]

  /// The lines of a text that let time pass. A clock that a test moves may sleep.
  static func sleeps(in text: String) -> [Substring] {
    // Most files are done with here: an expression takes a hundred times as long for each line.
    guard text.contains("sleep") || text.contains("wait_for") else { return [] }
    return text.split(separator: "\n").filter { line in
      line.contains(#/(?:^|[^\w.])(?:u|nano)?sleep\(/#)
        || line.contains(
          #/(?:Task|Thread|time|asyncio)\.sleep|wait_for_time(?:out)|Clock\(\)\.sleep/#)
    }
  }

  @Test func `no test sleeps`() throws {
    let files = try StyleTests.files().filter { path in
      (path.hasPrefix("Tests/") || path.contains("/Tests/"))
        && [".swift", ".py", ".c", ".h", ".sh"].contains(where: path.hasSuffix)
    }
    var homes: Set<String> = []
    for path in files {
      // The other packages see the file by a link.
      let file = TidyTests.root.appending(path: path).resolvingSymlinksInPath().path
      let home = Self.homes.first { file.hasSuffix("/" + $0) }
      let found = Self.sleeps(in: try TidyTests.read(path))
      if let home, !found.isEmpty { homes.insert(home) }
      #expect(
        home != nil || found.isEmpty,
        """
        \(path) sleeps: \(found). Wait for what happens, by `eventually` or `until`; let time of the story \
        pass by `pause`, and say why.
        """)
    }
    #expect(files.count > 500 && homes == Self.homes)
  }

  // Not in one piece, since this file is looked through as well.
  @Test(
    arguments: [
      "usle", "    sle", "while a { usle", "nanosle", "await Task.sle", "Thread.sle", "time.sle",
      "await asyncio.sle", "ContinuousClock().sle",
    ].map { $0 + "ep(1)" } + ["page.wait_for_" + "timeout(20)"])
  func `a sleep is seen (negative control)`(line: String) {
    #expect(Self.sleeps(in: "a\n\(line)\nb").count == 1)
    #expect(Self.sleeps(in: "clock.sleep(until: moment)\nfunc fallAsleep(a: Int)").isEmpty)
  }

  @Test func `what never happens is told by its name, and what happens is given`() async throws {
    var count = 0
    let error = #expect(throws: NeverHappened.self) {
      try find("3 is reached, and not \(count)", within: .zero) { () -> Int? in
        count += 1
        return nil
      }
    }
    #expect(
      count == 1 && error?.description == "This did not happen within 0 s: 3 is reached, and not 1."
    )
    try await eventually("it is reached") {
      count += 1
      return count % 7 == 0
    }
    #expect(count % 7 == 0)
    #expect(try await find("a number") { count > 0 ? count : nil } == count)
    // A pause of a task ends with it.
    let pausing = Task { try await pause(for: .seconds(3600), because: "it is cancelled") }
    pausing.cancel()
    await #expect(throws: CancellationError.self) { try await pausing.value }
  }
}
