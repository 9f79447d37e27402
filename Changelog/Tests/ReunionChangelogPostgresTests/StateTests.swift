import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct StateTests {
  /// A database with something of most kinds.
  static let everything = """
    CREATE SCHEMA other;
    CREATE TYPE mood AS ENUM ('glad', 'sad');
    CREATE TYPE pair AS (a int, b text);
    CREATE DOMAIN plus AS int DEFAULT 1 CHECK (VALUE > 0);
    CREATE TABLE book (id serial PRIMARY KEY, name text NOT NULL, mood mood DEFAULT 'glad', n plus,
      twice int GENERATED ALWAYS AS (1 + 1) STORED, CHECK (name <> ''));
    CREATE TABLE other.page (id int GENERATED ALWAYS AS IDENTITY, book int REFERENCES book (id));
    CREATE TABLE part (id int, at date) PARTITION BY RANGE (at);
    CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    CREATE INDEX book_name ON book (lower(name)) WHERE id > 3;
    CREATE VIEW names AS SELECT name FROM book;
    CREATE MATERIALIZED VIEW counts AS SELECT count(*) AS n FROM book;
    CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';
    CREATE PROCEDURE nothing() LANGUAGE plpgsql AS 'BEGIN NULL; END';
    CREATE AGGREGATE total (int) (SFUNC = int4pl, STYPE = int, INITCOND = '0');
    CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
    CREATE TRIGGER touched BEFORE UPDATE ON book FOR EACH ROW EXECUTE FUNCTION touch();
    CREATE RULE quiet AS ON DELETE TO other.page DO INSTEAD NOTHING;
    ALTER TABLE book ENABLE ROW LEVEL SECURITY;
    CREATE POLICY seen ON book FOR SELECT USING (id > 0);
    CREATE STATISTICS twin ON id, name FROM book;
    CREATE SEQUENCE tick START 5;
    COMMENT ON TABLE book IS 'what is read';
    GRANT SELECT ON book TO pg_monitor;
    INSERT INTO book (name) VALUES ('a'), ('b'), ('b');
    INSERT INTO part VALUES (1, '2026-05-05');
    """

  /// Changes of which each must show.
  static let changes = [
    "CREATE SCHEMA third", "CREATE TABLE third (a int)", "DROP TABLE other.page",
    "ALTER TABLE book ADD COLUMN more int", "ALTER TABLE book ALTER COLUMN name DROP NOT NULL",
    "ALTER TABLE book ALTER COLUMN mood SET DEFAULT 'sad'", "ALTER TABLE book RENAME COLUMN n TO m",
    "ALTER TABLE book ALTER COLUMN n TYPE bigint", "ALTER TABLE book SET (fillfactor = 50)",
    "ALTER TABLE book ALTER COLUMN name SET STATISTICS 7; ALTER TABLE book REPLICA IDENTITY FULL",
    "ALTER TABLE book DROP CONSTRAINT book_name_check",
    "ALTER TABLE other.page DROP CONSTRAINT page_book_fkey",
    "ALTER TABLE book ADD UNIQUE (id)", "DROP INDEX book_name", "CREATE INDEX ON book (mood)",
    "ALTER INDEX book_name RENAME TO book_names",
    "CREATE OR REPLACE VIEW names AS SELECT name FROM book WHERE id > 1",
    "DROP VIEW names", "DROP MATERIALIZED VIEW counts",
    "REFRESH MATERIALIZED VIEW counts WITH NO DATA",
    "CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 2'",
    "DROP PROCEDURE nothing()",
    "CREATE FUNCTION one(int) RETURNS int LANGUAGE sql AS 'SELECT 1'", "DROP AGGREGATE total (int)",
    "DROP TRIGGER touched ON book", "ALTER TABLE book DISABLE TRIGGER touched",
    "DROP RULE quiet ON other.page",
    "DROP POLICY seen ON book", "ALTER TABLE book DISABLE ROW LEVEL SECURITY",
    "DROP STATISTICS twin",
    "ALTER SEQUENCE tick INCREMENT 2", "DROP SEQUENCE tick",
    "ALTER TYPE mood RENAME VALUE 'sad' TO 'low'", "ALTER TYPE pair ADD ATTRIBUTE c int",
    "DROP TYPE pair",
    "ALTER DOMAIN plus SET DEFAULT 2", "ALTER DOMAIN plus DROP CONSTRAINT plus_check",
    "COMMENT ON TABLE book IS 'else'", "COMMENT ON COLUMN book.name IS 'x'",
    "COMMENT ON FUNCTION one() IS 'x'",
    "GRANT INSERT ON book TO pg_monitor", "REVOKE SELECT ON book FROM pg_monitor",
    "GRANT SELECT (name) ON book TO pg_monitor", "REVOKE EXECUTE ON FUNCTION one() FROM public",
    "CREATE EXTENSION pg_trgm",
    "CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)",
    "CREATE COLLATION mine FROM \"C\"", "CREATE PUBLICATION news FOR TABLE book",
    "CREATE EVENT TRIGGER ended ON ddl_command_end EXECUTE FUNCTION note()",
    "INSERT INTO book (name) VALUES ('c')", "UPDATE book SET name = 'c' WHERE id = 3",
    "DELETE FROM book WHERE id = 3",
    "UPDATE book SET mood = NULL WHERE id = 1", "UPDATE part SET id = 2",
    "ALTER TABLE part DETACH PARTITION part_1",
  ]

  @Test func `each change shows, and nothing shows of one that is undone`() throws {
    for cluster in try Cluster.all {
      try cluster.withDatabase { database in
        try database.execute(Self.everything)
        let before = try database.state(without: [])
        #expect(before.schema.count > 25)
        #expect(before.data["book"]?.rowCount == 3)
        for change in Self.changes {
          try database.begin()
          try database.execute(change)
          #expect(try database.state(without: []) != before, "\(cluster.version): \(change)")
          #expect(database.isInTransaction)
          try database.rollBack()
        }
        #expect(try database.state(without: []) == before)
      }
    }
  }

  @Test func `the order of making, rows that moved and numbers do not show`() throws {
    let cluster = try Cluster.fifteen.get()
    func state(_ statements: [String]) throws -> DatabaseState {
      var state: DatabaseState?
      try cluster.withDatabase { database in
        for statement in statements { try database.execute(statement) }
        state = try database.state(without: [])
      }
      return try #require(state)
    }
    let one = try state([
      "CREATE TABLE a (x int)", "CREATE TABLE b (y int, gone int)",
      "ALTER TABLE b DROP COLUMN gone",
      "INSERT INTO a VALUES (1), (2), (2)",
    ])
    let two = try state([
      "CREATE TABLE junk ()", "CREATE TABLE b (y int)", "CREATE TABLE a (x int)", "DROP TABLE junk",
      "INSERT INTO a VALUES (2), (1)", "INSERT INTO a VALUES (9)", "UPDATE a SET x = 2 WHERE x = 9",
    ])
    #expect(one == two)
    // Each row counts, so that two equal ones are not none.
    let three = try state([
      "CREATE TABLE b (y int)", "CREATE TABLE a (x int)", "INSERT INTO a VALUES (1)",
    ])
    #expect(three.data["a"] != one.data["a"] && three.schema == one.schema)
  }

  @Test func `tables that are left out take their indexes with them`() throws {
    try Cluster.fifteen.get().withDatabase { database in
      let before = try database.state(without: ["HISTORY"])
      try database.execute(
        "CREATE TABLE history (id int PRIMARY KEY, b int CHECK (b > 1)); CREATE INDEX ON history (b)"
      )
      #expect(try database.state(without: ["HISTORY"]) == before)
      #expect(try database.state(without: []).schema.count > before.schema.count + 3)
      try database.execute("CREATE SCHEMA other; CREATE TABLE other.history (id int)")
      #expect(try database.state(without: ["HISTORY"]).schema["table other.history"] != nil)
    }
  }

  @Test func `the search path and formats of a session do not show`() throws {
    try Cluster.fifteen.get().withDatabase { database in
      try database.execute("CREATE SCHEMA other; CREATE TABLE other.a (x timestamptz)")
      try database.execute("INSERT INTO other.a VALUES (now()); CREATE TABLE b (y int)")
      let before = try database.state(without: [])
      try database.execute(
        "SET search_path = other; SET timezone = 'Asia/Tokyo'; SET datestyle = 'German'")
      #expect(try database.state(without: []) == before)
      #expect(try database.query("SHOW search_path") == [["other"]])
    }
  }
}
