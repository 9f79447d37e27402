import Foundation
import Testing

@testable import ReunionChangelog

/// A changelog that is named by another path than the one under which it ran.
@Suite struct MovedFileTests {
  private static let text = Workbench.formatted(
    """
    --changeset ann:table
    create table price (item text, cents int);
    insert into price values ('coffee', 250);
    --changeset ann:more
    update price set cents = cents * 2;
    """)

  @Test func `nothing is run a second time, whatever the path is`() throws {
    let bench = try Workbench(["db/c.sql": Self.text])
    try bench.update("db/c.sql")
    try bench.write(Self.text, to: "c.sql")
    let whole = bench.folder.appending(path: "db/c.sql").path
    for path in ["c.sql", whole] {
      let error = try #require(try refusal { try bench.update(path) })
      #expect(error.kind == .refused && error.place?.line == 2)
      #expect(error.sentence.contains("ran as db/c.sql::table::ann"))
      #expect(error.remedy?.contains("--adopt-path") == true)
      #expect(try refusal { _ = try bench.run(path) { try $0.markRan(.all) } } != nil)
    }
    #expect(try bench.query("SELECT cents FROM price") == ["500"])
    #expect(try bench.query("SELECT count(*) FROM DATABASECHANGELOG") == ["2"])
    // The same path, however written, is none of that (control).
    #expect(try bench.update("./db/c.sql").isEmpty && bench.update("db/../db/c.sql").isEmpty)
  }

  @Test func `who moved a file goes on with an option, or with the path of before`() throws {
    let bench = try Workbench(["old.sql": Self.text])
    try bench.update("old.sql")
    let more = "--changeset ann:new\ncreate table new (id int);\n"
    try bench.write(Self.text + more, to: "new.sql")
    try bench.write(
      Self.text.replacing("sql\n", with: "sql logicalFilePath:old.sql\n", maxReplacements: 1)
        + more,
      to: "named.sql")
    #expect(try bench.run("named.sql") { try $0.plan().runs.map(\.changeset.id) } == ["new"])
    bench.options.adoptsPaths = true
    #expect(try bench.update("new.sql") == ["new"])
    let rows = "SELECT ID, FILENAME, ORDEREXECUTED FROM DATABASECHANGELOG ORDER BY 3"
    #expect(try bench.query(rows) == ["table|new.sql|1", "more|new.sql|2", "new|new.sql|3"])
    bench.options.adoptsPaths = false
    #expect(try bench.update("new.sql").isEmpty)
    #expect(try bench.query("SELECT cents FROM price") == ["500"])
  }

  @Test func `other SQL with the same id and author is another changeset (negative control)`()
    throws
  {
    let bench = try Workbench(["a.sql": Workbench.formatted("--changeset a:1\nselect 1;")])
    try bench.update("a.sql")
    try bench.write(Workbench.formatted("--changeset a:1\nselect 2;"), to: "b.sql")
    #expect(try bench.update("b.sql") == ["1"])
  }

  @Test func `a changeset that went to another file of the run is not run again`() throws {
    let bench = try Workbench([
      "m.xml": MasterTests.xml("<include file=\"a.sql\"/><include file=\"b.sql\"/>"),
      "a.sql": Workbench.formatted("--changeset a:1\nselect 1;\n--changeset a:2\nselect 2;"),
      "b.sql": Workbench.formatted("--changeset a:3\nselect 3;"),
    ])
    try bench.update("m.xml")
    try bench.write(Workbench.formatted("--changeset a:1\nselect 1;"), to: "a.sql")
    try bench.write(
      Workbench.formatted("--changeset a:3\nselect 3;\n--changeset a:2\nselect 2;"), to: "b.sql")
    #expect(try refusal { try bench.update("m.xml") }?.place == Place("b.sql", 4))
  }

  @Test func `where checksums were cleared, the name of the file tells`() throws {
    let bench = try Workbench(["db/c.sql": Self.text])
    try bench.update("db/c.sql")
    _ = try bench.run("db/c.sql") { try $0.clearChecksums() }
    try bench.write(Self.text, to: "c.sql")
    #expect(try refusal { try bench.update("c.sql") }?.kind == .refused)
  }
}
