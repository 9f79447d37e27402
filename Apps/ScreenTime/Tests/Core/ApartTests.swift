import ReunionTesting
import Testing

@testable import ScreenTimeCore

/// Parents, devices and a server that meet now and then: what they decided apart comes together.
@Suite struct ApartTests {
  /// What is wrong after everybody has met; nil where the grants of all are in force, once each.
  static func fault(_ seed: UInt64, _ bug: GrantBug? = nil) -> String? {
    var random = SeededRandom(seed: seed)
    let at = VerdictTests.now
    var replicas: [[Grant]] = [[], [], []]
    var answers: [String: Int] = [:]
    var gifts = 0
    for number in 0..<Int.random(in: 1...20, using: &random) {
      let who = Int.random(in: 0..<3, using: &random)
      if Bool.random(using: &random) {
        // Each answers those requests that it has seen, and may not know of another's answer.
        let request = "r\(Int.random(in: 0..<4, using: &random))"
        let minutes = Int.random(in: 1...4, using: &random) * 5
        answers[request] = max(answers[request] ?? 0, minutes)
        replicas[who].append(
          Grant(id: "g\(number)", request: request, target: .day, minutes: minutes, at: at))
      } else {
        gifts += 5
        replicas[who].append(Grant(id: "g\(number)", target: .day, minutes: 5, at: at))
      }
      guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
      // Two meet: what one has, the other gets, and gets again.
      let other = Int.random(in: 0..<3, using: &random)
      replicas[who] += replicas[other].shuffled(using: &random)
    }
    let expected = min(answers.values.reduce(gifts, +), 1440)
    let all = replicas.flatMap { $0 }
    for replica in 0..<3 {
      var grants = Grants()
      grants.bug = bug
      for grant in (all + replicas[replica]).shuffled(using: &random) { grants.take(grant) }
      let minutes = grants.minutes(on: Day(wall: at, offset: 0), offset: 0, for: nil)
      if minutes != expected { return "replica \(replica) has \(minutes), not \(expected)" }
    }
    return nil
  }

  @Test func `no grant is lost, and none counts twice, in 1000 histories`() {
    for seed in 0..<1000 as Range<UInt64> {
      if let fault = Self.fault(seed) { Issue.record("seed \(seed): \(fault)") }
    }
  }

  @Test(arguments: GrantBug.allCases)
  func `grants with a bug are caught (negative control)`(_ bug: GrantBug) {
    #expect((0..<50 as Range<UInt64>).contains { Self.fault($0, bug) != nil })
  }
}
