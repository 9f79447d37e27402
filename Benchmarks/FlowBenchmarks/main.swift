// FlowBenchmarks [names…]: measures all rows, or those named, and writes .build/bench/flow.json.
import Measuring
import Foundation

let all: [(name: String, measure: @Sendable () -> Row)] =
  machineRows + timingRows + signalRows
let wanted = CommandLine.arguments.dropFirst()
let unknown = wanted.filter { name in !all.contains { $0.name == name } }
guard unknown.isEmpty else {
  print("No such row: \(unknown.joined(separator: ", ")). There are:")
  for row in all { print("  \(row.name)") }
  exit(2)
}

let rows = all.filter { wanted.isEmpty || wanted.contains($0.name) }.map { entry in
  let row = entry.measure()
  Report.printLine(row)
  return row
}
try Report.write(rows, to: "flow.json")
