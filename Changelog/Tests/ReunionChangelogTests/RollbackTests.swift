import Foundation
import Testing

@testable import ReunionChangelog

@Suite struct RollbackTests {
  private static func bench(_ count: Int, missing: Int? = nil) throws -> Workbench {
    let text = (1...count).map { number in
      let inverse = number == missing ? "" : "--rollback drop table t\(number);\n"
      return "--changeset a:\(number)\ncreate table t\(number) (id int);\n\(inverse)"
    }.joined()
    return try Workbench(["c.sql": Workbench.formatted(text)])
  }

  private static func tables(_ bench: Workbench) throws -> [String] {
    try bench.query("SELECT name FROM sqlite_schema WHERE name LIKE 't_' ORDER BY name")
  }

  @Test func `the newest go first, to a count, a tag or a date`() throws {
    let bench = try Self.bench(6)
    try bench.update("c.sql", .count(2))
    try bench.run { try $0.setTag("two") }
    try bench.update()
    #expect(try bench.run { try $0.rollBack(.count(1)).map(\.id) } == ["6"])
    #expect(try bench.run { try $0.rollBack(.tag("two")).map(\.id) } == ["5", "4", "3"])
    #expect(try Self.tables(bench) == ["t1", "t2"])
    try bench.execute(
      "UPDATE DATABASECHANGELOG SET DATEEXECUTED = '2020-01-01 00:00:00' WHERE ID = '1'")
    #expect(try bench.run { try $0.rollBack(.date("2020-01-01 00:00:00")).map(\.id) } == ["2"])
    #expect(try bench.run { try $0.rollBack(.count(9)).map(\.id) } == ["1"])
    #expect(try bench.update().count == 6)
  }

  @Test func `where one inverse is missing, nothing is touched`() throws {
    for target in [RollbackPlan.Target.count(4), .date("2000-01-01 00:00:00")] {
      let bench = try Self.bench(4, missing: 2)
      try bench.update()
      let before = try Data(contentsOf: URL(filePath: bench.databasePath))
      let error = try #require(try refusal { _ = try bench.run { try $0.rollBack(target) } })
      #expect(error.place == Place("c.sql", 5) && error.kind == .refused)
      #expect(error.remedy?.hasPrefix("--rollback SQL") == true)
      #expect(try Data(contentsOf: URL(filePath: bench.databasePath)) == before)
      // The newer ones alone have theirs.
      #expect(try bench.run { try $0.rollBack(.count(2)).count } == 2)
    }
  }

  @Test func `a changeset that is in no file forbids it, and so does one that was lost`() throws {
    let bench = try Self.bench(3)
    try bench.update()
    try bench.write(
      Workbench.formatted("--changeset a:1\ncreate table t1 (id int);\n--rollback drop table t1;"),
      to: "c.sql")
    let error = try #require(try refusal { _ = try bench.run { try $0.rollBack(.count(2)) } })
    #expect(error.sentence.contains("c.sql::3::a") && error.kind == .refused)
    #expect(try Self.tables(bench) == ["t1", "t2", "t3"])
  }

