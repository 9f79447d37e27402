import Foundation
import Testing

@testable import ReunionChangelog
@testable import ReunionChangelogPostgres

/// A changeset and its row, whatever the changeset does to the session.
@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct TransactionTests {
  /// Runs a changelog, and gives the error that it ends with.
  private static func update(_ text: String, on url: String) throws -> ChangelogError? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "whole-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("--liquibase formatted sql\n\(text)".utf8).write(to: folder.appending(path: "c.sql"))
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    let selection = try Selection(dialect: .postgresql)
    do throws(ChangelogError) {
      let changelog = try ChangelogReader.read(
        "c.sql", in: Files(folder: folder.path), selection)
      _ = try ChangelogRun(changelog, on: database, selection).update()
      return nil
    } catch {
      return error
    }
  }

  private static func rows(_ query: String, _ url: String) throws -> [String] {
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    return try database.query(query).map { $0.map { $0 ?? "NULL" }.joined(separator: "|") }
  }

  private static let tables = """
    SELECT relname FROM pg_class WHERE relkind = 'r' AND relname IN ('a', 'b') ORDER BY 1
    """

  @Test(arguments: ["", "splitStatements:false", "splitStatements:false stripComments:false"])
  func `a COMMIT in the middle parts nothing`(way: String) throws {
    for cluster in try Cluster.all {
      let url = try cluster.makeDatabase()
      let text = """
        --changeset ann:1 \(way)
        BEGIN; -- remark
        create table a (id int);
        COMMIT -- remark
        ;
        BEGIN;
        create table b (id int);
        select nothing;
        COMMIT;
        """
      let error = try #require(try Self.update(text, on: url))
      #expect(error.place == Place("c.sql", 9))
      #expect(try Self.rows(Self.tables, url) == [])
      let good = text.replacing("select nothing", with: "select 1")
      #expect(try Self.update(good, on: url) == nil)
      #expect(try Self.rows(Self.tables, url) == ["a", "b"])
      #expect(try Self.rows("SELECT id FROM databasechangelog", url) == ["1"])
    }
  }

  @Test func `a transaction that was changed for another is told, and gets no row`() throws {
    // Where backslashes escape quotes, the server sees words that stand in a text for everybody else.
    let url = try Cluster.fifteen.get().makeDatabase()
    let text = #"""
      --changeset ann:0
      set standard_conforming_strings = off;
      --changeset ann:1 splitStatements:false stripComments:false
      select 'x\''; create table a (id int); COMMIT; BEGIN; select ';--';
      """#
    let error = try #require(try Self.update(text, on: url))
    #expect(error.sentence.contains("ended the transaction that it shares with its row"))
    #expect(error.kind == .partial)
    #expect(try Self.rows("SELECT id FROM databasechangelog", url) == ["0"])
  }

  @Test(arguments: [
    "DO $$ BEGIN COMMIT; END $$;",
    "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$;\nCALL p();",
  ])
  func `a procedure that commits is refused by the server, and nothing of it stays`(
    sql: String
  ) throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    let text = "--changeset ann:1\ncreate table a (id int);\n\(sql)\n"
    let error = try #require(try Self.update(text, on: url))
    #expect(error.sentence.contains("invalid transaction termination"))
    #expect(error.remedy == "runInTransaction:false in the line of the changeset")
    #expect(try Self.rows(Self.tables, url) == [])
    let free = text.replacing("ann:1", with: "ann:1 runInTransaction:false")
    #expect(try Self.update(free, on: url) == nil)
    #expect(try Self.rows("SELECT id FROM databasechangelog", url) == ["1"])
  }

  // MARK: search_path

  @Test(arguments: [
    "SELECT pg_catalog.set_config('search_path', '', false)", "SET search_path = other",
  ])
  func `the history stays in its schema, whatever search_path a changeset leaves`(
    setting: String
  ) throws {
    for cluster in try Cluster.all {
      let url = try cluster.makeDatabase()
      let text = """
        --changeset ann:1
        create schema other;
        \(setting);
        --changeset ann:2 runInTransaction:false
        create table public.a (id int);
        --changeset ann:3
        --preconditions onFail:HALT
        --precondition-table-exists table:a
        create table public.b (id int);
        """
      #expect(try Self.update(text, on: url) == nil)
      #expect(try Self.rows(Self.tables, url) == ["a", "b"])
      let places =
        "SELECT relnamespace::regnamespace FROM pg_class WHERE relname = 'databasechangelog'"
      #expect(try Self.rows(places, url) == ["public"])
      #expect(
        try Self.rows("SELECT id FROM databasechangelog ORDER BY orderexecuted", url)
          == ["1", "2", "3"])
      #expect(try Self.rows("SELECT locked FROM databasechangeloglock", url) == ["f"])
    }
  }

  @Test(arguments: [("My%20%22Own%22", #""My ""Own""""#), ("user", #""user""#)])
  func `a schema with an odd name has a history of its own`(word: String, name: String) throws {
    let url = try Cluster.fifteen.get().makeDatabase()
    _ = try Self.rows("CREATE SCHEMA \(name)", url)
    let text = "--changeset ann:1\nSET search_path = public;\n--changeset ann:2\nselect 1;\n"
    #expect(try Self.update(text, on: url + "&currentSchema=\(word)") == nil)
    #expect(
      try Self.rows("SELECT id FROM \(name).databasechangelog ORDER BY 1", url) == ["1", "2"])
  }
}
