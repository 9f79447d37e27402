import Foundation

/// Where the rows go: the terminal and a file.
package enum Report {
  package static func printLine(_ row: Row) {
    let name = row.name.padding(toLength: 24, withPad: " ", startingAt: 0)
    print("\(name) ours \(number(row.ours)), \(row.peerName) \(number(row.peer)) \(row.unit)")
    print("  ratio \(row.ratio.map { String(format: "%.3g", $0) } ?? "none")", terminator: "")
    if let allocations = row.allocations {
      print(", allocations \(String(format: "%.3g", allocations))", terminator: "")
    }
    print()
    for note in row.notes { print("  \(note)") }
    fflush(nil)
  }

  /// Writes the rows in the order in which they ran.
  package static func write(_ rows: [Row], to file: String) throws {
    let folder = URL(filePath: ".build/bench", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let path = folder.appending(path: file)
    try encoder.encode(rows).write(to: path, options: .atomic)
    print("written: \(path.path)")
  }

  package static func number(_ value: Double) -> String {
    value >= 100_000 ? String(format: "%.3g", value) : String(format: "%.1f", value)
  }
}
