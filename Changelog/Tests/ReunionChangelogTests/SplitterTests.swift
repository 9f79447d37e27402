import Foundation
import Testing

@testable import ReunionChangelog

@Suite struct SplitterTests {
  static func statements(
    _ sql: String, _ dialect: Dialect, _ options: SplitOptions = SplitOptions()
  ) throws -> [String] {
    let text = SQLText(Array(sql.utf8)[...], [SQLText.Mark(offset: 0, line: 1)], "c.sql")
    var splitter = try StatementSplitter(text, options, dialect)
    var found: [String] = []
    while let statement = try splitter.next() { found.append(statement.bytes.text) }
    return found
  }

  /// Bodies of triggers of SQLite, each of which holds semicolons.
  static let triggers: [String] = {
    let heads = [
      "CREATE TRIGGER g AFTER INSERT ON a BEGIN", "create temp trigger g after update on a begin",
      "CREATE TRIGGER IF NOT EXISTS g BEFORE DELETE ON a FOR EACH ROW BEGIN",
      "CREATE /* ; */ TRIGGER g AFTER UPDATE OF x ON a WHEN new.x > 1 BEGIN",
    ]
    let bodies = [
      "UPDATE b SET n = n + 1;", "INSERT INTO b VALUES (1); DELETE FROM b WHERE n = 2;",
      "UPDATE b SET n = CASE WHEN n > 1 THEN 2 ELSE 3 END; SELECT 1;",
      "INSERT INTO b SELECT CASE n WHEN 1 THEN CASE 2 WHEN 2 THEN 'END;' ELSE 5 END END FROM b; -- END;\n",
      "SELECT RAISE(ABORT, 'no; END;') WHERE 1 = 2; /* ; END; */ UPDATE b SET n = 1;",
    ]
    return heads.flatMap { head in bodies.map { "\(head)\n  \($0)\nEND" } }
  }()

  /// Functions and the like of PostgreSQL.
  static let routines: [String] = {
    let heads = [
      "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS",
      "create or replace function f(a int, b text DEFAULT ';') returns int language plpgsql as",
      "CREATE OR REPLACE PROCEDURE f() LANGUAGE plpgsql AS", "DO",
    ]
    let bodies = [
      "$$ BEGIN PERFORM 1; RETURN 1; END; $$",
      "$body$\nDECLARE x int := 1; BEGIN IF x > 0 THEN x := 2; END IF; RETURN x; END;\n$body$",
      "$a$ BEGIN EXECUTE $b$ SELECT ';' ; $b$; RETURN 1; END $a$",
      "'BEGIN PERFORM '';''; RETURN 1; END;'", "E'BEGIN PERFORM \\'x;\\'; RETURN 1; END;'",
    ]
    return heads.flatMap { head in bodies.map { "\(head) \($0)" } }
  }()

