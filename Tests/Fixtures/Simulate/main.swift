import Foundation
import ReunionCore
import ReunionStore
import ReunionTesting

let usage = """
  usage: simulate [--first SEED] [--seeds COUNT] [--steps NUMBERS] [--seconds S] [--hazards BITS]
    [--blobs no] [--hunt BUG] [--erasing yes] [--slices CHANGES] [--survey yes] [--upgrades yes] [--tenants yes] [--presence yes]
    [--standing yes] [--blocks yes] [--horizon yes] [--audits yes] [--browsers yes [--bug SENTENCE]]
    [--deletes COUNT --folder FOLDER] [--audit COUNT --folder FOLDER]
    [--changes COUNT --folder FOLDER [--durability full]]
  Runs the histories of some seeds, or some steps of one; what fails is shortened and printed. Without
  --first the first seed is drawn anew, and printed.
  A survey goes on after failures, and prints a line for each. A hunt looks for the first seed at
  which a seeded bug shows. With upgrades, devices of four versions of an app get newer ones. With
  tenants, several spaces of one server are with an attacker and without. With presence, devices show each
  other what they do. With standing, they are told where their changes are; with blocks, newcomers
  take them. With a horizon the server lets go what was deleted, sooner than any would; with audits all
  compare all that they hold, all along. With deletes it
  makes a store of that many records that are deleted, and lets sixty days pass. With audit it compares two
  stores of that many records. With changes it sends so many, one after the other, to a store that has
  100,000 fields.
  """
let names: Set = [
  "--first", "--seeds", "--steps", "--seconds", "--hazards", "--blobs", "--hunt", "--survey",
  "--browsers", "--bug", "--erasing", "--slices", "--upgrades", "--tenants", "--attack",
  "--presence", "--standing", "--blocks", "--horizon", "--audits", "--audit", "--deletes",
  "--folder", "--changes", "--durability",
]
for (place, argument) in CommandLine.arguments.dropFirst().enumerated() where place % 2 == 0 {
  guard names.contains(argument), place + 2 < CommandLine.arguments.count else {
    print(usage)
    exit(argument == "--help" ? 0 : 64)
  }
}

func option(_ name: String) -> String? {
  let arguments = CommandLine.arguments
  guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
  return arguments[place + 1]
}

guard option("--steps") == nil || option("--first") != nil else {
  print("The steps of which history? Name its seed with --first (FIRST=).")
  exit(64)
}
let first =
  option("--first").flatMap { UInt64($0) } ?? UInt64.random(in: 100_000_000...999_999_999)
let count = option("--seeds").flatMap { UInt64($0) } ?? 5_000
/// What else a command that repeats this says.
let kind = [
  "upgrades", "browsers", "tenants", "presence", "standing", "blocks", "horizon", "audits",
]
.filter { option("--\($0)") == "yes" }.map { " \($0.uppercased())=yes" }.joined()
if option("--steps") == nil {
  print("from seed \(first); again: make simulate FIRST=\(first) SEEDS=\(count)\(kind)")
  fflush(nil)
}
if let count = option("--deletes").flatMap({ Int($0) }), let folder = option("--folder") {
  try deleteMany(count, in: folder)
  exit(0)
}
if let count = option("--audit").flatMap({ Int($0) }), let folder = option("--folder") {
  try auditMany(count, in: folder)
  exit(0)
}
if let count = option("--changes").flatMap({ Int($0) }), let folder = option("--folder") {
  try changeMany(count, option("--durability") == "full" ? .full : .normal, in: folder)
  exit(0)
}
let seconds = option("--seconds").flatMap { Double($0) } ?? .infinity
let hazards = option("--hazards").flatMap { UInt32($0) }.map { Hazards(rawValue: $0) }
var simulation =
  option("--upgrades") == "yes"
  ? Logbook.simulation(hazards: hazards ?? Logbook.hazards)
  : Notebook.simulation(
    hazards: hazards ?? .all, attaches: option("--blobs") != "no",
    erases: option("--erasing") == "yes")
simulation.showsPresence = option("--presence") == "yes"
simulation.tellsStanding = option("--standing") == "yes"
simulation.sendsBlocks = option("--blocks") == "yes"
simulation.raisesHorizon = option("--horizon") == "yes"
simulation.audits = option("--audits") == "yes"
simulation.sliceChanges = option("--slices").flatMap { Int($0) }
let begin = Date()

if option("--browsers") == "yes" {
  let steps = option("--steps").flatMap { History.numbers($0) }
  let seeds = first..<first + (steps == nil ? count : 1)
  exit(
    try simulateBrowsers(
      seeds, steps: steps, hazards: hazards, erases: option("--erasing") == "yes",
      like: simulation, bug: option("--bug"), surveys: option("--survey") != nil) ? 0 : 1)
} else if option("--tenants") == "yes" {
  exit(try simulateTenants(first..<first + count, seconds: seconds) ? 0 : 1)
} else if let name = option("--hunt") {
  // Looks for the first seed at which a seeded bug shows, and shows without it nothing.
  var bugged = simulation
  bugged.seededBugs = SeededBugs(named: [name])
  var line = "not caught: .\(name)"
  for seed in first..<first + count {
    let history = simulation.history(seed: seed)
    do {
      try bugged.run(history)
    } catch {
      guard (try? simulation.run(history)) != nil else { continue }
      line = "(.\(name), \(seed)),  // \(error)"
      break
    }
  }
  print(line)
} else if let numbers = option("--steps").flatMap({ History.numbers($0) }) {
  do {
    let outcome = try simulation.run(simulation.history(seed: first).keeping(numbers))
    print(
      "seed \(first): every promise is kept" + (outcome.isAudited ? ", one by an audit" : ""))
  } catch {
    print("seed \(first): \(error)")
    exit(1)
  }
} else if option("--survey") != nil {
  var (historyCount, failureCount, auditedCount) = (0, 0, 0)
  for seed in first..<first + count where Date().timeIntervalSince(begin) <= seconds {
    historyCount += 1
    do {
      guard try simulation.run(simulation.history(seed: seed)).isAudited else { continue }
      auditedCount += 1
      print("seed \(seed): equal by an audit")
    } catch {
      failureCount += 1
      print("seed \(seed): \(error)")
      fflush(nil)
    }
  }
  print(
    "\(failureCount) of \(historyCount) histories broke a promise; \(auditedCount) became equal by an "
      + "audit")
  exit(failureCount == 0 ? 0 : 1)
} else {
  let report = simulation.search(seeds: first..<first + count) {
    Date().timeIntervalSince(begin) > seconds
  }
  let took = Date().timeIntervalSince(begin)
  print(
    "simulated \(report.historyCount) histories, \(report.writeCount) writes, "
      + "\(Int(report.deviceHours)) device-hours in \(Int(took)) s"
      + (report.auditedCount > 0 ? "; \(report.auditedCount) became equal by an audit" : ""))
  if let failure = report.failure {
    print(failure)
    print("replay: \(failure.command)\(kind)")
    exit(1)
  }
}
