// FeedBenchmarks [names…]: reads 100 MB of Atom on every route, and writes .build/bench/feeds.json.
import Foundation
import Measuring

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--child", let route = Route(rawValue: arguments[1]) {
  // In a process of its own, because memory is counted for all of one.
  keep(try route.run())
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
  print(line.filter(\.isNumber))
  exit(0)
}

let size = try QuakeFeed.make()
if arguments.first == "--once", let route = Route(rawValue: arguments[1]) {
  // For a profiler.
  for _ in 0..<(arguments.count > 2 ? Int(arguments[2]) ?? 1 : 1) { keep(try route.run()) }
  exit(0)
}

// All routes find the same, to the last byte.
let found = try Route.push.run(isHashing: true)
for route in [Route.strings, .c, .foundation] {
  let other = try route.run(isHashing: true)
  guard other == found else { fatalError("\(route) found \(other), and not \(found)") }
}
var typed = try Route.entries.run()
guard typed.entries == found.entries, typed.bytes == found.bytes, typed.places == found.places
else {
  fatalError("entries found \(typed), and not \(found)")
}
print("\(found.entries) entries of \(size) bytes, the same on all routes")

func peakBytes(_ route: Route) throws -> Double {
  let process = Process()
  process.executableURL = URL(filePath: CommandLine.arguments[0])
  process.arguments = ["--child", route.rawValue]
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard let kilobytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
    fatalError("the child \(route) failed: \(text)")
  }
  return kilobytes * 1024
}

let megabytes = size >> 20
@MainActor func speed(_ name: String, _ ours: Route, _ peer: Route, _ note: String) throws -> Row {
  let times = try Measure.pair(
    operations: megabytes, rounds: 7, ours: { keep(try ours.run()) }, peer: { keep(try peer.run()) }
  )
  var row = Row(
    name, ours: times.ours / 1000, peer: times.peer / 1000, peerName: peer.rawValue,
    unit: "CPU microseconds for 1 MB")
  row.notes = [
    note,
    "ours \(Report.number(1e9 / times.ours)) MB/s, \(peer.rawValue) \(Report.number(1e9 / times.peer)) MB/s",
  ]
  return row
}

@MainActor func memory(_ name: String, _ ours: Route, _ peer: Route) throws -> Row {
  Row(
    name, ours: try peakBytes(ours), peer: try peakBytes(peer), peerName: peer.rawValue,
    unit: "peak bytes of the process")
}

let all: [(name: String, measure: @MainActor (String) throws -> Row)] = [
  (
    "push-vs-c",
    {
      try speed(
        $0, .push, .c, "the push parser and a handler that keeps texts, as C does; goal 1.11")
    }
  ),
  (
    "push-vs-foundation",
    { try speed($0, .push, .foundation, "XMLParser over a stream; goal 0.5") }
  ),
  ("strings-vs-c", { try speed($0, .strings, .c, "the same, each text made a string") }),
  ("entries-vs-c", { try speed($0, .entries, .c, "typed entries: more than the handler makes") }),
  ("entries-vs-foundation", { try speed($0, .entries, .foundation, "typed entries") }),
  ("push-memory-vs-c", { try memory($0, .push, .c) }),
  ("push-memory-vs-foundation", { try memory($0, .push, .foundation) }),
  ("entries-memory-vs-c", { try memory($0, .entries, .c) }),
]
let rows = try all.filter { arguments.isEmpty || arguments.contains($0.name) }.map { entry in
  let row = try entry.measure(entry.name)
  Report.printLine(row)
  return row
}
try Report.write(rows, to: "feeds.json")
