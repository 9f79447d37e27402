import Foundation
import Testing

/// A program while it runs, and the lines that it has printed.
final class Talker: @unchecked Sendable {
  private let process: Process
  private let input = Pipe()
  private let lock = NSLock()
  private var text = ""

  init(_ arguments: [String], program: String, from place: URL? = nil) throws {
    // A program whose output is a pipe keeps it to itself for long.
    let started = try Program.start(
      URL(filePath: "/usr/bin/stdbuf"), ["-oL", Program.path(program).path] + arguments,
      input: input, from: place)
    process = started.process
    started.output.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      guard !data.isEmpty else { return handle.readabilityHandler = nil }
      self?.lock.withLock { self?.text += String(decoding: data, as: UTF8.self) }
    }
  }

  /// What it has printed, without empty lines.
  var lines: [String] { lock.withLock { text }.split(separator: "\n").map(String.init) }

  /// What it has printed.
  var allLines: [String] { lock.withLock { text }.components(separatedBy: "\n") }

  /// The port of which it says that it listens there.
  var port: Int? {
    lines.lazy.compactMap { $0.firstMatch(of: #/, port (\d+)\.$/#) }.compactMap { Int($0.1) }.first
  }

  func say(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Waits up to two minutes until a line was printed this many times. False if it was not.
  func prints(_ line: String, times: Int = 1) async -> Bool {
    (try? await eventually("“\(line)” is printed", every: .milliseconds(20)) {
      lines.count { $0 == line } >= times
    }) != nil
  }

  /// Waits up to two minutes for a line that fits. Nil if no such line comes.
  func line(_ isIt: (String) -> Bool) async -> String? {
    try? await find("a line is printed", every: .milliseconds(20)) { lines.first(where: isIt) }
  }

  /// Ends its input, and waits for its end.
  func end() throws -> Int32 {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// `reunion serve` on a folder.
struct Served {
  let folder: String
  private let program: Talker

  init(_ folder: String, port: Int = 0) throws {
    self.folder = folder
    program = try Talker(["\(folder)", "--port", "\(port)"], program: "reunion-serve")
  }

  /// The port on which it listens, once it does.
  func port() async -> Int? {
    guard await program.prints("Stop with Ctrl-C.") else { return nil }
    return program.port
  }

  func invite(_ role: String) throws -> String {
    let made = try Program.run("reunion", ["invite", folder, "--role", role, "--json"])
    return try #require(made.last["url"] as? String)
  }

  func kill() { program.kill() }
}