  @Test func `one that fails is taken back whole, and those before it stay undone`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:1
        create table t1 (id int); create table t2 (id int);
        --rollback drop table t2;
        --rollback drop table nowhere;
        --changeset a:2
        create table t3 (id int);
        --rollback drop table t3;
        """)
    ])
    try bench.update()
    let error = try #require(try refusal { _ = try bench.run { try $0.rollBack(.count(2)) } })
    #expect(error.kind == .partial && error.place == Place("c.sql", 5))
    #expect(try Self.tables(bench) == ["t1", "t2"])
    #expect(try bench.query("SELECT ID FROM DATABASECHANGELOG") == ["1"])
    #expect(try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["0"])
  }

  @Test func `the file is copied first, and the copy has no lock in it`() throws {
    let bench = try Self.bench(2)
    try bench.update()
    try bench.execute("insert into t2 values (7)")
    _ = try bench.run { try $0.rollBack(.count(1)) }
    let copies = bench.events.compactMap { event -> String? in
      if case .copied(let path) = event { path } else { nil }
    }
    let copy = try SQLiteDatabase(#require(copies.first), mayCreate: false)
    defer { copy.close() }
    #expect(try copy.query("SELECT id FROM t2") == [["7"]])
    #expect(try copy.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == [["0"]])
    bench.events = []
    bench.options.keepsCopy = false
    _ = try bench.run { try $0.rollBack(.count(1)) }
    #expect(!bench.events.contains { if case .copied = $0 { true } else { false } })
  }

  @Test func `the inverse of another changeset, or none, is one`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:1
        create table t1 (id int);
        --rollback drop table t1;
        --changeset a:2
        drop table t1;
        --rollback changesetId:1 changesetAuthor:a
        --changeset a:3
        select 1;
        --rollback not required
        """)
    ])
    try bench.update()
    #expect(try bench.run { try $0.rollBack(.count(2)).map(\.id) } == ["3", "2"])
    #expect(try Self.tables(bench) == ["t1"])
  }

  @Test func `a script of what would undo the next update is written`() throws {
    let bench = try Self.bench(3)
    try bench.update("c.sql", .count(1))
    var script = ""
    try bench.run(script: { script += $0 }) { try $0.writeFutureRollback() }
    let drops = script.split(separator: "\n").filter { $0.hasPrefix("drop") }
    #expect(drops == ["drop table t3;", "drop table t2;"])
    #expect(try Self.tables(bench) == ["t1"])
  }

  @Test func `a tag from before the first changeset can be gone back to`() throws {
    let bench = try Self.bench(2)
    try bench.run { try $0.setTag("empty") }
    try bench.update()
    #expect(try bench.run { try $0.rollBack(.tag("empty")).map(\.id) } == ["2", "1"])
    #expect(
      try bench.query("SELECT TAG, FILENAME FROM DATABASECHANGELOG") == ["empty|liquibase-internal"]
    )
  }

  // MARK: The proof

  @Test func `an inverse is proved on a copy, and then the database is changed`() throws {
    let bench = try Self.bench(3)
    try bench.update("c.sql", .count(1))
    try bench.execute("insert into t1 values (1)")
    #expect(try bench.run { try $0.updateTestingRollback().ran.map(\.id) } == ["2", "3"])
    let proofs = bench.events.count { if case .proved = $0 { true } else { false } }
    #expect(proofs == 2)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted()
        == ["app.db", "c.sql"])
  }

  @Test(arguments: [
    ("update t set n = n + 1;", "update t set n = n - 2;", "with other values"),
    ("insert into t values (9);", "select 1;", "1 rows became 2"),
    ("create index i on t (n);", "select 1;", "index i is left over"),
    ("drop view v;", "select 1;", "view v is gone"),
    ("alter table t add x int;", "alter table t rename x to y;", "table t: CREATE"),
    ("create table u (n int);", "drop table u; create table w (n int);", "table w is left over"),
    (
      "create trigger g after insert on t begin select 1; end;",
      "drop trigger g; create trigger h after insert on t begin select 2; end;",
      "trigger h is left over"
    ),
  ])
  func `an inverse that leaves something otherwise is refused, and nothing was touched`(
    up: String, down: String, difference: String
  ) throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        "--changeset a:0\ncreate table t (n int); insert into t values (1); "
          + "create view v as select n from t;\n--changeset a:1\n\(up)\n--rollback \(down)")
    ])
    try bench.update("c.sql", .count(1))
    let before = try Data(contentsOf: URL(filePath: bench.databasePath))
    let error = try #require(
      try refusal { _ = try bench.run { try $0.updateTestingRollback() } })
    #expect(error.sentence.contains(difference), "\(error)")
    #expect(try Data(contentsOf: URL(filePath: bench.databasePath)) == before)
  }

  @Test func `what ALTER leaves of blanks and quotes is no difference`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:0
        create table t (
          n int -- the number
        );
        --changeset a:1
        alter table t add x int; alter table t rename to u;
        --rollback alter table u rename to t; alter table t drop x;
        """)
    ])
    try bench.update("c.sql", .count(1))
    #expect(try bench.run { try $0.updateTestingRollback().ran.map(\.id) } == ["1"])
  }
}
