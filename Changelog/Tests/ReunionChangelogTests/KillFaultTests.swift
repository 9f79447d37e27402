import Foundation
import Testing

@testable import ReunionChangelog

/// What a run leaves whose process is killed, wherever it stands.
@Suite(.serialized) struct KillFaultTests {
  static let changesetCount = 40

  private static func bench() throws -> Workbench {
    let text = (1...changesetCount).map { number in
      """
      --changeset a:\(number)
      create table t\(number) (id int);
      insert into t\(number) values (1);
      insert into t\(number) values (2);
      create index i\(number) on t\(number) (id);

      """
    }.joined()
    return try Workbench(["c.sql": Workbench.formatted(text)])
  }

  /// The changesets that are there in part: a table without its row in the history, a row without its
  /// table, or a table without all of its rows.
  private static func halves(_ bench: Workbench) throws -> [String] {
    let tables = Set(
      try bench.query("SELECT substr(name, 2) FROM sqlite_schema WHERE name LIKE 't%'"))
    let indexes = Set(
      try bench.query("SELECT substr(name, 2) FROM sqlite_schema WHERE name LIKE 'i%'"))
    let hasHistory = try !bench.query(
      "SELECT 1 FROM sqlite_schema WHERE name = 'DATABASECHANGELOG'"
    ).isEmpty
    let rows = hasHistory ? try bench.query("SELECT ID FROM DATABASECHANGELOG") : []
    var halves = Array(
      Set(rows).symmetricDifference(tables).union(tables.symmetricDifference(indexes)))
    if Set(rows).count != rows.count { halves.append("twice") }
    for table in tables where try bench.query("SELECT count(*) FROM t\(table)") != ["2"] {
      halves.append(table)
    }
    return halves
  }

  struct Tally {
    var kills = 0
    var halves: [String] = []
    var stuck = 0
  }

  /// Kills runs at moments that a seed gives, until `count` of them were hit. Each run begins with
  /// what the one before it left.
  private static func kill(_ count: Int, seed: UInt64, bug: String?) throws -> Tally {
    var random = Seeded(seed)
    var tally = Tally()
    var bench = try bench()
    while tally.kills < count {
      let program: Program
      if let bug {
        program = try Program(
          "changelog-bugs", [bug, "sqlite:app.db", bench.folder.path, "c.sql"],
          in: bench.folder)
      } else {
        program = try Program(
          "reunion-changelog", ["update", "--url", "sqlite:app.db", "--changelog", "c.sql"],
          in: bench.folder)
      }
      // Most of the time of a process is its start, which takes longer on a busy machine.
      let reach = bug == nil ? 120_000 : 120_000 * (1 + tally.kills / 4)
      pause(
        for: .microseconds(random.next(below: reach)),
        because: "the kill comes at any moment of a run")
      program.kill()
      let result = try program.wait()
      guard result.wasKilled else {
        // It was done, or a bug ended it. A Liquibase must not find a lock now.
        let isFree =
          try bug != nil
          || bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["0"]
        if result.status != 0 || !isFree { tally.stuck += 1 }
        bench = try Self.bench()
        if bug != nil, tally.stuck > 3 { return tally }
        continue
      }
      tally.kills += 1
      tally.halves += try halves(bench)
      // Our own next run goes on at once. It would say so if it waited for a second.
      bench.events = []
      bench.options.lockWaitMilliseconds = 1000
      if bug == nil {
        _ = try bench.update("c.sql", .count(1))
        if bench.events.contains(where: { if case .waiting = $0 { true } else { false } }) {
          tally.stuck += 1
        }
      }
      if bug != nil, !tally.halves.isEmpty { return tally }
    }
    return tally
  }

  @Test func `a killed run leaves no half, and no lock that stops the next one`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let count = FaultCount.of(slice: 10, full: 300)
    let tally = try Self.kill(count, seed: seed, bug: nil)
    #expect(tally.halves.isEmpty && tally.stuck == 0, "seed \(seed): \(tally)")
    print(
      "faults: \(tally.kills) kills of updates on SQLite, \(tally.halves.count) halves, "
        + "\(tally.stuck) stuck (seed \(seed))")
  }

  @Test func `a changeset apart from its row is seen as a half (negative control)`() throws {
    let tally = try Self.kill(60, seed: 7, bug: "half")
    #expect(!tally.halves.isEmpty)
  }

  @Test func `a lock that outlives its process is seen to stop the next run (negative control)`()
    throws
  {
    let bench = try Self.bench()
    let lasting = ["lasting", "sqlite:app.db", bench.folder.path, "c.sql"]
    let first = try Program("changelog-bugs", lasting, in: bench.folder)
    try eventually("the first run has the lock", every: .microseconds(500)) {
      FileManager.default.fileExists(atPath: bench.databasePath + ".lasting")
        || !first.process.isRunning
    }
    first.kill()
    #expect(try first.wait().wasKilled)
    let second = try Program("changelog-bugs", lasting, in: bench.folder)
    try eventually("the second run says that it waits, or ends") {
      try second.said.contains("waits") || !second.process.isRunning
    }
    #expect(second.process.isRunning, "It waits for a process that is dead.")
    second.kill()
    _ = try second.wait()
    #expect(try bench.update().count > 0, "Without the bug the next run goes on.")
  }

  @Test func `a kill outside of a transaction names the statement on resume`() throws {
    // Its second statement takes long, so that the kill hits it.
    let text = Workbench.formatted(
      """
      --changeset a:1 runInTransaction:false
      create table a (id int);
      insert into a with recursive n(x) as (select 1 union all select x + 1 from n where x < 300000000)
        select max(x) from n;
      """)
    func killed(_ start: (Workbench) throws -> Program, until isThere: (Workbench) -> Bool) throws
      -> Workbench
    {
      let bench = try Workbench(["c.sql": text])
      let program = try start(bench)
      try eventually("the statement runs", every: .milliseconds(20)) {
        isThere(bench) || !program.process.isRunning
      }
      program.kill()
      #expect(try program.wait().wasKilled)
      return bench
    }
    let bench = try killed(
      { bench in
        try Program(
          "reunion-changelog", ["update", "--url", "sqlite:app.db", "--changelog", "c.sql"],
          in: bench.folder)
      },
      until: { bench in
        (try? bench.query("SELECT STEP, DONE FROM REUNION_CHANGELOG_STEP")) == ["2|0"]
      })
    let error = try #require(try refusal { try bench.update() })
    #expect(error.sentence.contains("statement 2, “insert into a with recursive"))
    #expect(error.sentence.contains("at c.sql:4"))
    // Negative control: where steps are not recorded first, nobody is told.
    let silent = try killed(
      { bench in
        try Program(
          "changelog-bugs", ["unwritten", "sqlite:app.db", bench.folder.path, "c.sql"],
          in: bench.folder)
      },
      until: { bench in
        (try? bench.query("SELECT name FROM sqlite_schema WHERE name = 'a'")) == ["a"]
      })
    #expect(try refusal { try silent.update() }?.sentence.contains("statement 2") != true)
  }
}

/// Numbers from a seed.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
