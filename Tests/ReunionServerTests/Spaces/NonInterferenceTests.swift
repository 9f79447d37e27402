import Foundation
import ReunionCore
import ReunionServer
import ReunionStore
import Tenants
import TestThreads
import Testing

/// Several spaces of one server, with an attacker and without: nobody else sees a difference (guarantee 11;
/// decision 95). A story that shows one is shortened, and prints the command that tells it again.
@Suite(.onOwnThread) struct NonInterferenceTests {
  private static func number(_ name: String) -> Double? {
    ProcessInfo.processInfo.environment[name].flatMap { Double($0) }
  }

  @Test func `a story without its attacker is the same each time`() throws {
    for seed in [1, 6, 17] as [UInt64] {
      let found = try TenantSimulation().unsteadiness(of: seed)
      #expect(found == nil, "seed \(seed)")
    }
  }

  @Test func `nobody sees an attacker who has a role in another space`() throws {
    let begin = clock()
    let seconds = Self.number("REUNION_SECONDS") ?? 60
    let first = UInt64(Self.number("REUNION_FIRST") ?? 1)
    let found = try TenantSimulation().search(first..<first + 40) {
      Double(clock() - begin) / Double(CLOCKS_PER_SEC) > seconds
    }
    if let failure = found.failure { Issue.record("\(failure)\nreplay: \(failure.command)") }
    print("tenants: \(found.count) stories from seed \(first), nobody saw the attacker")
    #expect(found.count > 0)
  }

  /// The attacker had sent the same bytes to her space: on the server's disk they stay, and in the space of their
  /// author they are erased, which is all that anybody sees.
  @Test(arguments: [915_787_445, 915_787_654, 915_789_461] as [UInt64])
  func `of a file that was erased nobody sees whether another space holds it`(seed: UInt64) throws {
    let found = try TenantSimulation().search(seed..<seed + 1)
    if let failure = found.failure { Issue.record("\(failure)\nreplay: \(failure.command)") }
    #expect(found.count == 1)
  }

  struct Known {
    let bugs: SeededBugs
    let attack: Attack
    /// Seeds at whose first draw the attacker has a role that fits.
    let seeds: [UInt64]
  }

  static let (add, edit, host): ([UInt64], [UInt64], [UInt64]) = (
    [6, 7, 8, 37, 38, 48], [3, 4, 5, 9, 11, 12], [17, 20, 26, 27, 34, 39]
  )

  static let known = [
    Known(bugs: [.erasureReachesAll], attack: .eraseFile, seeds: add),
    Known(bugs: [.refusalReachesAll], attack: .eraseFile, seeds: add),
    Known(bugs: [.limitsByNumber], attack: .pairNumber, seeds: add),
    Known(bugs: [.sitesWithoutEnd], attack: .inventSites, seeds: add),
    Known(bugs: [.allowanceOfAll], attack: .crowd, seeds: add),
    Known(bugs: [.spacesTaken], attack: .takeMembers, seeds: add),
    Known(bugs: [.numberCarried], attack: .carryNumber, seeds: host),
    Known(bugs: [.serverNumberGiven], attack: .carryNumber, seeds: host),
    Known(bugs: [.guestEndsSessions], attack: .giveUpSites, seeds: add),
    // What an editor's word does to the server's site is of that space, where it is believed.
    Known(
      bugs: [.editorBelieved, .wordCountsEverywhere], attack: .giveUpSites, seeds: edit),
    Known(bugs: [.wordCountsEverywhere], attack: .giveUpSites, seeds: edit),
    Known(bugs: [.givenNumberNotTaken], attack: .claimNumber, seeds: add),
  ]

  @Test func `each way in which tenants met is noticed where it is brought back`() throws {
    var caught = 0
    for known in Self.known {
      var isCaught = false
      var simulation = TenantSimulation(bugs: known.bugs)
      simulation.attack = known.attack
      var sound = TenantSimulation()
      sound.attack = known.attack
      for seed in known.seeds {
        guard let failure = try simulation.failure(of: seed, shortens: false),
          try sound.failure(of: seed, shortens: false) == nil
        else { continue }
        isCaught = true
        caught += 1
        print("caught \(known.bugs) at seed \(seed): \(failure.difference)")
        break
      }
      #expect(isCaught, "not caught: \(known.bugs)")
    }
    print("tenants' seeded bugs: caught \(caught) / \(Self.known.count)")
  }
}
