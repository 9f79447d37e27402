import Foundation
import ReunionFlow
import ReunionTesting

/// Browsers in a process of node (`Tests/World/browsers.mjs`), or another program that answers each line
/// by a line: one for any number of histories.
///
/// *Thread*: one at a time.
package final class NodeBrowsers: BrowserPipe {
  /// Why a pipe gave no answer.
  package struct Ended: Error {}

  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Whether node is on this machine, and the cores of the pages are built.
  package static var isThere: Bool {
    let built = root.appending(path: ".build/web/reunion/core.wasm")
    return node != nil && FileManager.default.fileExists(atPath: built.path)
  }

  private static var node: URL? {
    let paths = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return paths.split(separator: ":").map { URL(filePath: "\($0)/node") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }

  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private let rest = Lock<[UInt8]>([])

  /// Starts the process; `program` is in `Tests/World`.
  package init(_ program: String = "browsers.mjs") throws {
    process.executableURL = Self.node
    process.arguments = [
      "--no-warnings", "--experimental-vm-modules",
      Self.root.appending(path: "Tests/World/\(program)").path,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    // It ends with its input.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  package func tell(_ line: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    var bytes = rest.withLock { $0 }
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        rest.withLock { $0 = Array(bytes[(end + 1)...]) }
        return String(decoding: bytes[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Ended() }
      bytes += more
    }
  }
}
