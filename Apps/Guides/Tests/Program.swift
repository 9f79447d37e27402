import Foundation
import Testing

/// The programs of this build.
enum Program {
  struct Run {
    let status: Int32
    let output: String
    let errors: String

    /// The last object of `--json`, of which each stands on a line.
    var last: [String: Any] {
      let lines = output.split(separator: "\n").map { Data($0.utf8) }
      return lines.compactMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }.last
        ?? [:]
    }
  }

  /// Where a program is. Those of the library are made into the same folder.
  static func path(_ name: String) throws -> URL {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let near = [products, Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
    let found = near.map { $0.appending(path: name) }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
    return try #require(found, "\(name) was not built.")
  }

  static func start(
    _ program: URL, _ arguments: [String], input: Pipe = Pipe(), from folder: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> (process: Process, output: Pipe, errors: Pipe) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return (process, output, errors)
  }

  /// Runs a program of this build to its end.
  static func run(_ name: String, _ arguments: [String]) throws -> Run {
    try run(path(name), arguments)
  }

  /// Runs a program to its end, without input.
  static func run(
    _ program: URL, _ arguments: [String], from folder: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> Run {
    let input = Pipe()
    let (process, output, errors) = try start(
      program, arguments, input: input, from: folder, environment: environment)
    try input.fileHandleForWriting.close()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Run(status: process.terminationStatus, output: said, errors: complaint)
  }
}
