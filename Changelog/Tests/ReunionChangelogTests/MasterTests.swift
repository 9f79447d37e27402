import Foundation
import Testing

@testable import ReunionChangelog

@Suite struct MasterTests {
  static func xml(_ content: String) -> String {
    "<?xml version=\"1.0\"?>\n<databaseChangeLog xmlns=\"http://www.liquibase.org/xml/ns/dbchangelog\">\n"
      + content + "\n</databaseChangeLog>\n"
  }

  private static let table = Workbench.formatted("--changeset a:1\ncreate table ${t} (id int);")

  @Test func `a master file in XML brings files, folders and parameters in its order`() throws {
    let bench = try Workbench([
      "m.xml": Self.xml(
        """
        <property name="t" value="things"/>
        <property name="t" value="later"/>
        <include file="db/a.sql" context="ca or cb"/>
        <include file="db/n.xml" context="outer"/>
        <includeAll path="db/all"/>
        """),
      "db/a.sql": Workbench.formatted(
        "--changeset a:1 context:own\ncreate table ${t} (id int);\n--changeset a:2\nselect 1;"),
      "db/n.xml": Self.xml(
        """
        <include file="b.sql" relativeToChangelogFile="true" context="inner"/>
        <include file="../r.sql" relativeToChangelogFile="true"/>
        """),
      "db/b.sql": Workbench.formatted("--changeset a:1 context:own\nselect 1;"),
      "r.sql": Workbench.formatted("--changeset a:1\nselect 1;"),
      "db/all/z.sql": "create table z (id int);", "db/all/B.sql": "create table b (id int);",
      "db/all/sub/s.sql": Workbench.formatted("--changeset a:1\nselect 1;"),
      "db/all/readme.txt": "nothing",
    ])
    let changesets = try bench.read("m.xml").changesets
    #expect(
      changesets.map { $0.key.description } == [
        "db/a.sql::1::a", "db/a.sql::2::a", "db/b.sql::1::a", "r.sql::1::a",
        "db/all/B.sql::raw::includeAll", "db/all/sub/s.sql::1::a", "db/all/z.sql::raw::includeAll",
      ])
    // As 4.6.2 stores them: from the inside out, and only where the changeset has its own.
    #expect(
      changesets.map { $0.storedContexts }
        == ["(ca or cb) AND own", nil, "inner AND outer AND own", nil, nil, nil, nil])
    #expect(changesets[4].summary == "sql")
    #expect(try bench.update("m.xml", contexts: "own,ca").count == 5)
    #expect(try bench.query("SELECT count(*) FROM things") == ["0"])
  }

  @Test func `an include in SQL is a comment, and is told`() throws {
    let bench = try Workbench([
      "m.sql": Workbench.formatted(
        """
        --changeset a:1
        create table a (id int);
        --include file:none.sql
        -- include whatever is meant
        """)
    ])
    let changelog = try bench.read("m.sql")
    #expect(changelog.changesets.count == 1)
    #expect(changelog.warnings.map(\.place.line) == [4])
    #expect(try bench.update("m.sql") == ["1"])
  }

  @Test func `what the database says of itself is put in`() throws {
    let bench = try Workbench([
      "m.sql": Workbench.formatted("--changeset a:1\ncreate table ${database.typeName} (id int);")
    ])
    let database = try bench.open()
    defer { database.close() }
    let changelog = try bench.read("m.sql", parameters: database.parameters())
    #expect(changelog.namesDatabase)
    #expect(changelog.changesets[0].changes[0].body.text().bytes.text.contains("table sqlite "))
    let result = try Program.run(
      ["update", "--url", "sqlite:app.db", "--changelog", "m.sql"], in: bench.folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try bench.query("SELECT count(*) FROM sqlite") == ["0"])
  }

  @Test(arguments: [
    (
      "<changeSet id=\"1\" author=\"a\"><createTable tableName=\"x\"/></changeSet>", "createTable",
      3
    ),
    ("<include/>", "names no file", 3), ("<include file=\"none.sql\"/>", "no file none.sql", 3),
    ("\n<include file=\"m.xml\"/>", "includes itself", 4),
    ("<includeAll path=\"none\"/>", "no file of a changelog", 3),
    ("<includeAll path=\".\" filter=\"x.Y\"/>", "a class of Java", 3),
    ("<include file=\"x.txt\"/>", "neither SQL nor XML", 3),
    ("<changeSet id=\"1\"><sql>x</sql></changeSet>", "no id and author", 3),
    ("<preConditions><runningAs username=\"x\"/></preConditions>", "runningAs", 3),
    ("<property file=\"x.properties\"/>", "no file x.properties", 3),
    ("<property name=\"x\"/>", "no name and value", 3),
    ("<a>", "not XML", 5),
  ])
  func `what a master file cannot say is refused by its name`(
    content: String, sentence: String, line: Int
  ) throws {
    let bench = try Workbench(["m.xml": Self.xml(content)])
    let error = try refusal { _ = try bench.read("m.xml") }
    #expect(error?.sentence.contains(sentence) == true, "\(error?.description ?? "nothing")")
    #expect(error?.place == Place("m.xml", line))
  }

  @Test func `a document type is refused, so that no entity grows`() throws {
    let bomb = """
      <?xml version="1.0"?>
      <!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
      <databaseChangeLog><property name="x" value="&b;"/></databaseChangeLog>
      """
    let bench = try Workbench(["m.xml": bomb])
    #expect(try refusal { _ = try bench.read("m.xml") }?.sentence.contains("document type") == true)
  }

  @Test func `a tag of a master file ends an update there, and names what a rollback keeps`() throws
  {
    let bench = try Workbench([
      "m.xml": Self.xml(
        """
        <include file="a.sql"/>
        <changeSet id="tag" author="a"><tagDatabase tag="v1"/></changeSet>
        <changeSet id="more" author="a">
          <sql>create table more (id int)</sql><rollback>drop table more</rollback>
        </changeSet>
        """),
      "a.sql": Workbench.formatted("--changeset a:1\ncreate table a (id int);"),
    ])
    #expect(try bench.update("m.xml", .tag("v1")) == ["1", "tag"])
    #expect(
      try bench.query("SELECT ID, TAG, DESCRIPTION FROM DATABASECHANGELOG") == [
        "1|NULL|sql", "tag|v1|tagDatabase",
      ])
    #expect(try bench.update("m.xml") == ["more"])
    #expect(try bench.run("m.xml") { try $0.rollBack(.tag("v1")).map(\.id) } == ["more"])
  }

  @Test func `what a master file asks for holds before anything is run`() throws {
    let bench = try Workbench([
      "m.xml": Self.xml(
        """
        <preConditions><or><dbms type="postgresql"/><and><dbms type="sqlite"/>
          <not><tableExists tableName="gone"/></not></and></or></preConditions>
        <include file="a.sql"/>
        """),
      "a.sql": Workbench.formatted("--changeset a:1\ncreate table a (id int);"),
    ])
    try bench.execute("create table gone (id int)")
    #expect(try refusal { try bench.update("m.xml") } != nil)
    #expect(try bench.query("SELECT count(*) FROM DATABASECHANGELOG") == ["0"])
    try bench.execute("drop table gone")
    #expect(try bench.update("m.xml") == ["1"])
  }
}
