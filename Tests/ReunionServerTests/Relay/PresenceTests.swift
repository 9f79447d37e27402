import Foundation
import Reunion
import ReunionCommandLine
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionServer

/// What devices show each other through a server, over real sockets (docs/protocol.md 2.22).
@Suite struct PresenceTests {
  /// A server, and devices that join it.
  final class Party {
    let folder = "\(NSTemporaryDirectory())/presence-\(UUID())"
    let service: SpaceService
    private(set) var guests: [Guest] = []

    init(presenceRole: Role = .view) throws {
      service = try SpaceService(ServeOptions([folder + "/server", "--port", "0"])) {
        $0.presenceRole = presenceRole
      }
      _ = try service.start()
    }

    func guest(_ role: Role) async throws -> Guest {
      let (replica, membership, space) = try await TransactionRuleTests.phone(
        "guest\(guests.count)", role, service)
      let guest = Guest(
        replica: replica, presence: replica.presence(in: space), space: space,
        connection: try replica.sync(space, with: membership))
      guests.append(guest)
      return guest
    }

    deinit {
      for guest in guests { try? guest.replica.close() }
      service.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  struct Guest {
    let replica: Replica
    let presence: Presence
    let space: SpaceID
    let connection: Connection

    /// Waits until the others show just this, by key, in the order of the devices.
    func sees(_ wanted: [[String: String]]) async {
      for await devices in presence.others.values() {
        let texts = devices.map { device in
          device.values.compactMapValues { String(storedValue: $0) }
        }
        if Set(texts) == Set(wanted), texts.count == wanted.count { return }
      }
    }
  }

  @Test func `devices see what others show, and no longer than they are there`() async throws {
    let party = try Party()
    let (one, other) = (try await party.guest(.add), try await party.guest(.edit))
    try one.presence.show("Mia", as: "name")
    try other.presence.show("Bo", as: "name")
    await other.sees([["name": "Mia"]])
    await one.sees([["name": "Bo"]])
    #expect(one.presence.others.value[0].id == other.replica.store.device(in: other.space))
    // A guest that comes later sees the others, and they see it.
    let viewer = try await party.guest(.view)
    await viewer.sees([["name": "Mia"], ["name": "Bo"]])
    try viewer.presence.show("Vi", as: "name")
    await one.sees([["name": "Bo"], ["name": "Vi"]])
    let told = Log<Presence.Message>()
    let hearing = other.presence.messages.observe(told.append)
    try one.presence.send(7, as: "cheer")
    one.presence.hide("name")
    try one.presence.show("B4", as: "finger")
    await other.sees([["finger": "B4"], ["name": "Vi"]])
    // What others show is told before what they say.
    #expect(try await onThread { told.wait(for: 1) })
    #expect(told.all.map(\.key) == ["cheer"] && told.all[0].value == .int(7))
    hearing.cancel()
    // Gone with the link, and back with it.
    one.connection.disconnect()
    await other.sees([["name": "Vi"]])
    await one.sees([])
    one.connection.connect()
    await other.sees([["finger": "B4"], ["name": "Vi"]])
    await one.sees([["name": "Bo"], ["name": "Vi"]])
  }

  @Test func `nothing of it is stored, and none of it is a change`() async throws {
    let party = try Party()
    let (one, other) = (try await party.guest(.edit), try await party.guest(.edit))
    let before = try party.service.store.arrival(of: one.space)
    for number in 0..<10 {
      try one.presence.show("secret \(number)", as: "name")
      await other.sees([["name": "secret \(number)"]])
    }
    #expect(try party.service.store.arrival(of: one.space) == before)
    #expect(try one.replica.store.vector(of: one.space).entries.isEmpty)
    let files = try FileManager.default.subpathsOfDirectory(atPath: party.folder)
    #expect(files.count > 3)
    for file in files {
      let bytes = FileManager.default.contents(atPath: "\(party.folder)/\(file)") ?? Data()
      #expect(bytes.range(of: Data("secret ".utf8)) == nil, "\(file)")
    }
  }

  @Test func `a role may see and not be seen`() async throws {
    let party = try Party(presenceRole: .add)
    let (viewer, one) = (try await party.guest(.view), try await party.guest(.add))
    let other = try await party.guest(.add)
    try viewer.presence.show("Vi", as: "name")
    try one.presence.show("Mia", as: "name")
    await viewer.sees([["name": "Mia"]])
    await other.sees([["name": "Mia"]])
  }

  @Test func `what is too large is not shown, and says so`() throws {
    let folder = "\(NSTemporaryDirectory())/presence-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let replica = try Replica(folder: folder)
    let presence = replica.presence(in: .random())
    #expect(throws: StoreError.self) { try presence.show("", as: "") }
    #expect(throws: StoreError.self) {
      try presence.show("", as: String(repeating: "k", count: 65))
    }
    #expect(throws: StoreError.self) {
      try presence.show(String(repeating: "v", count: 1_025), as: "key")
    }
    for number in 0..<16 { try presence.show(number, as: "\(number)") }
    #expect(throws: StoreError.self) { try presence.show(1, as: "one more") }
    try presence.show(nil as Int?, as: "3")
    presence.hide("4")
    presence.hide("never shown")
    try presence.show(1, as: "one more")
    try replica.close()
  }
}
