import Foundation
import Testing

@testable import ReunionChangelog
@testable import ReunionChangelogPostgres

/// What statements leave that work in several transactions and fail.
@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct ConcurrentIndexTests {
  private static let table = "--changeset ann:guests\ncreate table guests (id int, mail text);\n"

  /// Runs a changelog, and gives what it was refused for.
  private static func update(
    _ text: String, _ url: String, resume: RunOptions.Resume? = nil
  ) throws -> ChangelogError? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "concurrent-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(("--liquibase formatted sql\n" + text).utf8).write(to: folder.appending(path: "c.sql"))
    let selection = try Selection(dialect: .postgresql)
    let changelog = try ChangelogReader.read("c.sql", in: Files(folder: folder.path), selection)
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    var options = RunOptions()
    options.resume = resume
    do throws(ChangelogError) {
      _ = try ChangelogRun(changelog, on: database, selection, options).update()
      return nil
    } catch {
      return error
    }
  }

  private static func query(_ url: String, _ sql: String) throws -> [[String?]] {
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    return try database.query(sql)
  }

  private static let invalid = "SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid"

  @Test(arguments: [
    "create unique index concurrently guests_mail on guests (mail);",
    "create unique index concurrently if not exists \"guests_mail\" on guests (mail);",
    "CREATE UNIQUE INDEX /* a */ CONCURRENTLY guests_mail ON public.guests (mail)",
  ])
  func `one that fails leaves nothing, and the next run makes it`(statement: String) throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    #expect(try Self.update(Self.table, url) == nil)
    _ = try Self.query(url, "INSERT INTO guests VALUES (1, 'a'), (2, 'a')")
    let text = Self.table + "--changeset ann:mail runInTransaction:false\n\(statement)\n"
    let error = try #require(try Self.update(text, url))
    #expect(error.sentence.contains("public.guests_mail not valid, which is dropped"))
    #expect(try Self.query(url, Self.invalid).isEmpty)
    _ = try Self.query(url, "DELETE FROM guests WHERE id = 2")
    #expect(try Self.update(text, url) == nil)
    let valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'guests_mail'::regclass"
    #expect(try Self.query(url, valid) == [["t"]])
  }

  /// As a process leaves it that was killed, or Liquibase.
  private static func left(_ url: String) throws {
    _ = try query(url, "INSERT INTO guests VALUES (1, 'a'), (2, 'a')")
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    _ = try? database.execute("CREATE UNIQUE INDEX CONCURRENTLY guests_mail ON guests (mail)")
    _ = try query(url, "DELETE FROM guests WHERE id = 2")
    #expect(try query(url, invalid) == [["guests_mail"]])
  }

  @Test(arguments: [
    "create unique index concurrently if not exists guests_mail on guests (mail);",
    "create unique index concurrently on guests (mail);", "reindex table concurrently guests;",
  ])
  func `one that was left is seen, and it is said what to do`(statement: String) throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    #expect(try Self.update(Self.table, url) == nil)
    try Self.left(url)
    let text = Self.table + "--changeset ann:mail runInTransaction:false\n\(statement)\n"
    let error = try #require(try Self.update(text, url))
    #expect(error.sentence.contains("public.guests_mail is there and not valid"))
    #expect(error.remedy?.hasPrefix("DROP INDEX CONCURRENTLY public.guests_mail;") == true)
    let history = "SELECT id FROM databasechangelog"
    #expect(try Self.query(url, history) == [["guests"]])
    _ = try Self.query(url, "DROP INDEX public.guests_mail")
    #expect(try Self.update(text, url) == nil)
  }

  @Test func `indexes of other tables, and one that is made valid, are none of it (control)`()
    throws
  {
    let url = try Cluster.fifteen.get().makeDatabase()
    #expect(try Self.update(Self.table, url) == nil)
    try Self.left(url)
    let other = "create table other (id int);\n--changeset ann:i runInTransaction:false\n"
    let text =
      Self.table
      + "--changeset ann:other\n\(other)create index concurrently other_id on other (id);\n"
    #expect(try Self.update(text, url) == nil)
    let again =
      "--changeset ann:r runInTransaction:false\nreindex index concurrently guests_mail;\n"
    #expect(try Self.update(text + again, url) == nil)
    let drop = "--changeset ann:d runInTransaction:false\ndrop index concurrently guests_mail;\n"
    #expect(try Self.update(text + again + drop, url) == nil)
  }
}
