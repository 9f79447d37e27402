import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// A person's replicas: an own space and settings that roam, over a real server.
@Suite struct PairingTests {
  let folder = "\(NSTemporaryDirectory())/pairing-\(UUID())"
  let theme = SettingKey("theme", default: "light")
  let launches = SettingKey("launches", default: 0, merge: .counter)

  private func replica(_ name: String) throws -> Replica {
    try Replica(folder: "\(folder)/\(name)")
  }

  private func link(_ house: House, _ role: Role = .view) throws -> String {
    "http://127.0.0.1:\(house.service.port)/#join=\(try house.invite(role))"
  }

  /// Waits until a setting is a value.
  private func reaches<Value: FieldValue & Equatable>(
    _ settings: RoamingSettings, _ key: SettingKey<Value>, _ value: Value
  ) async throws -> Bool {
    let log = Log<Value>()
    let watching = try settings.live(key).observe { log.append($0.value) }
    defer { watching.cancel() }
    return await log.reach { $0.last == value }
  }

  private func states(_ connection: Connection) -> (Log<Reconnection.State>, SignalSubscription) {
    let log = Log<Reconnection.State>()
    return (log, connection.state.observe { log.append($0) })
  }

  @Test func `an own space works offline at once, and roams once a second device is paired`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let house = try House()
    let phone = try replica("phone")
    let mine = try phone.ownSpace()
    #expect(try phone.ownSpace() == mine)
    #expect(try phone.ownSpace("book") != mine)
    let here = try RoamingSettings(phone.store, account: mine)
    try here.set(theme, to: "dark")
    try here.add(2, to: launches)
    // Nothing is joined yet: it waits, and goes on once something is.
    let early = try phone.sync(mine, called: "Phone")
    let (waited, watching) = states(early)
    #expect(await waited.reach { if case .waiting? = $0.last { true } else { false } })
    let main = try await phone.space(joining: try link(house))
    early.networkReturned()
    #expect(await waited.reach { $0.last == .online })
    watching.cancel()

    let laptop = try replica("laptop")
    let before = try laptop.ownSpace()
    let shown = try await phone.pairingLink()
    #expect(shown.expires > Date() && shown.url.contains("/#pair="))
    let pairing = try await laptop.pair(by: shown.url, called: "Laptop")
    #expect(pairing.spaces == [main, mine])
    #expect(try laptop.ownSpace() == mine && before != mine)
    let there = try RoamingSettings(laptop.store, account: mine)
    let connection = try laptop.sync(mine)
    #expect(try await reaches(there, theme, "dark"))
    try there.add(3, to: launches)
    #expect(try await reaches(here, launches, 5))
    // Of one millisecond their order says nothing.
    let devices = try await laptop.ownDevices().map { "\($0.name), \($0.isThisOne)" }
    #expect(Set(devices) == ["Phone, false", "Laptop, true"])

    // Another start needs no link and no network.
    connection.disconnect()
    try laptop.close()
    let again = try replica("laptop")
    #expect(try again.ownSpace() == mine)
    let later = try again.sync(mine)
    let (states, observing) = states(later)
    #expect(await states.reach { $0.last == .online })

    // The phone takes the laptop away.
    let laptopsOwn = try #require(try await phone.ownDevices().first { !$0.isThisOne })
    try await phone.remove(laptopsOwn)
    #expect(await states.reach { if case .blocked? = $0.last { true } else { false } })
    #expect(try await phone.ownDevices().map(\.name) == ["Phone"])
    observing.cancel()
    try again.close()
    try phone.close()
  }

  @Test func `a lost answer is asked for again with the same link, after a restart too`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let house = try House()
    let phone = try replica("phone")
    let mine = try phone.ownSpace()
    _ = try await phone.space(joining: try link(house))
    let url = try await phone.pairingLink().url
    // The server writes it down, and the laptop cannot keep the answer: it is as good as lost.
    let inTheWay = "\(folder)/laptop/membership.\(mine).json"
    let laptop = try replica("laptop")
    let connection = try phone.sync(mine)
    let (states, watching) = states(connection)
    #expect(await states.reach { $0.last == .online })
    watching.cancel()
    try FileManager.default.createDirectory(
      atPath: inTheWay, withIntermediateDirectories: true)
    await #expect(throws: (any Error).self) { try await laptop.pair(by: url) }
    #expect(try await phone.ownDevices().count == 2)
    #expect(try laptop.ownSpace() != mine)
    try laptop.close()
    try FileManager.default.removeItem(atPath: inTheWay)
    // A device with another key is refused (negative control).
    let other = try replica("other")
    let error = await #expect(throws: JoinError.self) { try await other.pair(by: url) }
    #expect(error?.code == .refused)
    try other.close()
    let again = try replica("laptop")
    #expect(try await again.pair(by: url).spaces.contains(mine))
    #expect(try again.ownSpace() == mine)
    #expect(try await phone.ownDevices().count == 2)
    let person = "\(folder)/laptop/person.json"
    #expect(try !String(contentsOfFile: person, encoding: .utf8).contains("pairing"))
    #expect(
      try FileManager.default.attributesOfItem(atPath: person)[.posixPermissions] as? Int == 0o600)
    try again.close()
    try phone.close()
  }

  @Test func `what is no pairing link is said to be none`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let house = try House()
    let phone = try replica("phone")
    let invitation = try link(house)
    let error = await #expect(throws: JoinError.self) { try await phone.pair(by: invitation) }
    #expect(error?.code == .badLink)
    let none = await #expect(throws: JoinError.self) { _ = try await phone.pairingLink() }
    #expect(none?.code == .notJoined)
    try phone.close()
  }
}
