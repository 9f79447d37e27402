import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

/// A changelog whose every changeset shows whether it was run once and whole, and processes that run it.
struct Update {
  static let count = 24
  let folder: URL
  let url: String
  /// nil for the program itself, else the bug of the fixture that runs in its place.
  var bug: String?

  /// A changelog of `count` changesets on a new database, which may have another address as well.
  init(on cluster: Cluster, bug: String? = nil, address: String? = nil) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "update-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let made = try cluster.makeDatabase()
    let name = made.split(separator: "?")[0].split(separator: "/").last ?? ""
    url = address?.replacing("/postgres?", with: "/\(name)?") ?? made
    self.bug = bug
    var text = "--liquibase formatted sql\n--changeset ann:0\nCREATE TABLE done (id int);\n"
    for number in 1..<Self.count {
      text += """
        --changeset ann:\(number)
        INSERT INTO done VALUES (\(number));
        CREATE TABLE made_\(number) (id int);
        INSERT INTO done VALUES (\(number));

        """
    }
    try Data(text.utf8).write(to: folder.appending(path: "changelog.sql"))
  }

  func removeFolder() { try? FileManager.default.removeItem(at: folder) }

  /// Starts an update as a process.
  func start() throws -> Process {
    let process = Process()
    process.currentDirectoryURL = folder
    process.executableURL = try Self.program(bug == nil ? "reunion-changelog" : "changelog-bugs")
    process.arguments =
      bug.map { [$0, url, folder.path, "changelog.sql"] }
      ?? ["update", "--url", url, "--changelog", "changelog.sql"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Runs an update to its end.
  func run() throws -> (status: Int32, errors: String) {
    let process = Process()
    process.currentDirectoryURL = folder
    process.executableURL = try Self.program("reunion-changelog")
    process.arguments = ["update", "--url", url, "--changelog", "changelog.sql"]
    let pipe = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = pipe
    try process.run()
    let errors = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, errors)
  }

  /// Where a program of this build is.
  private static func program(_ name: String) throws -> URL {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let near = [products, Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
    let found = near.map { $0.appending(path: name) }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
    guard let found else { throw CocoaError(.fileNoSuchFile) }
    return found
  }

  /// What is wrong with the database after all is done: each changeset must have been run once.
  func faults() throws -> [String] {
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    var faults = try halves(database)
    let rows = try database.query("SELECT id, count(*) FROM databasechangelog GROUP BY id")
    if rows.count != Self.count { faults.append("\(rows.count) changesets are recorded") }
    for row in rows where row[1] != "1" {
      faults.append("\(row[0] ?? "") is recorded \(row[1] ?? "")×")
    }
    if try database.query("SELECT 1 FROM databasechangeloglock WHERE locked").count > 0 {
      faults.append("the lock's row is left")
    }
    if try database.lockOwner() != nil { faults.append("the lock is left") }
    return faults
  }

  /// Changesets of which a part is there, or all without a row.
  func halves(_ database: PostgresDatabase) throws -> [String] {
    guard try database.query("SELECT to_regclass('done')") != [[nil]] else { return [] }
    return try database.query(
      """
      SELECT coalesce(d.id, h.id), coalesce(d.n, 0), h.id IS NOT NULL
      FROM (SELECT id::text, count(*) AS n FROM done GROUP BY id) AS d
      FULL JOIN (SELECT id FROM databasechangelog WHERE id <> '0') AS h ON h.id = d.id
      WHERE d.n IS DISTINCT FROM 2 OR h.id IS NULL
      """
    ).map { row in "\(row[0] ?? "") ran \(row[1] ?? "")/2, recorded: \(row[2] ?? "")" }
  }
}
