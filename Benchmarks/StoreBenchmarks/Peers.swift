import Foundation

/// Libraries that keep a document in memory, measured by `crdt_peers.py` in this run.
struct Peers: Decodable {
  let name: String
  /// What a document of workload M takes when it is written out.
  let bytes: Double
  /// From that to the first field, in a new process, in CPU seconds.
  let openSeconds: Double
  /// Of the process that did workload M, over an empty one.
  let peakBytes: Double

  /// Those that are installed.
  static let all: [Peers] = {
    let process = Process()
    process.executableURL = URL(filePath: ".build/venv/bin/python")
    process.arguments = ["Benchmarks/crdt_peers.py"]
    let output = Pipe()
    process.standardOutput = output
    guard (try? process.run()) != nil else { return [] }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (try? JSONDecoder().decode([Peers].self, from: data)) ?? []
  }()

  static func notes(_ line: (Peers) -> String) -> [String] { all.map(line) }
}
