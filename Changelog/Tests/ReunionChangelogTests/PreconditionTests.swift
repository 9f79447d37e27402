import Testing

@testable import ReunionChangelog

@Suite struct PreconditionTests {
  private static func bench(_ lines: String) throws -> Workbench {
    try Workbench([
      "c.sql": Workbench.formatted(
        "--changeset a:0\ncreate table here (id int); create view seen as select 1;\n"
          + "--changeset a:1\n\(lines)\ncreate table made (id int);\n--changeset a:2\nselect 1;")
    ])
  }

  @Test(arguments: [
    ("--precondition-sql-check expectedResult:0 select count(*) from here", true),
    ("--precondition-sql-check 0 select count(*) from here", true),
    ("--precondition-sql-check expectedResult:'0' select count(*) from here", true),
    ("--precondition-sql-check expectedResult:1 select count(*) from here", false),
    ("--precondition-sql-check expectedResult:1 select id from here", false),
    ("--precondition-table-exists table:HERE", true),
    ("--precondition-table-exists table:seen", false),
    ("--precondition-view-exists view:seen", true), ("--precondition-view-exists view:here", false),
  ])
  func `a changeset runs where its conditions hold`(line: String, holds: Bool) throws {
    let bench = try Self.bench("--preconditions onFail:MARK_RAN\n\(line)")
    #expect(try bench.update() == (holds ? ["0", "1", "2"] : ["0", "2"]))
    #expect(
      try bench.query("SELECT EXECTYPE FROM DATABASECHANGELOG WHERE ID = '1'")
        == [holds ? "EXECUTED" : "MARK_RAN"])
    #expect(
      try bench.query("SELECT count(*) FROM sqlite_schema WHERE name = 'made'") == [
        holds ? "1" : "0"
      ])
  }

  @Test func `what is done where they do not hold is what the file says`() throws {
    let check = "--precondition-sql-check expectedResult:1 select count(*) from here"
    let halt = try Self.bench("--preconditions\n\(check)")
    let error = try #require(try refusal { try halt.update() })
    #expect(error.place == Place("c.sql", 6) && error.kind == .partial)
    #expect(error.sentence == "The query gives 0, and 1 is expected.")
    let proceed = try Self.bench("--preconditions onFail:CONTINUE\n\(check)")
    #expect(try proceed.update() == ["0", "2"])
    try proceed.execute("insert into here values (1)")
    #expect(try proceed.update() == ["1"])
    let warn = try Self.bench("--preconditions onFail:WARN\n\(check)")
    #expect(try warn.update() == ["0", "1", "2"])
    #expect(warn.events.contains { if case .warning = $0 { true } else { false } })
  }

  @Test func `one that cannot be checked is an error with a reaction of its own`() throws {
    let check = "--precondition-sql-check expectedResult:1 select count(*) from nowhere"
    let halt = try Self.bench("--preconditions onFail:MARK_RAN\n\(check)")
    #expect(try refusal { try halt.update() }?.sentence.contains("no such table") == true)
    let mark = try Self.bench("--preconditions onError:MARK_RAN\n\(check)")
    #expect(try mark.update() == ["0", "2"])
  }

  @Test func `where SQL is only written, conditions count as met, or as the file says`() throws {
    let check = "--precondition-sql-check expectedResult:1 select count(*) from here"
    func script(_ line: String) throws -> String {
      let bench = try Self.bench("\(line)\n\(check)")
      try bench.execute("create table here (id int)")
      var text = ""
      _ = try bench.run(script: { text += $0 }) { try $0.update() }
      return text
    }
    #expect(try script("--preconditions onFail:MARK_RAN").contains("create table made"))
    #expect(
      try !script("--preconditions onFail:MARK_RAN onSqlOutput:TEST").contains("create table made"))
    #expect(try refusal { _ = try script("--preconditions onSqlOutput:FAIL") } != nil)
  }
}
