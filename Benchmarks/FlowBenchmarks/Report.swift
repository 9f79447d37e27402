import Foundation

/// Where the rows go: the terminal and a file.
enum Report {
  static func printLine(_ row: Row) {
    let name = row.name.padding(toLength: 24, withPad: " ", startingAt: 0)
    print("\(name) ours \(number(row.ours)), \(row.peerName) \(number(row.peer)) \(row.unit)")
    print("  ratio \(String(format: "%.3g", row.ratio))", terminator: "")
    if let allocations = row.allocations {
      print(", allocations \(String(format: "%.3g", allocations))", terminator: "")
    }
    print()
    for note in row.notes { print("  \(note)") }
    fflush(nil)
  }

  /// Writes the rows in the order in which they ran.
  static func write(_ rows: [Row]) throws {
    let folder = URL(filePath: ".build/bench", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let file = folder.appending(path: "flow.json")
    try encoder.encode(rows).write(to: file, options: .atomic)
    print("written: \(file.path)")
  }

  static func number(_ value: Double) -> String {
    value >= 100_000 ? String(format: "%.3g", value) : String(format: "%.1f", value)
  }
}
