import Foundation
import Testing

@testable import ReunionChangelog

/// Foreign keys, views and triggers of SQLite, which complain only when somebody uses them.
@Suite struct KeyTests {
  private static let tables = """
    --changeset ann:tables
    create table people (id integer primary key, name text);
    create table visits (id integer primary key, person int references people (id) on delete cascade);
    insert into visits values (10, 1), (11, 2);
    insert into people values (1, 'Ada'), (2, 'Bo');
    --rollback drop table visits;
    --rollback drop table people;

    """

  private static func bench(_ changeset: String) throws -> Workbench {
    try Workbench(["c.sql": Workbench.formatted(tables + "--changeset ann:next\n" + changeset)])
  }

  @Test func `a table that is made anew keeps its children, in a plain changeset`() throws {
    let bench = try Self.bench(
      """
      create table new (id integer primary key, name text not null);
      insert into new select * from people;
      drop table people;
      alter table new rename to people;
      --rollback not required
      """)
    try bench.update()
    #expect(try bench.query("SELECT * FROM visits") == ["10|1", "11|2"])
    #expect(try bench.open().faults(withRows: true).isEmpty)
  }

  @Test func `one whose children are left without a parent is taken back`() throws {
    let bench = try Self.bench(
      """
      alter table people rename to people_old;
      create table people (id integer primary key, name text not null);
      insert into people select * from people_old;
      drop table people_old;
      --rollback empty
      """)
    let error = try #require(try refusal { try bench.update() })
    #expect(error.sentence.contains("table visits: 2 rows refer to no row of people_old"))
    #expect(try bench.query("SELECT ID FROM DATABASECHANGELOG") == ["tables"])
    #expect(
      try bench.query("SELECT count(*) FROM visits JOIN people ON people.id = person") == ["2"])
    let proof = try refusal { try bench.run { try $0.proveRollback() } }
    #expect(proof?.sentence.contains("people_old") == true)
  }

  @Test func `rows without those that they refer to are refused by name, and cascades act`() throws
  {
    let orphan = try Self.bench("insert into visits values (12, 3);\n--rollback not required")
    let error = try #require(try refusal { try orphan.update() })
    #expect(error.sentence.contains("table visits: 1 row refers to no row of people"))
    #expect(try orphan.query("SELECT count(*) FROM visits") == ["2"])
    let cascade = try Self.bench("delete from people where name = 'Bo';\n--rollback not required")
    try cascade.update()
    #expect(try cascade.query("SELECT id FROM visits") == ["10"])
  }

  @Test(
    arguments: [
      (
        "alter table people rename to persons;\n--rollback alter table persons rename to people;",
        nil
      ),
      (
        "create table loose (id int references nowhere (id));\n--rollback drop table loose;",
        "nowhere"
      ),
      ("create view v as select none from people;\n--rollback drop view v;", "view v"),
      (
        "create trigger t after insert on visits begin insert into gone values (1); end;\n"
          + "--rollback drop trigger t;", "a trigger of visits"
      ),
      ("create view v as select own(name) from people;\n--rollback drop view v;", nil),
    ] as [(String, String?)])
  func `the proof tells what SQLite could not use`(changeset: String, fault: String?) throws {
    let bench = try Self.bench(changeset)
    let error = try refusal { try bench.run { try $0.proveRollback() } }
    guard let fault else {
      #expect(error == nil, "\(error?.description ?? "")")
      return
    }
    #expect(error?.sentence.contains(fault) == true, "\(error?.description ?? "nothing")")
    // An update goes on, since a later changeset may bring it, and tells.
    try bench.update()
    let told = bench.events.contains { event in
      if case .warning(let warning) = event { return warning.sentence.contains(fault) }
      return false
    }
    #expect(told)
  }

  @Test func `what was so before is none of this run (negative control)`() throws {
    let bench = try Self.bench("create table other (id int);\n--rollback drop table other;")
    try bench.execute("create table old (id int references nowhere (id))")
    try bench.run { try $0.proveRollback() }
  }
}
