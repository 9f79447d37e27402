import Foundation
import Testing

@testable import ReunionChangelog

/// The program's verbs, each as a process on a file of SQLite.
@Suite struct VerbTests {
  /// A command, what it ends with, and what is in its text, or in its object with `--json`.
  private struct Step {
    let command: String
    var status: Int32 = 0
    let text: String
    let json: String

    init(_ command: String, _ text: String, json: String, ends status: Int32 = 0) {
      self.command = command
      self.status = status
      self.text = text
      self.json = json
    }

    var verb: String { String(command.prefix { $0 != " " }) }
  }

  private static let changelog = Workbench.formatted(
    """
    --changeset a:1
    create table a (id int);
    --rollback drop table a;
    --changeset a:2
    create table b (id int);
    --rollback drop table b;
    --changeset a:3
    create table c (id int);
    --rollback drop table c;
    """)

  /// From nothing to the end, back, and to another file. What is in the database changes as with people.
  private static let steps = [
    Step("status", "There is no file app.db yet.", json: #""exitCode":4"#, ends: 4),
    Step("update-sql", "create table c (id int);", json: "create table c (id int);"),
    Step("update --dry-run", "INSERT INTO DATABASECHANGELOG", json: #""sql":"#),
    Step("update-testing-rollback --dry-run", "Nothing was run.", json: #""proved":true"#),
    Step("update-count 1", "Ran c.sql::1::a (", json: #""ran":["c.sql::1::a"]"#),
    Step("tag v1", "The history has the tag v1 now.", json: #"{"tag":"v1"}"#),
    Step("tag-exists v1", "There is a tag v1.", json: #"{"exists":true,"tag":"v1"}"#),
    Step("tag-exists v2", "There is no tag v2.", json: #""exitCode":1"#, ends: 1),
    Step("status --verbose", "  to run  c.sql::2::a", json: #""pending":["c.sql::2::a","#),
    Step("update-to-tag v1", "all 1 changeset were run", json: #""before":1"#),
    Step("update-to-tag v2", "There is no tag v2", json: #""exitCode":3"#, ends: 3),
    Step("update-count-sql 1", "create table b", json: "create table b"),
    Step("update-to-tag-sql v1", "", json: ""),
    Step("mark-next-changeset-ran-sql", "INSERT INTO", json: "INSERT INTO"),
    Step("changelog-sync-sql", "INSERT INTO", json: "INSERT INTO"),
    Step("changelog-sync-to-tag-sql v1", "", json: ""),
    Step("future-rollback-sql", "drop table b;", json: "drop table b;"),
    Step("future-rollback-sql 1", "drop table b;", json: "drop table b;"),
    Step("update-testing-rollback", "after down, schema", json: #""event":"proved""#),
    Step("update", "Up to date: all 3 changesets", json: #""before":3"#),
    Step("validate", "All files can be run", json: #"{"valid":true}"#),
    Step("history", "EXECUTED  c.sql::1::a  tag v1", json: #""outcome":"EXECUTED""#),
    Step("rollback-count-sql 1", "drop table c;", json: "drop table c;"),
    Step("rollback-sql v1", "drop table c;", json: "drop table c;"),
    Step("rollback-to-date-sql 2001-01-01", "drop table a;", json: "drop table a;"),
    Step("rollback-count 1", "1 changeset rolled back.", json: #""rolledBack":["c.sql::3::a"]"#),
    Step("rollback v1 --no-copy", "1 changeset rolled", json: #""rolledBack":["c.sql::2::a"]"#),
    Step("rollback-to-date 2100-01-01", "Nothing to roll back.", json: #""rolledBack":[]"#),
    Step("rollback-to-date soon", "soon is no moment", json: #""exitCode":2"#, ends: 2),
    Step("mark-next-changeset-ran", "1 changeset marked", json: #""marked":["c.sql::2::a"]"#),
    Step("changelog-sync-to-tag v1", "0 changesets marked", json: #""marked":[]"#),
    Step("changelog-sync", "1 changeset marked", json: #""marked":["c.sql::3::a"]"#),
    Step("update-count none", "none is not a number", json: #""exitCode":2"#, ends: 2),
    Step("clear-checksums", "3 checksums cleared.", json: #"{"cleared":3}"#),
    Step("list-locks", "Nobody has the lock.", json: #""holder":"""#),
    Step("release-locks", "Nobody had the lock.", json: #"{"released":""}"#),
    Step(
      "calculate-checksum --changeset c.sql::1::a", "9:bc977861", json: #""checksum":"9:bc977861"#),
    Step(
      "calculate-checksum --changeset c.sql::9::a", "no changeset", json: #""exitCode":3"#, ends: 3),
    Step("baseline --dry-run", "CREATE TABLE a", json: "CREATE TABLE a"),
    Step("baseline", "There is a file c.sql already", json: #""exitCode":3"#, ends: 3),
    Step("undo", "undo is not a verb of reunion changelog.", json: #""exitCode":2"#, ends: 2),
    Step("update extra", "Usage: reunion changelog update", json: #""exitCode":2"#, ends: 2),
    Step("update --colour", "--colour is not an option here.", json: #""exitCode":2"#, ends: 2),
    Step("help", "Usage: reunion changelog VERB", json: #"{"help":"#),
  ]

  private static func run(_ words: String, in bench: Workbench) throws -> Program.Result {
    try Program.run(
      words.split(separator: " ").map(String.init) + ["--url", "sqlite:app.db"]
        + ["--changelog", "c.sql"], in: bench.folder)
  }

  @Test func `each verb does what it says, in words`() throws {
    let bench = try Workbench(["c.sql": Self.changelog])
    for step in Self.steps {
      let result = try Self.run(step.command, in: bench)
      let said = result.output + result.errors
      #expect(result.status == step.status, "\(step.command): \(said)")
      #expect(said.contains(step.text) || step.text.isEmpty, "\(step.command): \(said)")
      // What went wrong is in nobody's output.
      #expect(step.status == 0 || result.output.isEmpty, "\(step.command)")
    }
    let programs = try bench.query("SELECT DISTINCT LIQUIBASE FROM DATABASECHANGELOG")
    #expect(programs.count == 1 && programs[0].hasPrefix("reunion 0."))
    #expect(
      try bench.query("SELECT name FROM sqlite_schema WHERE name IN ('a', 'b', 'c')") == ["a"])
  }

  @Test func `each verb does the same as an object a line`() throws {
    let bench = try Workbench(["c.sql": Self.changelog])
    for step in Self.steps {
      let result = try Self.run(step.command + " --json", in: bench)
      let said = result.output + result.errors
      #expect(result.status == step.status, "\(step.command): \(said)")
      #expect(said.contains(step.json) || step.json.isEmpty, "\(step.command): \(said)")
      for line in said.split(separator: "\n") {
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
        #expect(object is [String: Any], "\(step.command): \(line)")
      }
    }
  }

  @Test func `no verb of the help is left out here`() throws {
    let bench = try Workbench()
    let help = try Program.run(["help"], in: bench.folder).output
    let known = help.matches(of: /\n  ([a-z][a-z-]+)(?: |\n)/).map { String($0.1) }
    #expect(known.count >= 20)
    for verb in known { #expect(Self.steps.contains { $0.verb == verb }, "\(verb)") }
    let scripts = known.filter { verb in
      ["update", "rollback", "changelog-sync", "mark"].contains { verb.hasPrefix($0) }
        && verb != "update-testing-rollback"
    }
    for verb in scripts { #expect(Self.steps.contains { $0.verb == verb + "-sql" }, "\(verb)-sql") }
  }

  // MARK: Exit codes that take a state of their own

  @Test func `a changeset that fails ends with 1, and behind others with 5`() throws {
    let bad = "--changeset a:9\nselect nothing;\n"
    let bench = try Workbench(["c.sql": Workbench.formatted(bad)])
    let first = try Self.run("update --json", in: bench)
    #expect(first.status == 1)
    #expect(first.errors.contains(#""file":"c.sql""#) && first.errors.contains(#""line":3"#))
    try bench.write(Self.changelog + bad, to: "c.sql")
    #expect(try Self.run("update", in: bench).status == 5)
    #expect(try bench.query("SELECT count(*) FROM DATABASECHANGELOG") == ["3"])
  }

  @Test func `a lock of another ends with 6, and is released by wish`() throws {
    let bench = try Workbench(["c.sql": Self.changelog])
    #expect(try Self.run("update-count 1", in: bench).status == 0)
    try bench.execute(
      "UPDATE DATABASECHANGELOGLOCK SET LOCKED = 1, LOCKEDBY = 'host (1.2.3.4)', LOCKGRANTED = '2026'"
    )
    let locked = try Self.run("update --lock-wait 0s", in: bench)
    #expect(locked.status == 6 && locked.errors.contains("host (1.2.3.4) has the lock"))
    #expect(try Self.run("list-locks", in: bench).output.contains("host (1.2.3.4) has the lock"))
    #expect(try Self.run("release-locks", in: bench).output.contains("Released the lock of host"))
    #expect(try Self.run("update --lock-wait 0s", in: bench).status == 0)
  }

  @Test func `a baseline writes the file, and counts it as run`() throws {
    let bench = try Workbench()
    try bench.execute("create table a (id int)")
    let made = try Self.run("baseline", in: bench)
    #expect(made.status == 0 && made.output.contains("Wrote c.sql."))
    let text = try String(contentsOf: bench.folder.appending(path: "c.sql"), encoding: .utf8)
    #expect(text.contains("CREATE TABLE a") || text.contains("create table a"))
    #expect(try Self.run("update", in: bench).output.contains("Up to date"))
  }

  @Test func `a trial run makes no file`() throws {
    let bench = try Workbench(["c.sql": Self.changelog])
    for words in ["update-sql", "changelog-sync-sql", "update-testing-rollback --dry-run"] {
      #expect(try Self.run(words, in: bench).status == 0)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(names == ["c.sql"])
  }
}
