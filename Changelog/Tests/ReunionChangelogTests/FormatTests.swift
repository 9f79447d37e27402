import Foundation
import Testing

@testable import ReunionChangelog

@Suite struct FormatTests {
  private static func read(_ text: String, dialect: Dialect = .sqlite) throws -> Changelog {
    try Workbench(["c.sql": Workbench.formatted(text)]).read(dialect: dialect)
  }

  private static func sql(_ changeset: Changeset?) -> String? {
    changeset?.changes.map { $0.body.text().bytes.text }.joined(separator: "|")
  }

  @Test func `a changeset has all that its lines say`() throws {
    let changelog = try Self.read(
      """
      --  changeset "ann lee":"1 a" context:"t or p" labels:x,y dbms:sqlite,h2 runOnChange:true \
      failOnError:false runInTransaction:false logicalFilePath:other.sql
      --comment: why it is
      --validCheckSum: 8:abc
      --preconditions onFail:MARK_RAN onError:WARN
      --precondition-sql-check expectedResult:"0 x" SELECT count(*) FROM a
      create table a (id int);
      --rollback drop table a;
      --rollback drop view b;
      -- a comment
      CREATE TABLE b (id int);
      """)
    let one = try #require(changelog.changesets.first)
    #expect(changelog.changesets.count == 1 && changelog.warnings.isEmpty)
    #expect(one.id == "1 a" && one.author == "ann lee" && one.path == "other.sql")
    #expect(one.place == Place("c.sql", 2))
    let attributes = one.attributes
    #expect(attributes.contexts == "t or p" && attributes.labels == "x,y")
    #expect(attributes.dbms == "sqlite,h2" && attributes.runsOnChange && !attributes.runsAlways)
    #expect(!attributes.failsOnError && !attributes.isInTransaction)
    #expect(one.comment == "why it is" && one.validChecksums == ["8:abc"])
    #expect(one.preconditions?.onFail == .markRan && one.preconditions?.onError == .warn)
    #expect(
      one.preconditions?.conditions
        == [.query("SELECT count(*) FROM a", expected: "0 x", Place("c.sql", 6))])
    #expect(
      Self.sql(one) == "create table a (id int);\n-- a comment\nCREATE TABLE b (id int);")
    guard case .sql(let inverse) = one.rollback else {
      Issue.record("The rollback is missing.")
      return
    }
    #expect(inverse.map { $0.body.text().bytes.text } == ["drop table a;\ndrop view b;"])
    #expect(one.storedContexts == "(t or p)")
  }

  @Test func `attributes mean what newer Liquibases read, and 4_6_2's reading is kept beside`()
    throws
  {
    let changelog = try Self.read(
      """
      --changeset a:1 rollbackSplitStatements:false
      select 1;
      --changeset a:2 context:"c1 or c2" labels:"l1,l2"
      select 1;
      --changeset a:3 splitStatements:false
      select 1;
      """)
    #expect(
      changelog.changesets.map { $0.changes[0].options.splitsStatements } == [true, true, false])
    #expect(changelog.changesets[0].asIn46?.first?.options.splitsStatements == false)
    #expect(changelog.changesets[1].attributes.contexts == "c1 or c2")
    #expect(changelog.changesets[1].attributes.labels == "l1,l2")
    #expect(changelog.changesets.dropFirst().allSatisfy { $0.asIn46 == nil })
  }

  @Test func `parameters are the command's first, then the first of the files`() throws {
    let text = Workbench.formatted(
      """
      --property name:t value:users
      --property name:t value:again
      --property name:w value:"two words" dbms:sqlite
      --property name:p value:x dbms:postgresql
      --property name:l value:here global:false
      --changeset a:1
      create ${t} ${w} ${p} ${l} ${cmd} ${none};
      """)
    let bench = try Workbench(["c.sql": text])
    #expect(
      try Self.sql(bench.read(parameters: ["cmd": "given"]).changesets.first)
        == "create users two words ${p} here given ${none};")
    #expect(
      try Self.sql(bench.read(parameters: ["t": "mine"]).changesets.first)
        == "create mine two words ${p} here ${cmd} ${none};")
  }

  @Test func `lines that are ignored are no part of a changeset`() throws {
    let changelog = try Self.read(
      """
      --changeset a:1
      one
      --ignoreLines:2
      two
      --changeset a:not
      three
      --ignoreLines:start
      --changeset a:nor
      --ignoreLines:end
      four
      """)
    #expect(changelog.changesets.map { Self.sql($0) } == ["one\nthree\nfour"])
    let error = try refusal { _ = try Self.read("--ignoreLines:start\nselect 1;") }
    #expect(error?.place?.line == 2)
  }

  @Test func `a rollback is lines, a block, nothing, or another changeset's SQL`() throws {
    let changelog = try Self.read(
      """
      --changeset a:1
      create table a (id int);
      /* liquibase rollback
      drop table a;
      drop table b; */
      --changeset a:2
      select 1;
      --rollback not required
      --changeset a:3
      select 1;
      --rollback empty
      --changeset a:4
      drop table a;
      --rollback changesetId:1 changesetAuthor:a
      --changeset a:5
      select 1;
      """)
    let kinds = changelog.changesets.map { changeset in
      switch changeset.rollback {
      case .missing: "missing"
      case .nothing: "nothing"
      case .sql(let changes): changes[0].body.text().bytes.text
      case .changeset(let id, let author, _, _): "\(id) of \(author)"
      }
    }
    #expect(
      kinds == ["drop table a;\ndrop table b;", "nothing", "nothing", "1 of a", "missing"])
    #expect(Self.sql(changelog.changesets[0]) == "create table a (id int);")
    // 4.6.2 takes the block for SQL, and so into its checksum.
    #expect(changelog.changesets[0].asIn46?[0].body.text().bytes.text.contains("liquibase") == true)
  }

  @Test(arguments: [
    ("-changeset bob:2", "--changeset bob:2"), ("- changeset bob:2", "--changeset bob:2"),
    ("--changeset bob", "--changeset AUTHOR:ID"), ("--changeset :2", "--changeset AUTHOR:ID"),
    ("--changeset bob: ", "--changeset AUTHOR:ID"),
    ("-rollback drop table a", "--rollback drop table a"),
    ("--comments: x", "--comment: x"),
    ("-preconditions onFail:WARN", "--preconditions onFail:WARN"),
    ("--preconditions onFail:NEVER", "--preconditions onFail:MARK_RAN"),
    ("--precondition-sql-check 0", "--precondition-sql-check expectedResult:0"),
    ("--precondition-column-exists x", "--precondition-sql-check expectedResult:0"),
    ("--precondition-table-exists schema:x", "--precondition-table-exists table:NAME"),
    ("--ignoreLines:x", "--ignoreLines:2"), ("/* liquibase rollback", "*/ on the line"),
    ("--changeset bob:2 runWith:psql\nselect 1;", "the line without runWith:psql"),
    ("--changeset bob:2 runOrder:first\nselect 1;", "without runOrder:first"),
    ("--changeset bob:2\n", "SQL below the line"),
    ("--rollback changesetId:1", "--rollback changesetId:ID changesetAuthor:AUTHOR"),
  ])
  func `a line that goes wrong is told with the line to write`(line: String, remedy: String) throws
  {
    let error = try refusal { _ = try Self.read("--changeset bob:1\nselect 1;\n\(line)") }
    #expect(error?.place == Place("c.sql", 4), "\(error?.description ?? "nothing")")
    #expect(error?.remedy?.hasPrefix(remedy) == true || error?.remedy?.contains(remedy) == true)
  }

  @Test func `what is read otherwise than it looks is warned of`() throws {
    let changelog = try Self.read(
      """
      create table nowhere (id int);
      --changeset a:1 context:c1 and c2 splitStatements:no unknown:x
      select 1;
      """)
    #expect(changelog.warnings.map { $0.place.line } == [2, 3, 3, 3, 3])
    #expect(changelog.changesets[0].attributes.contexts == "c1")
  }

  @Test func `lines end as on any machine, and errors know which one`() throws {
    for end in ["\n", "\r\n", "\r"] {
      let text = [
        "--liquibase formatted sql", "--changeset a:1", "select 'a", "b';", "-changeset a:2",
      ]
      .joined(separator: end)
      let bench = try Workbench(["c.sql": text])
      #expect(try refusal { _ = try bench.read() }?.place?.line == 5)
      try bench.write(String(text.dropLast("-changeset a:2".count)), to: "c.sql")
      #expect(try Self.sql(bench.read().changesets.first) == "select 'a\nb';")
    }
  }

  @Test func `a file that is not UTF-8 text is refused with its line`() throws {
    let head = Array("--liquibase formatted sql\n--changeset a:1\nselect '".utf8)
    let bench = try Workbench()
    for (bytes, line) in [([0xe9, 0x27], 3), ([0x00], 3), ([0x0a, 0xc0, 0xaf], 4)]
      as [([UInt8], Int)]
    {
      try Data(head + bytes).write(to: bench.folder.appending(path: "c.sql"))
      #expect(try refusal { _ = try bench.read() }?.place?.line == line)
    }
    try Data([0xff, 0xfe, 0x2d, 0]).write(to: bench.folder.appending(path: "c.sql"))
    #expect(try refusal { _ = try bench.read() }?.sentence.contains("UTF-16") == true)
    try Data([0xef, 0xbb, 0xbf] + head + [0x27]).write(to: bench.folder.appending(path: "c.sql"))
    #expect(try bench.read().changesets.count == 1)
  }

  @Test func `a file without its first line is one changeset`() throws {
    let bench = try Workbench(["c.sql": "create table a (id int);\n--changeset a:1\nselect 1;"])
    let changelog = try bench.read()
    #expect(changelog.changesets.map { $0.key.description } == ["c.sql::raw::includeAll"])
    #expect(changelog.warnings.map(\.place.line) == [2, 1])
    #expect(changelog.warnings.last?.sentence.contains("only the first statement") == true)
    try bench.write("create table a (id int);", to: "one.sql")
    #expect(try bench.read("one.sql").warnings.isEmpty)
    #expect(try refusal { _ = try bench.read("none.sql") }?.sentence.contains("no file") == true)
    #expect(try refusal { _ = try bench.read("c.yaml") } != nil)
  }
}
