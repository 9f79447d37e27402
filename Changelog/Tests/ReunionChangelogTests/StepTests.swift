import Foundation
import Testing

@testable import ReunionChangelog

/// Changesets that run outside of a transaction.
@Suite struct StepTests {
  private static let text = Workbench.formatted(
    """
    --changeset a:1 runInTransaction:false
    create table a (id int);
    vacuum;
    insert into a values (1);
    insert into
      a values (2);
    --rollback drop table a;
    """)

  /// What a process leaves that dies at a statement.
  private static func leave(_ bench: Workbench, at number: Int, done: Bool) throws {
    let database = try bench.open()
    defer { database.close() }
    let changeset = try bench.read().changesets[0]
    let statements = ["create table a (id int)", "vacuum", "insert into a values (1)"]
    for statement in statements.prefix(done ? number : number - 1) {
      try database.execute(statement)
    }
    let table = StepTable(database)
    try table.make()
    try table.set(
      StepTable.Step(
        number: number, isDone: done, place: "c.sql:5", statement: statements[number - 1],
        checksum: changeset.checksum(9, .sqlite).description), of: changeset.key)
  }

  @Test func `it runs statement by statement, and leaves no trace of its steps`() throws {
    let bench = try Workbench(["c.sql": Self.text])
    #expect(try bench.update() == ["1"])
    #expect(try bench.query("SELECT id FROM a") == ["1", "2"])
    #expect(
      try bench.query("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'REUNION%'") == ["0"])
    #expect(try bench.run { try $0.rollBack(.count(1)).count } == 1)
    #expect(try bench.update() == ["1"])
  }

  @Test func `behind a statement that was done, the next run goes on`() throws {
    let bench = try Workbench(["c.sql": Self.text])
    try Self.leave(bench, at: 3, done: true)
    #expect(try bench.update() == ["1"])
    #expect(try bench.query("SELECT id FROM a") == ["1", "2"])
    #expect(
      bench.events.contains { if case .resumed(_, behind: 3) = $0 { true } else { false } })
  }

  @Test func `a statement of which nobody knows is named, and a person says how to go on`() throws {
    let bench = try Workbench(["c.sql": Self.text])
    try Self.leave(bench, at: 3, done: false)
    let error = try #require(try refusal { try bench.update() })
    #expect(error.kind == .refused)
    #expect(error.sentence.contains("statement 3, “insert into a values (1)” at c.sql:5"))
    #expect(error.remedy == "--resume next if it was done, --resume again if it was not")
    #expect(try bench.query("SELECT count(*) FROM a") == ["0"])
    bench.options.resume = .again
    #expect(try bench.update() == ["1"])
    #expect(try bench.query("SELECT id FROM a") == ["1", "2"])
    let other = try Workbench(["c.sql": Self.text])
    try Self.leave(other, at: 3, done: false)
    other.options.resume = .next
    #expect(try other.update() == ["1"])
    #expect(try other.query("SELECT id FROM a") == ["2"])
  }

  @Test func `one that fails says what is done, and the next run goes on with it`() throws {
    let bench = try Workbench(["c.sql": Self.text])
    try bench.execute("create table b (id int)")
    let text = Self.text.replacing(
      "insert into\n  a values (2);", with: "insert into c values (2);")
    try bench.write(text, to: "c.sql")
    let error = try #require(try refusal { try bench.update() })
    #expect(error.place == Place("c.sql", 6) && error.sentence.contains("are done"))
    try bench.execute("create table c (id int)")
    #expect(try bench.update() == ["1"])
    #expect(try bench.query("SELECT (SELECT count(*) FROM a), (SELECT id FROM c)") == ["1|2"])
  }

  @Test func `an edit between is refused, unless a person says how to go on`() throws {
    let bench = try Workbench(["c.sql": Self.text])
    try Self.leave(bench, at: 2, done: true)
    try bench.write(Self.text.replacing("(1)", with: "(7)"), to: "c.sql")
    #expect(try refusal { try bench.update() }?.sentence.contains("was edited since") == true)
    bench.options.resume = .next
    #expect(try bench.update() == ["1"])
  }

  @Test func `a transaction of its own is whole, and must end`() throws {
    let bench = try Workbench([
      "c.sql": Workbench.formatted(
        """
        --changeset a:1 runInTransaction:false
        begin;
        create table a (id int);
        commit;
        """)
    ])
    #expect(try bench.update() == ["1"])
    try bench.write(
      Workbench.formatted(
        "--changeset a:2 runInTransaction:false\nbegin;\ncreate table b (id int);"),
      to: "c.sql")
    #expect(try refusal { try bench.update() }?.remedy == "COMMIT; as its last statement")
    #expect(try bench.query("SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == ["0"])
  }
}
