import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct LockTests {
  @Test func `one connection has the lock, and others learn whose it is`() throws {
    for cluster in try Cluster.all {
      let url = try cluster.makeDatabase()
      let one = try PostgresDatabase(url: url)
      let two = try PostgresDatabase(url: url)
      defer {
        one.close()
        two.close()
      }
      #expect(try two.lockOwner() == nil)
      #expect(try one.takeLock())
      #expect(try one.takeLock())
      #expect(try !two.takeLock())
      #expect(try two.lockOwner() == one.session)
      #expect(one.session.hasPrefix("pid=\(getpid()) session="))
      #expect(one.session.utf8.count <= 100 && !one.session.dropFirst(4).contains("\n"))
      // It lasts over transactions, and is no row.
      try one.begin()
      try one.rollBack()
      #expect(try !two.takeLock())
      try one.releaseLock()
      #expect(try two.takeLock())
      #expect(try !one.takeLock())
    }
  }

  @Test func `the lock goes with its connection`() throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    let one = try PostgresDatabase(url: url)
    let two = try PostgresDatabase(url: url)
    defer { two.close() }
    #expect(try one.takeLock())
    one.close()
    // The server notices the end of a connection on its own time.
    try eventually("the lock is free") { try two.takeLock() }
    #expect(two.hasLock)
  }

  @Test func `schemas and databases have locks of their own`() throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    let one = try PostgresDatabase(url: url)
    try one.execute("CREATE SCHEMA other")
    let two = try PostgresDatabase(url: url + "&currentSchema=other")
    let three = try PostgresDatabase(url: Cluster.fifteen.get().makeDatabase())
    defer { [one, two, three].forEach { $0.close() } }
    #expect(two.schema == "other" && one.schema == "public")
    #expect(try one.takeLock())
    #expect(try two.takeLock())
    #expect(try three.takeLock())
  }
}
