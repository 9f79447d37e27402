import Testing

@testable import ReunionChangelog

/// What ours does otherwise than Liquibase is told where it acts, and nowhere else.
@Suite struct ToldDifferenceTests {
  private static func told(
    _ text: String, _ name: String = "c.sql", dialect: Dialect = .sqlite
  ) throws -> [String] {
    try Workbench([name: text]).read(name, dialect: dialect).warnings.map(\.sentence)
  }

  private static let trigger = """
    create table t (i int);
    --changeset a:2 splitStatements:false
    create trigger r after insert on t begin update t set i = 1; update t set i = 2; end;
    """

  @Test(arguments: [
    ("--changeset a:1 splitStatements:false\nselect 1; select 2;", "only the first statement", 1),
    (
      "--changeset a:1 endDelimiter://\nselect 1; select 2//select 3; select 4//", "only the first",
      2
    ),
    ("--changeset a:1 endDelimiter://\nselect 1//select 2//", "only the first", 0),
    ("--changeset a:1 splitStatements:false\n" + trigger, "only the first", 0),
    ("--changeset a:1 dbms:postgresql splitStatements:false\nselect 1; select 2;", "only the", 0),
    ("--changeset a:1 stripComments:false\n-- nothing", "on which Liquibase fails", 1),
    ("--changeset a:1 stripComments:false\nselect 1; /* end */", "on which Liquibase fails", 1),
    ("--changeset a:1 stripComments:false\nselect 1 /* end */;\n/", "on which Liquibase fails", 0),
    ("--changeset a:1 stripComments:false\n-- one\nselect 1 -- two", "on which Liquibase fails", 0),
    ("--changeset a:1\nselect 1; -- end", "on which Liquibase fails", 0),
  ])
  func `what the driver of SQLite does not run is told, of SQLite alone`(
    text: String, sentence: String, count: Int
  ) throws {
    let told = try Self.told(Workbench.formatted(text))
    #expect(told.count { $0.contains(sentence) } == count, "\(told)")
    #expect(try Self.told(Workbench.formatted(text), dialect: .postgresql) == [])
  }

  @Test func `a list in the place of a text is told, and one value of a list is none`() throws {
    func master(_ value: String) -> String {
      """
      databaseChangeLog:
      - changeSet:
          id: 1
          author: a
          context: \(value)
          changes:
          - sql: select 1
      """
    }
    let told = try Self.told(master("[a, b]"), "m.yaml")
    #expect(told.count == 1)
    #expect(told.first?.contains("“[a, b]”") == true)
    for value in ["[a]", "a, b", "\"[a, b]\""] {
      #expect(try Self.told(master(value), "m.yaml") == [], "\(value)")
    }
  }

  @Test func `capital letters of an ending are told`() throws {
    let text = Workbench.formatted("--changeset a:1\nselect 1;")
    #expect(try Self.told(text, "c.SQL").first?.contains("capital letters") == true)
    #expect(try Self.told(text, "C.sql") == [])
  }

  @Test func `a changeset that is copied whole is one, and another of its name is refused`() throws
  {
    func twice(_ second: String) throws -> Workbench {
      try Workbench([
        "c.sql": Workbench.formatted(
          "--changeset a:1\ncreate table x (i int);\n"
            + "--changeset a:1\ncreate table \(second) (i int);"
        )
      ])
    }
    let same = try twice("x")
    #expect(try same.update() == ["1"])
    #expect(try same.update() == [])
    let other = try twice("y")
    #expect(try refusal { try other.update() }?.sentence.contains("already in c.sql:2") == true)
  }
}
