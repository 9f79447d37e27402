import ChangelogSamples
import Foundation
import Testing

@testable import ReunionChangelog

/// Ours on the generated changelogs that run, beside what Liquibase 4.6.2 left of them.
@Suite struct RecordedRunTests {
  static func recorded() throws -> [String: RecordedRun] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try RecordedRun.all(in: folder.appending(path: "Vectors/applied.json"))
  }

  /// Takes the steps as the yardstick does, and gives what was there after each.
  private static func take(
    _ sample: RunnableSample, middle: Int
  ) throws -> [String: RecordedRun.Step] {
    let bench = try Workbench()
    for file in sample.files {
      try bench.write(String(decoding: file.bytes, as: UTF8.self), to: file.name)
    }
    bench.options.checksumVersion = 8
    bench.options.keepsCopy = false
    let name = sample.files[0].name
    var seen: [String: RecordedRun.Step] = [:]
    for step in RecordedRun.steps {
      try bench.run(name) { run in
        switch step {
        case "middle":
          _ = try run.update(.count(middle))
          try run.setTag("middle")
        case "back": _ = try run.rollBack(.tag("middle"))
        default: _ = try run.update()
        }
      }
      seen[step] = try look(bench)
    }
    return seen
  }

  /// Schema and rows as lines, in the order of databases.py.
  private static func look(_ bench: Workbench) throws -> RecordedRun.Step {
    let database = try bench.open()
    defer { database.close() }
    let columns = RecordedRun.columns.joined(separator: ", ")
    let history = try database.query(
      "SELECT \(columns) FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED, ID")
    var lines: [String] = []
    var tables: [String] = []
    let objects = try database.query(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2"
    ).map { $0.map { $0 ?? "None" } }
    for object in objects {
      let isOwn = ["databasechangelog", "reunion_changelog"].contains {
        object[2].lowercased().hasPrefix($0)
      }
      guard !isOwn, !object[1].hasPrefix("sqlite_") else { continue }
      lines.append("\(object[0]) \(object[1]) on \(object[2]): \(object[3])")
      if object[0] == "table" { tables.append(object[1]) }
    }
    for table in tables {
      let names = try database.query("SELECT name FROM pragma_table_info($1)", [table])
      let told = names.map { "quote(\"\($0[0] ?? "")\")" }.joined(separator: " || ',' || ")
      lines += try database.query("SELECT \(told) FROM \"\(table)\"")
        .map { "\(table): \($0[0] ?? "None")" }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    return RecordedRun.Step(history: history, digest: MD5.hexadecimal(of: lines))
  }

  @Test func `each leaves schema, data and history as 4.6.2 did`() throws {
    let recorded = try Self.recorded()
    for number in 0..<RunnableSamples.count {
      let wanted = try #require(recorded["sqlite \(number)"])
      let sample = RunnableSamples.sample(number, .sqlite)
      let seen = try Self.take(sample, middle: sample.middle)
      for step in RecordedRun.steps { #expect(seen[step] == wanted[step], "\(number) \(step)") }
    }
  }

  @Test func `one changeset less in the middle is seen (negative control)`() throws {
    let wanted = try #require(try Self.recorded()["sqlite 0"])
    let sample = RunnableSamples.sample(0, .sqlite)
    let seen = try Self.take(sample, middle: sample.middle - 1)
    #expect(seen["middle"] != wanted["middle"])
    #expect(seen["middle"]?.digest != wanted["middle"]?.digest)
  }
}

extension MD5 {
  fileprivate static func hexadecimal(of lines: [String]) -> String {
    var digest = MD5()
    digest.update(Array(lines.joined(separator: "\n").utf8))
    return digest.hexadecimal()
  }
}
