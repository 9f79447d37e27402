import Foundation
import ReunionCore
import ReunionStore
import ReunionTesting
import Tenants

/// Tells the stories of tenants of some seeds, or some steps of one; gives whether nobody saw the attacker.
func simulateTenants(_ seeds: Range<UInt64>, seconds: Double) throws -> Bool {
  let bugs = option("--bug").map { [$0] } ?? []
  var simulation = TenantSimulation(bugs: SeededBugs(named: bugs))
  simulation.attack = option("--attack").flatMap { name in
    Attack.allCases.first { "\($0)" == name }
  }
  let begin = Date()
  if let steps = option("--steps").flatMap({ History.numbers($0) }) {
    let failure = try simulation.failure(of: seeds.lowerBound, steps: steps)
    print(failure.map { "\($0)" } ?? "seed \(seeds.lowerBound): nobody saw the attacker")
    return failure == nil
  }
  if option("--survey") == "steady" {
    for seed in seeds {
      print("seed \(seed): \(try simulation.unsteadiness(of: seed) ?? "steady")")
    }
    print("\(Date().timeIntervalSince(begin)) s")
    return true
  }
  if option("--survey") != nil {
    var (count, failures) = (0, 0)
    for seed in seeds where Date().timeIntervalSince(begin) <= seconds {
      count += 1
      guard let failure = try simulation.failure(of: seed, shortens: option("--survey") != "long")
      else { continue }
      failures += 1
      print("\(failure)\n")
      fflush(nil)
    }
    print(
      "\(failures) of \(count) attackers were noticed in \(Int(Date().timeIntervalSince(begin))) s")
    return failures == 0
  }
  let found = try simulation.search(seeds) { Date().timeIntervalSince(begin) > seconds }
  print(
    "tenants: \(found.count) stories, in \(Int(Date().timeIntervalSince(begin))) s, nobody saw the attacker"
  )
  guard let failure = found.failure else { return true }
  print("\(failure)\nreplay: \(failure.command)")
  return false
}
