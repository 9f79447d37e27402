import Foundation
import Testing

@testable import ReunionChangelog
@testable import ReunionChangelogPostgres

/// Debian's pgbouncer in front of a server: one that keeps sessions, and one that does not.
@Suite(
  .enabled(
    if: Cluster.hasFifteen && FileManager.default.isExecutableFile(atPath: Pooler.program),
    "pgbouncer or PostgreSQL 15 is not installed"), .serialized)
struct PoolerTests {
  @Test func `a pooler in transaction mode is refused before anything is changed`() throws {
    let pooler = try Pooler("transaction")
    defer { pooler.stop() }
    let update = try Update(on: Cluster.fifteen.get(), address: pooler.url)
    defer { update.removeFolder() }
    let told = try update.run()
    #expect(told.status == 1)
    #expect(
      told.errors.contains("a pooler in transaction mode is in front of the server")
        && told.errors.contains("give the server's own address"))
    let database = try PostgresDatabase(url: update.url)
    defer { database.close() }
    #expect(try database.query("SELECT to_regclass('databasechangeloglock')") == [[nil]])
    // What only reads may read through it, and leaves no setting behind for whoever has the session next.
    #expect(try !database.takeLock(orRefuse: "pooler"))
    let timeout =
      "SELECT setting FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'"
    #expect(try database.query(timeout + " AND source = 'session'").isEmpty)
  }

  @Test func `a pooler by session keeps the lock, and each changeset runs once`() throws {
    let pooler = try Pooler("session")
    defer { pooler.stop() }
    let update = try Update(on: Cluster.fifteen.get(), address: pooler.url)
    defer { update.removeFolder() }
    let one = try PostgresDatabase(url: update.url)
    let two = try PostgresDatabase(url: update.url)
    #expect(try one.takeLock())
    #expect(try !two.takeLock())
    one.close()
    try eventually("the lock is free") { try two.takeLock() }
    #expect(two.hasLock)
    two.close()
    let processes = try (0..<4).map { _ in try update.start() }
    processes.forEach { $0.waitUntilExit() }
    #expect(processes.map(\.terminationStatus) == [0, 0, 0, 0])
    #expect(try update.faults() == [])
  }
}

extension PostgresDatabase {
  /// Whether it takes the lock; false where it is refused with such a word.
  fileprivate func takeLock(orRefuse word: String) throws -> Bool {
    do {
      return try takeLock()
    } catch {
      #expect(error.message.contains(word))
      return false
    }
  }
}

/// A pgbouncer of a test's own, in front of the cluster.
final class Pooler {
  static let program = "/usr/sbin/pgbouncer"
  /// As the cluster's, with the pooler's port.
  let url: String
  private let process = Process()
  private let folder: URL

  init(_ mode: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "pooler-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let cluster = try Cluster.fifteen.get()
    let parts = try #require(
      try cluster.url.firstMatch(of: Regex(#":(\d+)/postgres\?passfile=(.*)$"#)))
    let (port, file) = (parts.output[1].substring ?? "", parts.output[2].substring ?? "")
    let line = try String(contentsOfFile: String(file), encoding: .utf8)
    let word = line.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: ":")
    let free = try Self.freePort()
    url = cluster.url.replacing(":\(port)/", with: ":\(free)/")
    let settings = """
      [databases]
      * = host=127.0.0.1 port=\(port) user=reunion password=\(word.last ?? "")
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = \(free)
      unix_socket_dir =
      auth_type = any
      pool_mode = \(mode)
      """
    let path = folder.appending(path: "pooler.ini").path
    try Data(settings.utf8).write(to: URL(filePath: path))
    // It refuses to be root, too.
    let isRoot = getuid() == 0
    process.executableURL = URL(filePath: isRoot ? "/usr/sbin/runuser" : Self.program)
    process.arguments = isRoot ? ["-u", "postgres", "--", Self.program, path] : [path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let database = try find("pgbouncer listens, or ends", every: .milliseconds(20)) {
      guard process.isRunning else { throw Cluster.Failure.notStarted("pgbouncer") }
      return try? PostgresDatabase(url: url)
    }
    database.close()
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func freePort() throws -> UInt16 {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let got = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
      }
    }
    guard got else { throw Cluster.Failure.notStarted("no port is free") }
    return UInt16(bigEndian: address.sin_port)
  }
}
