import ChangelogSamples
import Foundation
import Testing

@testable import ReunionChangelog
@testable import ReunionChangelogPostgres

/// Ours on the generated changelogs that run, beside what Liquibase 4.6.2 left of them.
@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct RecordedRunTests {
  private static func recorded() throws -> [String: RecordedRun] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try RecordedRun.all(in: folder.appending(path: "Vectors/applied.json"))
  }

  /// Takes the steps as the yardstick does, and gives what was there after each.
  private static func take(
    _ sample: RunnableSample, middle: Int
  ) throws -> [String: RecordedRun.Step] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "recorded-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in sample.files {
      let path = folder.appending(path: file.name)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.bytes).write(to: path)
    }
    let url = try Cluster.fifteen.get().makeDatabase()
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    let selection = try Selection(dialect: .postgresql)
    var options = RunOptions()
    options.checksumVersion = 8
    let changelog = try ChangelogReader.read(
      sample.files[0].name, in: Files(folder: folder.path), selection)
    let run = ChangelogRun(changelog, on: database, selection, options)
    var seen: [String: RecordedRun.Step] = [:]
    for step in RecordedRun.steps {
      switch step {
      case "middle":
        _ = try run.update(.count(middle))
        try run.setTag("middle")
      case "back": _ = try run.rollBack(.tag("middle"))
      default: _ = try run.update()
      }
      let columns = RecordedRun.columns.joined(separator: ", ")
      let history = try database.query(
        "SELECT \(columns) FROM databasechangelog ORDER BY orderexecuted, id")
      seen[step] = RecordedRun.Step(history: history, digest: try digest(url))
    }
    return seen
  }

  /// Of the lines of `pg_dump`, in the order of databases.py.
  private static func digest(_ url: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/lib/postgresql/15/bin/pg_dump")
    process.arguments = [
      "--no-owner", "--inserts", "--rows-per-insert=1", "--exclude-table=databasechangelog*",
      "--exclude-table=reunion_changelog*", url,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let told = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let left = ["--", "SET ", "SELECT pg_catalog.set_config", "\\"]
    let lines = told.split(whereSeparator: \.isNewline).filter { line in
      !left.contains { line.hasPrefix($0) }
    }
    let rows = lines.filter { $0.hasPrefix("INSERT ") }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let all = lines.filter { !$0.hasPrefix("INSERT ") } + rows
    var digest = MD5()
    digest.update(Array(all.joined(separator: "\n").utf8))
    return digest.hexadecimal()
  }

  @Test func `each leaves schema, data and history as 4.6.2 did`() throws {
    let recorded = try Self.recorded()
    // Of each kind of file and line one.
    let numbers = Cluster.isFull ? Array(0..<RunnableSamples.count) : [0, 5, 10, 15, 19]
    for number in numbers {
      let wanted = try #require(recorded["postgresql \(number)"])
      let sample = RunnableSamples.sample(number, .postgresql)
      let seen = try Self.take(sample, middle: sample.middle)
      for step in RecordedRun.steps { #expect(seen[step] == wanted[step], "\(number) \(step)") }
    }
  }

  @Test func `one changeset less in the middle is seen (negative control)`() throws {
    let wanted = try #require(try Self.recorded()["postgresql 0"])
    let sample = RunnableSamples.sample(0, .postgresql)
    let seen = try Self.take(sample, middle: sample.middle - 1)
    #expect(seen["middle"] != wanted["middle"])
    #expect(seen["middle"]?.digest != wanted["middle"]?.digest)
  }
}
