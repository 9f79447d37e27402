import Foundation
import Testing

@testable import ReunionChangelog

/// Many processes that update the same database at once.
@Suite(.serialized) struct CrowdFaultTests {
  private static let processCount = 8

  private static func bench() throws -> Workbench {
    let text = (1...12).map { number in
      "--changeset a:\(number)\ncreate table t\(number) (id int);\ninsert into seen values (\(number));\n"
    }.joined()
    let bench = try Workbench(["c.sql": Workbench.formatted(text)])
    try bench.execute("create table seen (id int)")
    return bench
  }

  /// What went wrong in a round; nothing where each changeset was run exactly once.
  private static func round(_ start: (Workbench) throws -> Program) throws -> [String] {
    let bench = try bench()
    let programs = try (0..<processCount).map { _ in try start(bench) }
    var troubles: [String] = []
    for program in programs {
      let result = try program.wait()
      if result.status != 0 {
        troubles.append("\(result.status): \(result.output)\(result.errors)")
      }
    }
    let wanted = (1...12).map(String.init)
    if try bench.query("SELECT id FROM seen ORDER BY id") != wanted {
      troubles.append("not once each")
    }
    if try bench.query("SELECT ID FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED") != wanted {
      troubles.append("the history is not as it must be")
    }
    if try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") != ["0"] {
      troubles.append("the lock is still taken")
    }
    return troubles
  }

  @Test func `8 processes at once run each changeset exactly once`() throws {
    let rounds = FaultCount.of(slice: 2, full: 50)
    for round in 1...rounds {
      let troubles = try Self.round { bench in
        try Program(
          "reunion-changelog", ["update", "--url", "sqlite:app.db", "--changelog", "c.sql"],
          in: bench.folder)
      }
      #expect(troubles.isEmpty, "round \(round)")
    }
    print("faults: \(rounds) rounds of \(Self.processCount) updates at once on SQLite")
  }

  @Test(arguments: ["lockless", "forgetful"])
  func `a run that goes on without the lock or an old history is seen (negative control)`(
    bug: String
  ) throws {
    var troubles: [String] = []
    for _ in 0..<20 where troubles.isEmpty {
      troubles = try Self.round { bench in
        try Program(
          "changelog-bugs", [bug, "sqlite:app.db", bench.folder.path, "c.sql"],
          in: bench.folder)
      }
    }
    #expect(!troubles.isEmpty)
  }
}
