// StoreBenchmarks [names…]: measures all rows, or those named, and writes .build/bench/store.json.
import Foundation
import Measuring

if CommandLine.arguments.dropFirst().first == "--newcomer" {
  try await Child.takeSpace(of: CommandLine.arguments[2], to: CommandLine.arguments[3])
  exit(0)
}
if CommandLine.arguments.dropFirst().first == "--captions" {
  let words = CommandLine.arguments
  try await Captions.run(words[2], words[3], words[4], photoBytes: Int(words[5]) ?? 0)
  exit(0)
}
if CommandLine.arguments.dropFirst().first == "--child" {
  try Child.run(CommandLine.arguments[2], CommandLine.arguments[3])
  exit(0)
}

let all: [(name: String, measure: @Sendable () throws -> Row)] =
  writeRows + recordRows + searchRows + sizeRows + liveRows + upgradeRows
let wanted = CommandLine.arguments.dropFirst()
let unknown = wanted.filter { name in !all.contains { $0.name == name } }
guard unknown.isEmpty else {
  print("No such row: \(unknown.joined(separator: ", ")). There are:")
  for row in all { print("  \(row.name)") }
  exit(2)
}

let rows = try all.filter { wanted.isEmpty || wanted.contains($0.name) }.map { entry in
  let row = try entry.measure()
  Report.printLine(row)
  return row
}
try Report.write(rows, to: "store.json")
