import Foundation
import Reunion
import ReunionServer
import ScreenTimeCore
import Testing

@testable import ScreenTime
@testable import ScreenTimeBook
@testable import ScreenTimeDesktop

/// Days and rests are the family's, whatever zone the process of an agent is in.
@Suite struct ZoneTests {
  @Test func `a family's zone has its summer time, and an unknown one is none`() throws {
    let berlin = try #require(FamilyZone("Europe/Berlin"))
    #expect(berlin.offset(at: 1_784_000_000_000) == 7200)
    #expect(berlin.offset(at: 1_767_225_600_000) == 3600)
    #expect(FamilyZone(nil) == nil && FamilyZone("Nowhere/Atlantis") == nil)
    let beat = MachineClocks().beat(program: "", idle: 0, isLocked: false, in: berlin)
    #expect(beat.offset == berlin.offset(at: beat.wall))
  }

  /// What a parent sees of an agent that was started with a zone of its own: the offset of its use, and
  /// that of its own zone.
  private func seen(family zone: String, agent: String) async throws -> (Int?, Int?) {
    let desktop = try await PlayedDesktop()
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = Child.id(in: parent.limits)
    try await until(Query<Child>(in: parent.limits), of: parent.replica) { $0.count == 1 }
    try await parent.replica.write(in: parent.limits) {
      try $0.set(\Child.zone, of: child, to: zone)
    }
    let store = try family.service.family.store
    try await eventually("the server has the zone") {
      try store.fetch(Child.self, child, in: parent.limits)?.zone == zone
    }
    let link =
      try family.link(to: "use", as: .add) + "&limits="
      + (try family.link(to: "limits", as: .view)).split(separator: "=")[1]
    try desktop.agent([link], onWayland: true, zone: agent)
    let isSaid = !zone.isEmpty
    try await until(Query<UseRecord>(in: parent.use), of: parent.replica) { uses in
      uses.contains { isSaid ? $0.offset == 20_700 : true }
    }
    try await until(Query<ChildDevice>(in: parent.use), of: parent.replica) { devices in
      devices.contains { isSaid ? $0.ownOffset != nil : $0.seenAt != nil }
    }
    let use = try await parent.replica.fetch(Query<UseRecord>(in: parent.use))
      .max { $0.number < $1.number }
    return (
      use?.offset,
      try await parent.replica.fetch(Query<ChildDevice>(in: parent.use)).first?.ownOffset
    )
  }

  @Test func `another TZ gives no other day, and parents see it`() async throws {
    #expect(
      try await seen(family: "Asia/Kathmandu", agent: "Pacific/Kiritimati") == (20_700, 50_400))
  }

  @Test func `where nobody said a zone it is the device's (negative control)`() async throws {
    #expect(try await seen(family: "", agent: "Pacific/Kiritimati") == (50_400, nil))
  }

  @Test func `a rest and a used budget hold by the family's zone`() throws {
    // Saturday 01:30 in Kiritimati, Friday 12:30 in Berlin.
    let (wall, berlin, kiritimati): (Int64, Int, Int) = (1_784_284_200_000, 7200, 50_400)
    let friday = Day(wall: wall, offset: berlin)
    #expect(Day(wall: wall, offset: kiritimati) != friday)
    let limits = Limits(
      budgets: [Limits.Budget(minutes: [Int](repeating: 1, count: 7))],
      rests: [Limits.Rest(id: "r", from: 12 * 60, to: 16 * 60)])
    func left(_ offset: Int) -> Int64? {
      Verdict(
        for: "game", wall: wall, offset: offset, limits: limits, ledger: Ledger(), grants: Grants()
      ).left
    }
    #expect(left(berlin) == 0)
    // What a zone that the limited one may set would give (negative control).
    #expect(left(kiritimati) != 0)
  }
}
