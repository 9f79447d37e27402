import Foundation
import Testing

@testable import ReunionChangelog

@Suite struct UpdateTests {
  static let columns =
    "SELECT ID, AUTHOR, FILENAME, ORDEREXECUTED, EXECTYPE, DESCRIPTION, COMMENTS, TAG, CONTEXTS, "
    + "LABELS FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED"

  @Test func `changesets run once, in order, each with its row`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset ann:1 context:x labels:l
        --comment: the first
        create table a (id int);
        insert into a values (1);
        --changeset ann:2
        insert into a values (2);
        """)
    ])
    #expect(try bench.update() == ["1", "2"])
    #expect(
      try bench.query(Self.columns) == [
        "1|ann|c.sql|1|EXECUTED|sql|the first|NULL|x|l",
        "2|ann|c.sql|2|EXECUTED|sql||NULL|NULL|NULL",
      ])
    #expect(try bench.query("SELECT count(DISTINCT DEPLOYMENT_ID) FROM DATABASECHANGELOG") == ["1"])
    #expect(try bench.query("SELECT LOCKED, LOCKEDBY FROM DATABASECHANGELOGLOCK") == ["0|NULL"])
    #expect(try bench.update().isEmpty)
    #expect(try bench.query("SELECT id FROM a") == ["1", "2"])
    // Nothing is left beside the database.
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted()
        == ["app.db", "c.sql"])
  }

  @Test func `one that fails is taken back whole, and those before it stay`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:1
        create table a (id int);
        --changeset a:2
        create table b (id int);
        insert into a values (1);

        insert into
          nowhere values (1);
        --changeset a:3
        create table c (id int);
        """)
    ])
    let error = try #require(try refusal { try bench.update() })
    #expect(error.place == Place("c.sql", 8) && error.kind == .partial)
    #expect(error.sentence == "SQLite says: no such table: nowhere.")
    #expect(
      try bench.query("SELECT name FROM sqlite_schema WHERE name IN ('a', 'b', 'c')") == ["a"])
    #expect(try bench.query("SELECT ID FROM DATABASECHANGELOG") == ["1"])
    #expect(try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["0"])
    #expect(try bench.query("SELECT count(*) FROM a") == ["0"])
  }

  @Test func `an error is told at the line that the database speaks of`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        "--changeset a:1\ncreate table a (id int);\n\nselect\n  id,\n  nme\nfrom a;")
    ])
    let error = try #require(try refusal { try bench.update() })
    #expect(error.place == Place("c.sql", 7) && error.kind == .failed)
  }

  @Test func `nothing is run where one file cannot be read`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        "--changeset a:1\ncreate table a (id int);\n--changeset a:2\nselect 'x;")
    ])
    #expect(try refusal { try bench.update() }?.place == Place("c.sql", 5))
    #expect(try bench.query("SELECT count(*) FROM sqlite_schema") == ["0"])
    try bench.write(
      Workbench.formatted("--changeset a:1\nselect 1;\n--rollback drop table 'x"), to: "c.sql")
    #expect(try refusal { try bench.update() }?.place == Place("c.sql", 4))
  }

  @Test func `an edit forbids the run, names both checksums, and changes nothing`() throws {
    let bench = try Workbench(["c.sql": Workbench.formatted("--changeset a:1\nselect 1;")])
    try bench.update()
    let text = "--changeset a:1\nselect  1 ;\n--changeset a:2\ncreate table a (id int);"
    try bench.write(Workbench.formatted(text), to: "c.sql")
    #expect(try bench.update() == ["2"], "blanks are no edit")
    try bench.write(
      Workbench.formatted("--changeset a:1\nselect 2;\n--changeset a:3\nselect 1;"), to: "c.sql")
    let error = try #require(try refusal { try bench.update() })
    #expect(error.place == Place("c.sql", 2) && error.kind == .refused)
    #expect(
      error.sentence.contains("was run as 9:")
        && error.remedy?.contains("--validCheckSum: 9:") == true)
    #expect(try bench.query("SELECT count(*) FROM DATABASECHANGELOG") == ["2"])
  }

  @Test func `what is to run always or on change does, and keeps its row`() throws {
    func text(_ value: Int) -> String {
      Workbench.formatted(
        """
        --changeset a:1
        create table a (id int);
        --changeset a:2 runOnChange:true
        insert into a values (\(value));
        --changeset a:3 runAlways:true
        insert into a values (9);
        """)
    }
    let bench = try Workbench(["c.sql": text(1)])
    #expect(try bench.update() == ["1", "2", "3"])
    #expect(try bench.update() == ["3"])
    try bench.write(text(2), to: "c.sql")
    #expect(try bench.update() == ["2", "3"])
    #expect(try bench.query("SELECT id FROM a ORDER BY rowid") == ["1", "9", "9", "2", "9"])
    #expect(
      try bench.query("SELECT ID, ORDEREXECUTED, EXECTYPE FROM DATABASECHANGELOG ORDER BY 2")
        == ["1|1|EXECUTED", "2|5|RERAN", "3|6|RERAN"])
  }

  @Test func `one that may fail is told, not recorded, and comes up again`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:1 failOnError:false
        create table b (id int);
        insert into nowhere values (1);
        --changeset a:2
        create table a (id int);
        """)
    ])
    #expect(try bench.update() == ["2"])
    let failed = bench.events.compactMap { event -> ChangelogError? in
      if case .failed(_, let error) = event { error } else { nil }
    }
    #expect(failed.map(\.place) == [Place("c.sql", 4)])
    #expect(try bench.query("SELECT name FROM sqlite_schema WHERE name IN ('a', 'b')") == ["a"])
    try bench.execute("create table nowhere (id int)")
    #expect(try bench.update() == ["1"])
  }

  @Test func `a count, a tag, contexts and labels say how far and what`() throws {
    let text = (1...6).map { number in
      let labels = number == 4 ? " labels:slow" : number == 5 ? " context:test" : ""
      return "--changeset a:\(number)\(labels)\ncreate table t\(number) (id int);\n"
    }.joined()
    let bench = try Workbench(["c.sql": Workbench.formatted(text)])
    #expect(try bench.update("c.sql", .count(2)) == ["1", "2"])
    try bench.run { try $0.setTag("v1") }
    #expect(try refusal { try bench.update("c.sql", .tag("v9")) }?.sentence.contains("v9") == true)
    #expect(try bench.update("c.sql", .tag("v1")).isEmpty)
    #expect(try bench.update(contexts: "prod", labels: "!slow") == ["3", "6"])
    #expect(try bench.update("c.sql", .count(1), contexts: "test") == ["4"])
    #expect(try bench.update() == ["5"])
  }

  @Test func `version 8 stays where the history has it, and either can be asked for`() throws {
    func versions(_ bench: Workbench) throws -> [String] {
      try bench.query("SELECT substr(MD5SUM, 1, 1) FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED")
    }
    let text = (1...4).map { "--changeset a:\($0)\nselect \($0);\n" }.joined()
    let bench = try Workbench(["c.sql": Workbench.formatted(text)])
    bench.options.checksumVersion = 8
    try bench.update("c.sql", .count(1))
    bench.options.checksumVersion = nil
    try bench.update("c.sql", .count(1))
    bench.options.checksumVersion = 9
    try bench.update("c.sql", .count(1))
    bench.options.checksumVersion = nil
    try bench.update("c.sql", .count(1))
    #expect(try versions(bench) == ["8", "8", "9", "8"])
    #expect(try bench.run { try $0.clearChecksums() } == 4)
    #expect(try bench.run { try $0.plan().runs.isEmpty })
    #expect(try bench.update().isEmpty)
    #expect(try versions(bench) == ["9", "9", "9", "9"])
  }

  @Test func `a changeset may begin and end its transaction: ours is the one that counts`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:1
        BEGIN;
        create table a (id int);
        COMMIT;
        insert into nowhere values (1);
        """)
    ])
    #expect(try refusal { try bench.update() } != nil)
    #expect(try bench.query("SELECT count(*) FROM sqlite_schema WHERE name = 'a'") == ["0"])
    try bench.write(
      Workbench.formatted("--changeset a:1\nBEGIN;\ncreate table a (id int);\nEND;"), to: "c.sql")
    #expect(try bench.update() == ["1"])
    let warnings = bench.events.count { if case .warning = $0 { true } else { false } }
    #expect(warnings == 2)
    try bench.write(Workbench.formatted("--changeset a:2\nselect 1;\nROLLBACK;"), to: "c.sql")
    #expect(try refusal { try bench.update() }?.place == Place("c.sql", 4))
  }

  @Test func `what cannot be in a transaction is told with the attribute to write`() throws {
    let bench = try Workbench(["c.sql": Workbench.formatted("--changeset a:1\nVACUUM;")])
    #expect(
      try refusal { try bench.update() }?.remedy
        == "runInTransaction:false in the line of the changeset")
    try bench.write(
      Workbench.formatted("--changeset a:1 runInTransaction:false\nVACUUM;"), to: "c.sql")
    #expect(try bench.update() == ["1"])
  }

  @Test func `a script is the SQL of the run, changes nothing, and SQLite runs it`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:1
        create table a (t text);
        insert into a values ('it''s; so');
        create trigger g after insert on a begin delete from a where t = 'x'; end;
        --changeset a:2 runInTransaction:false
        vacuum;
        --rollback not required
        """)
    ])
    var script = ""
    _ = try bench.run(script: { script += $0 }) { try $0.update() }
    #expect(try bench.query("SELECT count(*) FROM sqlite_schema") == ["0"])
    let other = try SQLiteDatabase(bench.folder.appending(path: "other.db").path, mayCreate: true)
    defer { other.close() }
    try other.execute(script)
    let query =
      "SELECT ID, FILENAME, EXECTYPE, MD5SUM FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED"
    let rows = try other.query(query).map { $0.map { $0 ?? "" }.joined(separator: "|") }
    try bench.update()
    #expect(try rows == bench.query(query))
    let wanted = try bench.state()
    #expect(try other.state(without: ChangelogRun.ownTables) == wanted)
  }

  @Test func `what is marked as run is not run, and a row of each says so`() throws {
    let text = (1...3).map { "--changeset a:\($0)\ncreate table t\($0) (id int);\n" }.joined()
    let bench = try Workbench(["c.sql": Workbench.formatted(text)])
    #expect(try bench.run { try $0.markRan(.count(1)).map(\.id) } == ["1"])
    #expect(try bench.run { try $0.markRan(.all).map(\.id) } == ["2", "3"])
    #expect(try bench.update().isEmpty)
    #expect(try bench.query("SELECT name FROM sqlite_schema WHERE name LIKE 't_'").isEmpty)
    #expect(
      try bench.query("SELECT ID, EXECTYPE FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED")
        == ["1|EXECUTED", "2|EXECUTED", "3|EXECUTED"])
  }

  @Test func `the same changeset twice is refused with both places, but for two databases`() throws
  {
    let twice = "--changeset a:1\nselect 1;\n--changeset a:1\nselect 2;"
    let bench = try Workbench(["c.sql": Workbench.formatted(twice)])
    let error = try #require(try refusal { try bench.update() })
    #expect(error.place == Place("c.sql", 4) && error.sentence.contains("c.sql:2"))
    let each = "--changeset a:1 dbms:sqlite\nselect 1;\n--changeset a:1 dbms:postgresql\nselect 2;"
    try bench.write(Workbench.formatted(each), to: "c.sql")
    #expect(try bench.update() == ["1"])
  }

  @Test func `a path is the same however it is written`() throws {
    let bench = try Workbench(["db/c.sql": Workbench.formatted("--changeset a:1\nselect 1;")])
    try bench.update("db/c.sql")
    for path in ["./db/c.sql", "db//c.sql", "db/x/../c.sql"] {
      try FileManager.default.createDirectory(
        at: bench.folder.appending(path: "db/x"), withIntermediateDirectories: true)
      #expect(try bench.update(path).isEmpty, "\(path)")
    }
    try bench.execute("UPDATE DATABASECHANGELOG SET FILENAME = 'classpath:db/c.sql'")
    #expect(try bench.update("db/c.sql").isEmpty)
  }

  @Test func `a history of an older Liquibase gets the columns that it lacks`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted("--changeset a:1\nselect 1;\n--changeset a:2\nselect 2;")
    ])
    try bench.execute(
      """
      CREATE TABLE DATABASECHANGELOG (ID VARCHAR(63) NOT NULL, AUTHOR VARCHAR(63) NOT NULL, \
      FILENAME VARCHAR(200) NOT NULL, DATEEXECUTED TEXT NOT NULL, ORDEREXECUTED INTEGER NOT NULL, \
      EXECTYPE VARCHAR(10) NOT NULL, MD5SUM VARCHAR(35), DESCRIPTION VARCHAR(255), \
      COMMENTS VARCHAR(255), TAG VARCHAR(255), LIQUIBASE VARCHAR(20));
      INSERT INTO DATABASECHANGELOG VALUES ('1', 'a', 'c.sql', '2015-01-01 00:00:00', 1, 'EXECUTED', \
      '7:0123456789abcdef0123456789abcdef', '', '', NULL, '3.0.0')
      """)
    #expect(try bench.update() == ["2"])
    #expect(try bench.query("SELECT ID, CONTEXTS FROM DATABASECHANGELOG") == ["1|NULL", "2|NULL"])
  }
}