  @Test func `40 of 40 triggers and functions stay whole without an attribute`() throws {
    #expect(Self.triggers.count + Self.routines.count == 40)
    let options = SplitOptions(stripsComments: false)
    for trigger in Self.triggers {
      let sql = "CREATE TABLE a (x);\n\(trigger);\nCREATE TABLE b (n);"
      #expect(
        try Self.statements(sql, .sqlite, options)
          == ["CREATE TABLE a (x)", trigger, "CREATE TABLE b (n)"])
    }
    for routine in Self.routines {
      let sql = "SELECT 1;\n\(routine);\nSELECT 2;"
      #expect(try Self.statements(sql, .postgresql, options) == ["SELECT 1", routine, "SELECT 2"])
    }
  }

  @Test func `SQLite runs the 20 triggers as they were cut`() throws {
    let text =
      "--changeset a:0\nCREATE TABLE a (x); CREATE TABLE b (n);\n"
      + Self.triggers.enumerated().map { index, trigger in
        let named = trigger.replacing(#/\bg (AFTER|BEFORE|after|before)/#) { "g\(index) \($0.1)" }
        return "--changeset a:\(index + 1)\n\(named);\n"
      }.joined()
    let bench = try Workbench(["c.sql": Workbench.formatted(text)])
    #expect(try bench.update().count == 21)
    // Those that are not temporary.
    #expect(try bench.query("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == ["15"])
  }

  @Test(arguments: [
    ("a;b", ["a", "b"]), ("a ; ; ;b;", ["a", "b"]), ("'a;''b';c", ["'a;''b'", "c"]),
    ("\"a;\"\"b\";c", ["\"a;\"\"b\"", "c"]), ("a\nGO\nb\ngo\n", ["a", "b"]),
    ("a\n  Go \nb", ["a", "b"]), ("a\n/\nb", ["a", "b"]), ("a / b", ["a / b"]),
    ("select go from t", ["select go from t"]), ("'\nGO\n';b", ["'\nGO\n'", "b"]),
    ("a -- ;\n;b", ["a", "b"]), ("a /* ; */;b", ["a", "b"]), ("-- only\n", []), ("/* x */ ; ;", []),
    ("$tag$ a", ["$tag$ a"]), ("[a;b];`c;d`", ["[a;b]", "`c;d`"]),
    ("CREATE TABLE trigger_log (begin_at);b", ["CREATE TABLE trigger_log (begin_at)", "b"]),
  ])
  func `SQLite's text is cut where it ends`(sql: String, expected: [String]) throws {
    #expect(try Self.statements(sql, .sqlite) == expected)
  }

  @Test(arguments: [
    ("$$a;b$$;c", ["$$a;b$$", "c"]), ("$a$ $b$ ; $a$;c", ["$a$ $b$ ; $a$", "c"]),
    ("x$a$;b", ["x$a$", "b"]), ("$1;b", ["$1", "b"]),
    ("/* a /* ; */ ; */ b;c", ["b", "c"]), ("E'\\';';b", ["E'\\';'", "b"]),
    ("'\\';b", ["'\\'", "b"]), ("e'a''b;';c", ["e'a''b;'", "c"]),
    (
      "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2);b",
      ["CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)", "b"]
    ),
    (
      "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE 1 WHEN 1 THEN 2 END; SELECT 1; END;b",
      [
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE 1 WHEN 1 THEN 2 END; SELECT 1; END",
        "b",
      ]
    ),
    ("BEGIN;a;COMMIT;", ["BEGIN", "a", "COMMIT"]), ("a[1];b", ["a[1]", "b"]),
  ])
  func `PostgreSQL's text is cut where it ends`(sql: String, expected: [String]) throws {
    #expect(try Self.statements(sql, .postgresql) == expected)
  }

  @Test(arguments: [
    ("@@", "a;b @@ c@@d", ["a;b", "c", "d"]), ("GO", "a;b\nGO\nc go d", ["a;b", "c go d"]),
    ("\\nGO", "a\ngo\nb", ["a", "b"]), ("/", "a / b\n/\nc", ["a / b", "c"]),
    ("//", "a;// b//", ["a;", "b"]), ("\\n/$", "a;\n/\nb", ["a;", "b"]),
    ("@@", "'@@' @@ b -- @@\n", ["'@@'", "b"]), (";", "a;b", ["a", "b"]),
  ])
  func `a delimiter is a text`(delimiter: String, sql: String, expected: [String]) throws {
    #expect(
      try Self.statements(sql, .sqlite, SplitOptions(endDelimiter: delimiter)) == expected)
  }

  @Test func `a delimiter that is a regular expression is refused with what to write`() throws {
    for delimiter in ["**", "a|b", ";+", "$$", "\\n"] {
      let error = try refusal {
        _ = try Self.statements("a", .sqlite, SplitOptions(endDelimiter: delimiter))
      }
      #expect(error?.remedy?.contains("@@") == true, "\(delimiter)")
      #expect(error?.place == Place("c.sql", 1))
    }
  }

  @Test(arguments: [
    ("a;\n'b", 2, "text in quotes"), ("\n\n\"b", 3, "name in quotes"), ("/* a", 1, "comment"),
    ("a [b", 1, "name in brackets"),
  ])
  func `what has no end is refused where it begins`(
    sql: String, line: Int, what: String
  ) throws {
    let error = try refusal { _ = try Self.statements(sql, .sqlite) }
    #expect(error?.place?.line == line && error?.sentence.contains(what) == true)
    let dollars = try refusal { _ = try Self.statements("a;\n$x$ b $y$", .postgresql) }
    #expect(dollars?.place?.line == 2 && dollars?.remedy?.contains("$x$") == true)
  }

  @Test func `comments go where they are to, and nothing else does`() throws {
    let sql = "select 1, -- one\n  /* two */ '--x' -- three\n;"
    #expect(try Self.statements(sql, .sqlite) == ["select 1, \n   '--x'"])
    #expect(
      try Self.statements(sql, .sqlite, SplitOptions(stripsComments: false))
        == ["select 1, -- one\n  /* two */ '--x' -- three"])
    #expect(
      try Self.statements("a; -- x\nb;", .sqlite, SplitOptions(splitsStatements: false))
        == ["a; \nb;"])
    // A body between dollars is a text, comments and all.
    #expect(
      try Self.statements("DO $$ -- note\n $$;", .postgresql) == ["DO $$ -- note\n $$"])
  }
}
