import Reunion
import ReunionFlow
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

/// What two who are nearby show each other without a server (docs/protocol.md 2.22).
@Suite struct NearbyPresenceTests {
  @Test(arguments: [MemberRole.edit, .add])
  func `two who are nearby see what the other shows, as long as they are`(role: MemberRole) throws {
    let hikers = Hikers(seed: 51)
    try hikers.meet(as: role)
    #expect(hikers.settle(within: .seconds(30)) { hikers.anna.sync?.state.value == .online })
    let (anna, ben) = (try #require(hikers.anna.replica), try #require(hikers.ben.replica))
    let annas = anna.presence(in: hikers.space)
    let bens = ben.presence(in: hikers.space)
    try annas.show("Anna", as: "name")
    try bens.show("Ben", as: "name")
    func names(_ presence: Presence) -> [String] {
      presence.others.value.compactMap { $0.value("name", as: String.self) }
    }
    #expect(
      hikers.settle(within: .seconds(10)) { names(annas) == ["Ben"] && names(bens) == ["Anna"] })
    #expect(annas.others.value.first?.id == ben.store.device(in: hikers.space))
    annas.hide("name")
    #expect(hikers.settle(within: .seconds(10)) { names(bens).isEmpty })
    hikers.kill(hikers.ben)
    #expect(hikers.settle(within: .seconds(60)) { names(annas).isEmpty })
  }
}
