import Foundation
import Testing

/// The command `reunion`, as a process of its own.
enum Command {
  struct Run {
    let status: Int32
    let output: String
    let errors: String
    /// The objects of `--json`, a line each.
    let lines: [[String: Any]]

    var last: [String: Any] { lines.last ?? [:] }
  }

  /// The command as it was built.
  static var program: URL {
    get throws {
      let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
      let near = [
        products, Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
      ]
      let programs = near.map { $0.appending(path: "reunion") }
      let found = programs.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      return try #require(found)
    }
  }

  static func start(
    _ arguments: [String], input: Pipe = Pipe(), program other: URL? = nil, from folder: URL? = nil,
    environment: [String: String]? = nil
  ) throws -> (process: Process, output: Pipe, errors: Pipe) {
    let process = Process()
    process.executableURL = try other ?? program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    if let environment {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return (process, output, errors)
  }

  /// Runs it to its end.
  static func run(_ arguments: String...) throws -> Run { try run(arguments) }

  /// Runs it to its end.
  static func run(
    _ arguments: [String], input: Data = Data(), program: URL? = nil, from folder: URL? = nil,
    environment: [String: String]? = nil
  ) throws -> Run {
    let pipe = Pipe()
    let (process, output, errors) = try start(
      arguments, input: pipe, program: program, from: folder, environment: environment)
    try? pipe.fileHandleForWriting.write(contentsOf: input)
    try pipe.fileHandleForWriting.close()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Run(
      status: process.terminationStatus, output: said, errors: complaint,
      lines: said.split(separator: "\n").compactMap { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
      })
  }
}
