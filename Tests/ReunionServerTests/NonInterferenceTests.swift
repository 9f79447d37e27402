import Tenants
import TestThreads
import Testing

/// Several spaces of one server, with an attacker and without: nobody else sees a difference (guarantee 16;
/// decision 95). A story that shows one is shortened, and prints the command that tells it again.
@Suite(.onOwnThread) struct NonInterferenceTests {
  @Test func `a story without its attacker is the same each time`() throws {
    for seed in [1, 6, 17] as [UInt64] {
      #expect(try TenantSimulation().unsteadiness(of: seed) == nil, "seed \(seed)")
    }
  }
}
