import Foundation
import Testing

@testable import ReunionChangelog

/// Words of a changeset that would part it from its row.
@Suite struct TransactionWordTests {
  private static func statements(
    _ sql: String, _ attributes: String = "", _ dialect: Dialect = .postgresql
  ) throws -> (run: [String], leftOut: [Int]) {
    let text = Workbench.formatted("--changeset a:1 \(attributes)\n\(sql)")
    let changelog = try Workbench(["c.sql": text]).read(dialect: dialect)
    let changeset = changelog.changesets[0]
    var statements = Statements(changeset.changes, of: changeset, dialect)
    var run: [String] = []
    while let statement = try statements.next() { run.append(statement.bytes.text) }
    return (run, statements.leftOut.map(\.place.line))
  }

  @Test(arguments: [
    "BEGIN;\na;\nCOMMIT;", "begin work;\na;\ncommit and chain;",
    "BEGIN -- why\n;\na;\nCOMMIT -- why\n;", "/* x */ BEGIN TRANSACTION;\na;\nEND /* ; */;",
    "START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE;\na;\nCOMMIT WORK;",
  ])
  func `words that begin and end a transaction are left out, however the text is cut`(
    sql: String
  ) throws {
    let ways = [
      "", "stripComments:false", "splitStatements:false",
      "splitStatements:false stripComments:false", "endDelimiter:@@",
    ]
    for way in ways {
      let (run, leftOut) = try Self.statements(sql, way)
      #expect(run == ["a"], "\(way)")
      #expect(leftOut.count == 2, "\(way)")
    }
  }

  @Test func `a warning names the line, also in what stays whole`() throws {
    let sql = "-- why\n\nBEGIN;\na;\n\nCOMMIT;\nb;"
    #expect(try Self.statements(sql).leftOut == [5, 8])
    #expect(try Self.statements(sql, "splitStatements:false").leftOut == [5, 8])
    let kept = try Self.statements(sql, "splitStatements:false stripComments:false")
    #expect(kept.leftOut == [5, 8] && kept.run == ["a", "b"])
  }

  @Test(arguments: ["ROLLBACK", "abort work", "ROLLBACK AND CHAIN", "PREPARE TRANSACTION 'x'"])
  func `what would take the changeset back is refused`(word: String) throws {
    for way in ["", "splitStatements:false", "endDelimiter:@@"] {
      let error = try refusal { _ = try Self.statements("a;\n\(word);\nb;", way) }
      #expect(error?.place == Place("c.sql", 4), "\(way)")
      #expect(error?.remedy?.contains("runInTransaction:false") == true)
    }
  }

  @Test(arguments: [
    "SAVEPOINT x; a; ROLLBACK TO x", "SAVEPOINT x; a; ROLLBACK WORK TO SAVEPOINT x",
    "DO $$ BEGIN COMMIT; END $$", "BEGIN NULL; x END", "BEGIN a := 1; x END IF",
    "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$",
    "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END", "COMMIT PREPARED 'x'",
    "SELECT 'x; COMMIT; y'",
  ])
  func `nothing else is taken for such a word (negative control)`(sql: String) throws {
    let whole = try Self.statements(sql, "splitStatements:false")
    #expect(whole.run == [sql] && whole.leftOut.isEmpty)
    #expect(try Self.statements(sql).leftOut.isEmpty)
  }

  @Test func `outside of a transaction they are run as they stand`() throws {
    let sql = "BEGIN; a; COMMIT"
    #expect(try Self.statements(sql, "runInTransaction:false").run == ["BEGIN", "a", "COMMIT"])
    #expect(
      try Self.statements(sql, "runInTransaction:false splitStatements:false").run == [sql])
  }

  @Test func `a text that ends its transaction is stopped there`() throws {
    let bench = try Workbench()
    let database = try bench.open()
    defer { database.close() }
    try database.begin()
    let error = #expect(throws: DatabaseError.self) {
      try database.execute("create table a (id int);COMMIT; BEGIN; create table b (id int)")
    }
    #expect(error?.message == "the text ended its transaction" && error?.offset == 31)
    #expect(!database.isInTransaction)
    // What stood before the word is done: that is why the files are searched for it first.
    #expect(try database.query("SELECT name FROM sqlite_schema") == [["a"]])
  }

  @Test func `an error behind a comment that stays is told at its line`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        "--changeset a:1 stripComments:false\n-- one\n-- two\nselect\n  nothing;")
    ])
    #expect(try refusal { try bench.update() }?.place == Place("c.sql", 6))
  }
}
