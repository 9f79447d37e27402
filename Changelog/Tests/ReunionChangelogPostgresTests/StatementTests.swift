import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct StatementTests {
  @Test func `values go in and come out whole`() throws {
    for cluster in try Cluster.all {
      try cluster.withDatabase { database in
        try database.execute("CREATE TABLE book (id int, name text)")
        let names = ["", "it's", "ü 🙂", "a\nb", "$1", "\\", nil]
        for (number, name) in names.enumerated() {
          _ = try database.query("INSERT INTO book VALUES ($1, $2)", ["\(number)", name])
        }
        #expect(try database.query("SELECT name FROM book ORDER BY id").map(\.[0]) == names)
        #expect(try database.query("SELECT 1 WHERE false").isEmpty)
      }
    }
  }

  @Test func `an error names its place in bytes, its code and what helps`() throws {
    try Cluster.fifteen.get().withDatabase { database in
      let statement = "SELECT 'ü🙂', nothing"
      let told = failure { try database.execute(statement) }
      let error = try #require(told)
      #expect(error.code == "42703")
      #expect(
        error.offset == Array(statement.utf8).firstRange(of: Array("nothing".utf8))?.lowerBound)
      #expect(!error.isDisconnected && !error.message.hasSuffix("."))
      try database.execute(
        "CREATE TABLE book (name text PRIMARY KEY); INSERT INTO book VALUES ('a')")
      let again = failure {
        try database.execute("INSERT INTO book VALUES ('a')")
      }
      #expect(again?.message.contains("Key (name)=(a) already exists") == true)
    }
  }

  @Test func `the place of a character counts bytes (negative control)`() {
    let text = Array("aü🙂b".utf8)[...]
    #expect((1...5).map { PostgresConnection.offset(of: $0, in: text) } == [0, 1, 3, 7, 8])
  }

  @Test(arguments: [
    "COPY book FROM STDIN", "COPY book TO STDOUT", "COPY (SELECT generate_series(1, 9)) TO STDOUT",
  ])
  func `a statement that would talk on is refused, and the connection lives`(statement: String)
    throws
  {
    try Cluster.fifteen.get().withDatabase { database in
      try database.execute("CREATE TABLE book (name text)")
      let error = failure { try database.execute(statement) }
      #expect(error?.message.contains("write INSERT instead") == true)
      #expect(error?.code == "0A000")
      #expect(try database.query("SELECT count(*) FROM book") == [["0"]])
      try database.begin()
      _ = failure { try database.execute(statement) }
      try database.rollBack()
      #expect(!database.isInTransaction)
    }
  }

  @Test func `a zero byte is refused where it stands`() throws {
    try Cluster.fifteen.get().withDatabase { database in
      let error = failure {
        try database.execute("SELECT 1\u{0}; DROP")
      }
      #expect(error?.offset == 8)
    }
  }

  @Test func `many rows are dropped as they come`() async throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    // In a process of its own: this one's memory is also that of the tests beside.
    await #expect(processExitsWith: .success) { [url = url as String] in
      let database = try PostgresDatabase(url: url)
      defer { database.close() }
      let before = StatementTests.residentBytes()
      // 200 MB of them.
      try database.execute("SELECT repeat('x', 1000000) FROM generate_series(1, 200)")
      #expect(StatementTests.residentBytes() - before < 100_000_000)
    }
  }

  static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  @Test func `notices are passed on`() throws {
    var told: [String] = []
    let database = try PostgresDatabase(url: Cluster.fifteen.get().makeDatabase()) {
      told.append($0)
    }
    defer { database.close() }
    try database.execute("DROP TABLE IF EXISTS nothing")
    try database.execute("DO $$ BEGIN RAISE WARNING 'look here'; END $$")
    #expect(told == ["table \"nothing\" does not exist, skipping", "look here"])
  }

  // MARK: Transactions

  @Test func `a transaction is whole, and one that failed does not pass for committed`() throws {
    try Cluster.fifteen.get().withDatabase { database in
      try database.begin()
      #expect(database.isInTransaction)
      try database.execute("CREATE TABLE book (id int)")
      try database.rollBack()
      #expect(!database.isInTransaction)
      #expect(try database.query("SELECT to_regclass('book')") == [[nil]])
      try database.begin()
      try database.execute("CREATE TABLE book (id int)")
      _ = failure { try database.execute("SELECT nothing") }
      #expect(database.isInTransaction)
      let error = failure { try database.commit() }
      #expect(error?.code == "25P02")
      #expect(try database.query("SELECT to_regclass('book')") == [[nil]])
      try database.rollBack()
    }
  }

  @Test(arguments: [
    "CREATE INDEX CONCURRENTLY book_id ON book (id)", "VACUUM book",
    "REINDEX TABLE CONCURRENTLY book",
    "ALTER SYSTEM SET work_mem = '5MB'",
  ])
  func `what no transaction takes runs without one`(statement: String) throws {
    try Cluster.fifteen.get().withDatabase { database in
      try database.execute("CREATE TABLE book (id int)")
      try database.execute(statement)
      try database.begin()
      let error = failure { try database.execute(statement) }
      #expect(error?.code == "25001")
      try database.rollBack()
    }
  }

  @Test func `a connection that is cut says so, and ends no process`() throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    let database = try PostgresDatabase(url: url)
    let other = try PostgresDatabase(url: url)
    try database.begin()
    #expect(try database.takeLock())
    let number = try #require(database.query("SELECT pg_backend_pid()").first?.first ?? nil)
    _ = try other.query("SELECT pg_terminate_backend($1::int)", [number])
    let error = failure { try database.execute("SELECT 1") }
    #expect(error?.isDisconnected == true)
    try database.rollBack()
    try database.releaseLock()
    let again = failure { _ = try database.query("SELECT 1") }
    #expect(again?.isDisconnected == true)
    database.close()
    database.close()
    let closed = failure { try database.execute("SELECT 1") }
    #expect(closed?.isDisconnected == true)
    #expect(try other.takeLock())
    other.close()
  }
}
