import struct ReunionCore.SeededBug
import struct ReunionCore.SeededBugs
import ReunionFlow
import TestThreads
import Testing

@testable import ReunionBluetooth

/// Each seeded bug is caught by what the tests look at (negative controls).
///
/// The nonce that is used twice and the key that stays are caught in `NoiseTests`, the wrong offset in
/// `ResumeTests`, whoever comes without the invitation in `InvitedTests`.
@Suite struct BugTests {
  /// Whether a story of these seeds finds fault with a build that has a bug.
  static func isCaught(_ bug: SeededBug, seeds: ClosedRange<UInt64>) throws -> UInt64? {
    try seeds.first { try !Story(seed: $0, bugs: [bug]).run().violations.isEmpty }
  }

  @Test(arguments: [
    SeededBug.acknowledgedBeforeDelivery, .windowNeverReopened, .reorderedFrameDelivered,
    .peerForgottenAtLaunch,
  ])
  func `a story finds the bug`(bug: SeededBug) throws {
    let seed = try Self.isCaught(bug, seeds: 1...60)
    #expect(seed != nil, "\(bug)")
    print("seeded bugs: bluetooth, \(bug) by seed \(seed ?? 0)")
  }

  /// How often a link that is connected leaves `ready` in ten quiet minutes.
  static func unrest(_ bugs: SeededBugs) throws -> Int {
    let duo = Duo(seed: 2, bugs: bugs)
    try duo.meet()
    let count = Lock(0)
    let watching = duo.phone.link?.transitions.observe { transition in
      if case .ready = transition.from { count.withLock { $0 += 1 } }
    }
    duo.clock.advance(by: .seconds(600))
    watching?.cancel()
    return count.withLock { $0 }
  }

  @Test func `a quiet link stays ready, and a limit that outlives its step is seen`() throws {
    #expect(try Self.unrest([]) == 0)
    #expect(try Self.unrest([.countdownOutlivesState]) > 0)
  }

  @Test func `every seeded bug is named by a test`() throws {
    let elsewhere: Set<SeededBug> = [
      .nonceUsedTwice, .keyNeverChanged, .resumedFromWrongOffset, .countdownOutlivesState,
      .listensForever, .anybodyIsInvited,
    ]
    let here: Set<SeededBug> = [
      .acknowledgedBeforeDelivery, .windowNeverReopened, .reorderedFrameDelivered,
      .peerForgottenAtLaunch,
    ]
    // The radio's is `PeripheralTests`'.
    let named = Set(here.union(elsewhere).map(\.description)).union(["servesAsBefore"])
    #expect(try declaredBugs(in: "ReunionBluetooth") == named)
  }
}
