import ReunionCore
package import ReunionStore
import ReunionTesting

/// Stories of several spaces in one server, each with an attacker and without: nobody else may see a
/// difference (guarantee 11; docs/security.md).
package struct TenantSimulation: Sendable {
  /// Bugs that are switched on.
  package var bugs = SeededBugs()
  /// How many steps a story has.
  package var stepCount = 24
  /// What the attacker does alone; nil for all that she can.
  package var attack: Attack?

  /// Makes a simulation.
  package init(bugs: SeededBugs = SeededBugs()) { self.bugs = bugs }

  /// A story in which the attacker was noticed.
  package struct Failure: Sendable, CustomStringConvertible {
    /// What somebody else saw.
    package let difference: String
    /// The seed.
    package let seed: UInt64
    /// The steps that it takes, as a command reads them.
    package let steps: String
    let lines: [String]

    /// The command that tells it again.
    package var command: String { "make simulate TENANTS=yes FIRST=\(seed) STEPS=\(steps)" }

    /// What was seen, and what led there.
    package var description: String {
      (["seed \(seed), steps \(steps): \(difference)"] + lines).joined(separator: "\n")
    }
  }

  /// Tells the stories of some seeds until one fails; the failure is shortened.
  package func search(
    _ seeds: some Sequence<UInt64>, until isOver: () -> Bool = { false }
  ) throws -> (count: Int, failure: Failure?) {
    var count = 0
    for seed in seeds {
      guard !isOver() else { break }
      if let failure = try failure(of: seed) { return (count, failure) }
      count += 1
    }
    return (count, nil)
  }

  /// What others saw of the attacker in the story of a seed, or in some of its steps; nil for nothing.
  package func failure(
    of seed: UInt64, steps: Set<Int>? = nil, shortens: Bool = true
  ) throws -> Failure? {
    var history = TenantHistory(seed: seed, count: stepCount, only: attack)
    if let steps { history = history.keeping(steps) }
    guard var difference = try difference(history) else { return nil }
    if steps == nil, shortens {
      let kept = Shrinker.shortened(history.steps) { part in
        guard let found = try? self.difference(history.keeping(part)) else { return false }
        difference = found
        return true
      }
      history = history.keeping(kept)
    }
    return Failure(
      difference: difference, seed: seed, steps: history.stepNumbers,
      lines: ["the attacker: \(history.role)"]
        + history.steps.map { "  \($0.number): \($0.step)" })
  }

  /// What differs where a story without its attacker is told twice: nothing, or nothing follows from any
  /// difference.
  package func unsteadiness(of seed: UInt64) throws -> String? {
    let alone = TenantHistory(seed: seed, count: stepCount, only: attack).alone
    return try Self.difference(sights(alone), sights(alone), in: alone)
  }

  /// The first difference between a story and the same without its attacker; nil for none.
  func difference(_ history: TenantHistory) throws -> String? {
    try Self.difference(sights(history), sights(history.alone), in: history)
  }

  private typealias Outcome = (sights: [TenantRun.Sight], cost: Bounds)

  private static func difference(
    _ with: Outcome, _ alone: Outcome, in history: TenantHistory
  ) -> String? {
    // One after the other, by step, person and space; in a step the order of what is held is by id.
    for number in -1...history.count {
      let one = with.sights.filter { $0.number == number }
      let other = alone.sights.filter { $0.number == number }
      guard one != other else { continue }
      let place = zip(one, other).first { $0 != $1 }
      let seen = place?.0 ?? (one.count > other.count ? one[other.count] : nil)
      let expected = place?.1 ?? (other.count > one.count ? other[one.count] : nil)
      return "at step \(number) \(text(seen)), and without the attacker \(text(expected))"
    }
    return Bounds.broken(with.cost, alone.cost)
  }

  private static func text(_ sight: TenantRun.Sight?) -> String {
    sight.map { "\($0.who) in \($0.space) saw: \($0.text)" } ?? "nobody saw more"
  }

  private func sights(_ history: TenantHistory) throws -> Outcome {
    let run = try TenantRun(history, bugs: bugs)
    try run.run()
    return (run.sights, try Bounds(run))
  }
}
