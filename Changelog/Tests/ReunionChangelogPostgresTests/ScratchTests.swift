import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"), .serialized)
struct ScratchTests {
  private static func scratches(_ database: PostgresDatabase) throws -> [String] {
    try database.query(
      "SELECT datname FROM pg_database WHERE datname LIKE 'reunion\\_scratch%' ORDER BY 1"
    ).compactMap(\.[0])
  }

  @Test func `a copy is equal, apart, and gone when it is closed`() throws {
    for cluster in try Cluster.all {
      try cluster.withDatabase { database in
        try database.execute(StateTests.everything)
        let before = try database.state(without: [])
        #expect(try database.takeLock())
        let copy = try database.scratchCopy()
        #expect(copy.name.contains("/reunion_scratch_"))
        #expect(try copy.state(without: []) == before)
        try copy.execute("DROP TABLE book CASCADE")
        #expect(try database.state(without: []) == before)
        #expect(try Self.scratches(database).count == 1)
        copy.close()
        #expect(try Self.scratches(database).isEmpty)
        // The lock is still there: it was the same connection all the time.
        #expect(try database.lockOwner() == database.session)
      }
    }
  }

  @Test func `others who are connected do not hinder it`() throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    let database = try PostgresDatabase(url: url)
    let other = try PostgresDatabase(url: url)
    defer {
      database.close()
      other.close()
    }
    try database.execute(StateTests.everything)
    // In a dump what a view keeps is made anew.
    try database.execute("REFRESH MATERIALIZED VIEW counts")
    let before = try database.state(without: [])
    let copy = try database.scratchCopy()
    defer { copy.close() }
    let after = try copy.state(without: [])
    #expect(after.data == before.data)
    for (name, text) in before.schema where after.schema[name] != text {
      Issue.record("\(name): \(text) became \(after.schema[name] ?? "nothing")")
    }
    #expect(after.schema.count == before.schema.count)
  }

  @Test func `the copy of a dead process goes before the next, and a living one's stays`() throws {
    let cluster = try Cluster.fifteen.get()
    let living = try PostgresDatabase(url: cluster.makeDatabase())
    let kept = try living.scratchCopy()
    try cluster.withDatabase { database in
      try database.execute("CREATE DATABASE reunion_scratch_1_1")
      try database.execute("CREATE DATABASE reunion_scratch_mine")
      let copy = try database.scratchCopy()
      let names = try Self.scratches(database)
      #expect(!names.contains("reunion_scratch_1_1"))
      #expect(names.contains("reunion_scratch_mine"))
      #expect(names.count == 3)
      copy.close()
      try database.execute("DROP DATABASE reunion_scratch_mine")
    }
    _ = try kept.query("SELECT 1")
    kept.close()
    living.close()
  }

  @Test func `what the database sets for its sessions holds in the copy`() throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    let first = try PostgresDatabase(url: url)
    try first.execute("CREATE SCHEMA app")
    try first.execute(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = app', current_database()); END $$"
    )
    first.close()
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    #expect(database.schema == "app")
    let copy = try database.scratchCopy()
    #expect(try copy.query("SELECT current_schema()") == [["app"]])
    copy.close()
  }
}

@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct SchemaStatementTests {
  @Test func `statements of a schema make it anew in an empty database`() throws {
    let cluster = try Cluster.fifteen.get()
    try cluster.withDatabase { database in
      try database.execute(StateTests.everything)
      try database.execute(
        """
        CREATE FUNCTION odd() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
        --
        -- no heading
        --
        RETURN ';'; END $$
        """)
      let before = try database.state(without: ["HISTORY"])
      try database.execute("CREATE TABLE history (id int PRIMARY KEY)")
      let statements = try database.schemaStatements(without: ["HISTORY"])
      #expect(statements.count > 20)
      #expect(!statements.contains { $0.hasSuffix(";") || $0.contains("history") })
      try cluster.withDatabase { other in
        for statement in statements { try other.execute(statement) }
        try other.execute("REFRESH MATERIALIZED VIEW counts")
        let after = try other.state(without: []).schema
        #expect(after.keys.sorted() == before.schema.keys.sorted())
        for (name, text) in before.schema { #expect(after[name] == text, "\(name)") }
      }
    }
  }
}
