import Foundation
import ReunionChangelog
import Testing

/// A folder with the files of a changelog, and a database beside them.
final class Workbench {
  let folder: URL
  var events: [RunEvent] = []
  var options = RunOptions()

  init(_ files: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "changelog-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var databasePath: String { folder.appending(path: "app.db").path }

  func write(_ text: String, to name: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func open() throws -> SQLiteDatabase { try SQLiteDatabase(databasePath, mayCreate: true) }

  func read(
    _ name: String = "c.sql", contexts: String? = nil, labels: String? = nil,
    dialect: Dialect = .sqlite, parameters: [String: String] = [:]
  ) throws -> Changelog {
    try ChangelogReader.read(
      name, in: Files(folder: folder.path),
      Selection(contexts: contexts, labels: labels, dialect: dialect), parameters: parameters)
  }

  /// Does something with a run on the database.
  func run<Value>(
    _ name: String = "c.sql", contexts: String? = nil, labels: String? = nil,
    parameters: [String: String] = [:], script: ((String) -> Void)? = nil,
    clock: RunClock = .system, _ body: (ChangelogRun) throws -> Value
  ) throws -> Value {
    let changelog = try read(name, contexts: contexts, labels: labels, parameters: parameters)
    let database = try open()
    defer { database.close() }
    let run = try ChangelogRun(
      changelog, on: database, Selection(contexts: contexts, labels: labels, dialect: .sqlite),
      options, clock: clock, script: script, report: { self.events.append($0) })
    return try body(run)
  }

  /// Updates, and gives the ids of the changesets that were run.
  @discardableResult
  func update(
    _ name: String = "c.sql", _ limit: UpdatePlan.Limit = .all, contexts: String? = nil,
    labels: String? = nil, parameters: [String: String] = [:]
  ) throws -> [String] {
    try run(name, contexts: contexts, labels: labels, parameters: parameters) {
      try $0.update(limit).ran.map(\.id)
    }
  }

  /// The rows of a query, a line of text each.
  func query(_ sql: String) throws -> [String] {
    let database = try open()
    defer { database.close() }
    return try database.query(sql).map { $0.map { $0 ?? "NULL" }.joined(separator: "|") }
  }

  func execute(_ sql: String) throws {
    let database = try open()
    defer { database.close() }
    try database.execute(sql)
  }

  /// What the database holds beside our own tables.
  func state() throws -> DatabaseState {
    let database = try open()
    defer { database.close() }
    return try database.state(without: ChangelogRun.ownTables)
  }

  /// Changesets of formatted SQL, with their header.
  static func formatted(_ text: String) -> String { "--liquibase formatted sql\n\(text)\n" }
}

/// The error that a closure throws; nil where it throws none.
func refusal(_ body: () throws -> Void) throws -> ChangelogError? {
  do {
    try body()
    return nil
  } catch let error as ChangelogError {
    return error
  }
}
