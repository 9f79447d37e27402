import Foundation
import Testing

@testable import ReunionChangelog

/// Histories of Liquibase 4.6.2 that name changesets otherwise than ours does: nothing is run again.
@Suite struct TakeoverTests {
  /// The history as 4.6.2 was seen to write it.
  private static func history(
    _ bench: Workbench, _ rows: [(id: String, author: String, path: String, checksum: String)]
  ) throws {
    try bench.write(Workbench.formatted("--changeset x:x\nselect 1;"), to: "first.sql")
    try bench.update("first.sql")
    for (index, row) in rows.enumerated() {
      try bench.execute(
        """
        INSERT INTO DATABASECHANGELOG SELECT '\(row.id)', '\(row.author)', '\(row.path)',
          DATEEXECUTED, \(index + 2), EXECTYPE, '\(row.checksum)', DESCRIPTION, COMMENTS, TAG, '4.6.2',
          CONTEXTS, LABELS, DEPLOYMENT_ID FROM DATABASECHANGELOG WHERE ID = 'x'
        """)
    }
  }

  private static let one = "8:07d7d7a28c35b80d36e41424401a2f3e"

  @Test func `a path in quotes is known as 4.6.2 wrote it, and can be rolled back`() throws {
    let bench = try Workbench()
    try Self.history(
      bench,
      [
        ("1", "a", "\"x.sql\"", Self.one), ("2", "a", "\"a", Self.one),
        ("3", "a", "v.sql", Self.one), ("4", "a", "p.sql,", Self.one),
      ])
    let text = """
      --changeset a:1 logicalFilePath:"x.sql"
      select 1;
      --rollback not required
      --changeset a:2 logicalFilePath:"a b.sql" context:c
      select 1;
      --rollback not required
      --changeset a:3 xlogicalFilePath:v.sql
      select 1;
      --rollback not required
      --changeset a:4 logicalFilePath:p.sql, context:c
      select 1;
      --rollback not required
      """
    try bench.write(Workbench.formatted(text), to: "c.sql")
    #expect(try bench.run { try $0.plan().unknown.map(\.id) } == ["x"])
    #expect(try bench.update().isEmpty)
    let undone = try bench.run { try $0.rollBack(.count(4)).map(\.id) }
    #expect(undone == ["4", "3", "2", "1"])
    #expect(try bench.query("SELECT ID FROM DATABASECHANGELOG") == ["x"])
    // What is new gets the path that is meant.
    #expect(try bench.update() == ["1", "2", "3", "4"])
    #expect(
      try bench.query("SELECT FILENAME FROM DATABASECHANGELOG WHERE AUTHOR = 'a' ORDER BY ID")
        == ["x.sql", "a b.sql", "c.sql", "p.sql,"])
  }

  @Test func `a path of the first line in quotes is known, too`() throws {
    let bench = try Workbench()
    try Self.history(bench, [("1", "a", "\"h", Self.one)])
    try bench.write(
      "--liquibase formatted sql logicalFilePath:\"h i.sql\"\n--changeset a:1\nselect 1;\n",
      to: "c.sql")
    #expect(try bench.update().isEmpty)
  }

  private static let upper =
    "--LIQUIBASE FORMATTED SQL\n--changeset a:1\nselect 1;\n"
    + "--changeset a:2\nselect 2;\n"

  @Test func `a file that 4.6.2 ran as one changeset is taken over, and goes on`() throws {
    let bench = try Workbench(["up.sql": Self.upper])
    // As 4.6.2 was seen to write it of this file.
    try Self.history(
      bench, [("raw", "includeAll", "up.sql", "8:c94e92b50ded440126ec58b9eef305ed")])
    #expect(try bench.run("up.sql") { try $0.plan().runs.count } == 0)
    #expect(try bench.update("up.sql").isEmpty)
    let rows = "SELECT ID, EXECTYPE, ORDEREXECUTED FROM DATABASECHANGELOG WHERE AUTHOR = 'a'"
    #expect(try bench.query(rows) == ["1|EXECUTED|3", "2|EXECUTED|4"])
    try bench.write(Self.upper + "--changeset a:3\nselect 3;\n", to: "up.sql")
    #expect(try bench.update("up.sql") == ["3"])
  }

  @Test func `one that was edited since is refused before anything is run`() throws {
    let bench = try Workbench(["up.sql": Self.upper + "--changeset a:3\nselect 3;\n"])
    try Self.history(
      bench, [("raw", "includeAll", "up.sql", "8:c94e92b50ded440126ec58b9eef305ed")])
    let error = try #require(try refusal { try bench.update("up.sql") })
    #expect(error.place == Place("up.sql", 2) && error.kind == .refused)
    #expect(error.sentence.contains("ran all of up.sql as one changeset"))
    #expect(try bench.query("SELECT count(*) FROM DATABASECHANGELOG") == ["2"])
  }

  @Test func `changesets of other files are none of that (negative control)`() throws {
    let bench = try Workbench([
      "other.sql": Workbench.formatted("--changeset a:1\nselect 1;")
    ])
    try Self.history(bench, [("raw", "includeAll", "up.sql", "8:0"), ("1", "a", "\"x", "8:0")])
    #expect(try bench.update("other.sql") == ["1"])
  }
}
