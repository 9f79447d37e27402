import Foundation
import ReunionChangelog
import Testing

@testable import ReunionChangelogPostgres

/// A PostgreSQL of the tests' own, which ends with their process: `Scripts/postgres.sh` starts it.
final class Cluster: Sendable {
  enum Failure: Error { case notStarted(String) }

  static let fifteen = Result { try Cluster(version: 15) }
  static let eighteen = Result { try Cluster(version: 18) }

  /// Debian's server is there, and may be started.
  static let hasFifteen = FileManager.default.isExecutableFile(
    atPath: "/usr/lib/postgresql/15/bin/initdb")
  static let isFull = ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full"

  /// Those that a test runs on: 15, and with the full counts 18 too.
  static var all: [Cluster] {
    get throws { try [fifteen.get()] + (isFull ? [eighteen.get()] : []) }
  }

  let url: String
  let version: Int

  private init(version: Int) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let process = Process()
    process.executableURL = root.appending(path: "Scripts/postgres.sh")
    process.arguments = ["\(version)", "\(getpid())"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let told = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure.notStarted(told) }
    url = told.trimmingCharacters(in: .whitespacesAndNewlines)
    self.version = version
  }

  /// The URL of a new database of this cluster.
  func makeDatabase() throws -> String {
    let name = "t" + UUID().uuidString.lowercased().prefix(8)
    let database = try PostgresDatabase(url: url)
    defer { database.close() }
    try database.execute("CREATE DATABASE \(name)")
    return url.replacing("/postgres?", with: "/\(name)?")
  }

  /// Runs a body with a connection to a new database.
  func withDatabase(_ body: (PostgresDatabase) throws -> Void) throws {
    let database = try PostgresDatabase(url: makeDatabase())
    defer { database.close() }
    try body(database)
  }
}

/// The error of a database that a body throws.
func failure(_ body: () throws -> Void) -> DatabaseError? {
  do {
    try body()
    return nil
  } catch {
    return error as? DatabaseError
  }
}
