import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// How much the fault tests do: a slice, or all of it where `REUNION_FAULTS=full`.
enum FaultCount {
  static let isFull = ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full"

  static func of(slice: Int, full: Int) -> Int { isFull ? full : slice }
}

/// A program of this build, started beside the tests.
final class Program {
  let process = Process()
  private let output: URL
  private let errors: URL

  struct Result {
    let status: Int32
    let wasKilled: Bool
    let output: String
    let errors: String
  }

  static func path(_ name: String) throws -> URL {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let near = [products, Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
    let found = near.map { $0.appending(path: name) }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
    guard let found else { throw CocoaError(.fileNoSuchFile) }
    return found
  }

  convenience init(
    _ name: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:]
  ) throws {
    try self.init(path: Self.path(name), arguments, in: folder, environment: environment)
  }

  init(
    path: URL, _ arguments: [String], in folder: URL, environment: [String: String] = [:]
  ) throws {
    process.executableURL = path
    process.arguments = arguments
    process.currentDirectoryURL = folder
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    // Files, not pipes: nobody has to read while it runs.
    output = FileManager.default.temporaryDirectory.appending(path: "out-\(UUID())")
    errors = FileManager.default.temporaryDirectory.appending(path: "err-\(UUID())")
    for file in [output, errors] {
      try Data().write(to: file)
    }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
  }

  deinit {
    for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
  }

  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// What it has printed so far.
  var said: String { get throws { try String(contentsOf: output, encoding: .utf8) } }

  func wait() throws -> Result {
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      wasKilled: process.terminationReason == .uncaughtSignal,
      output: try said,
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  static func run(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:]
  ) throws -> Result {
    try Program("reunion-changelog", arguments, in: folder, environment: environment).wait()
  }
}
