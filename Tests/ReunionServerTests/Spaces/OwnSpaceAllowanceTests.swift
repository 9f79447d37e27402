import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing
import Waiting

@testable import ReunionServer

/// What own spaces may cost a server: of one person, and of strangers who join again and again
/// (docs/protocol.md 3.6).
@Suite struct OwnSpaceAllowanceTests {
  let folder = "\(NSTemporaryDirectory())/allowance-\(UUID())"

  /// How many settings the server holds of some spaces.
  private func count(_ house: House, _ spaces: [SpaceID]) throws -> Int {
    try spaces.reduce(0) {
      try $0 + RoamingSettings(house.service.store, account: $1).keys.count
    }
  }

  private func reaches(_ house: House, _ spaces: [SpaceID], _ wanted: Int) async throws {
    try await eventually("the server holds \(wanted) settings", every: .milliseconds(20)) {
      try count(house, spaces) >= wanted
    }
  }

  private func fill(_ replica: Replica, _ space: SpaceID, _ count: Int) throws {
    let settings = try replica.settings(of: space)
    for number in 0..<count {
      try settings.set(SettingKey("setting \(number)", default: 0), to: number + 1)
    }
  }

  @Test func `all devices of a person in all of their spaces bring what one guest may`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let house = try House(allowance: GuestAllowance(recordsPerDay: 10))
    let link = { "http://127.0.0.1:\(house.service.port)/#join=\(try house.invite(.edit))" }
    let (phone, laptop) = (
      try Replica(folder: folder + "/phone"), try Replica(folder: folder + "/laptop")
    )
    let other = try Replica(folder: folder + "/other")
    _ = try await phone.space(joining: link())
    try await laptop.pair(by: phone.pairingLink().url)
    _ = try await other.space(joining: link())
    let (game, book) = (try phone.ownSpace("game"), try laptop.ownSpace("book"))
    try fill(phone, game, 6)
    try fill(laptop, book, 6)
    let first = try phone.sync(game)
    try await reaches(house, [game], 6)
    let second = try laptop.sync(book)
    try await reaches(house, [game, book], 10)
    // Somebody else has an allowance of their own, and that day's end is not of this test.
    let theirs = try other.ownSpace()
    try fill(other, theirs, 9)
    let third = try other.sync(theirs)
    try await reaches(house, [theirs], 9)
    let held = try (count(house, [game]), count(house, [book]))
    #expect(held == (6, 4))
    for connection in [first, second, third] { connection.disconnect() }
    for replica in [phone, laptop, other] { try replica.close() }
  }

  @Test func `uploads of a person's devices are counted together too`() throws {
    let house = try House(allowance: GuestAllowance(bytesPerDay: 100))
    let ada = try PersonTests.Owner(house)
    let answer = try PersonTests.pair(house, ada.link(), key: PersonTests.key())
    let laptop = try #require(answer.fields["token"] as? String)
    let spaces = [ada.own(), ada.own()]
    for space in spaces { #expect(try ada.open(space).status == 200) }
    func upload(_ count: Int, _ space: String, _ token: String) throws -> Int {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
      let digest = Data(BlobHash(of: bytes).bytes).base64EncodedString()
      let fields = [
        "Authorization: Bearer \(token)", "Upload-Length: \(count)",
        "Repr-Digest: sha-256=:\(digest):", "Content-Length: 0",
      ]
      let text = request("POST", "/uploads?use=original&space=\(space)", fields)
        .replacing("Host: test", with: "Host: 127.0.0.1")
      return try ask(house.service.port, text).status
    }
    #expect(try upload(60, spaces[0], ada.joined.token) == 201)
    #expect(try upload(60, spaces[1], laptop) == 507)
    #expect(try upload(40, spaces[1], laptop) == 201)
    // As a guest of the space with invitations a device is counted by itself.
    #expect(try upload(100, ada.joined.space, ada.joined.token) == 201)
    #expect(try upload(1, ada.joined.space, ada.joined.token) == 507)
  }

  @Test func `nobody chooses as whom they are counted`() throws {
    let person = try #require(RecordID(PersonTests.digits()))
    let others = (0..<100).map { RecordID(high: person.high, low: UInt64($0)) }
    #expect(Set((others + [person]).map { Persons.guest(of: $0) }).count == 101)
    #expect(Persons.guest(of: person) != person.high && Persons.guest(of: person) != person.low)
  }

  @Test func `strangers fill the places of own spaces, and no others, and what was there stays`()
    throws
  {
    let house = try House()
    let ada = try PersonTests.Owner(house)
    let space = ada.own()
    #expect(try ada.open(space).status == 200)
    let spaces = try ServedSpaces(in: house.service.store)
    let full = Persons(of: spaces, in: house.service.store, spacesMaxOfAll: 40)
    // Each stranger is a new device and a new person: sixteen spaces are all that each may have.
    var opened = 0
    var refusals: Set<String> = []
    for _ in 0..<4 {
      let eve = try PersonTests.Owner(house)
      let device = try #require(try spaces.first.access.reread(eve.joined.token))
      for _ in 0..<Persons.spacesMax + 1 {
        let (name, person) = (PersonTests.digits(), try #require(RecordID(eve.person)))
        let space = SpaceID.own(of: eve.person, named: name)
        do {
          _ = try full.open(
            space, name, of: person, by: eve.joined.token, device, called: nil)
          opened += 1
        } catch let refusal as Access.Refusal {
          #expect(refusal.status == 507)
          refusals.insert(refusal.description)
        }
      }
    }
    #expect(opened == 39 && spaces.ownCount == 40)
    #expect(
      refusals == [
        "One person may have 16 spaces here, and has them.",
        "This server has no room for more spaces. Ask the host.",
      ])
    // People are still invited, and what had been opened opens again, after a restart too.
    #expect(try spaces.named("Our notes").isOwn == false)
    let store = house.service.store.folder
    house.service.stop()
    let later = try House(store)
    #expect(try later.ask("GET", "/session?space=\(space)", ada.joined.token).status == 200)
    #expect(try Persons.spaces(in: later.service.store).count == 40)
  }

  @Test func `a network opens three hundred spaces in ten minutes`() throws {
    let house = try House()
    var statuses: [Int: Int] = [:]
    for _ in 0..<20 {
      let eve = try PersonTests.Owner(house)
      for _ in 0..<Persons.spacesMax {
        let answer = try eve.open(eve.own())
        statuses[answer.status, default: 0] += 1
        guard answer.status == 429 else { continue }
        #expect(
          PersonTests.sentence(answer)
            == "Too many spaces are being opened from your network. Try again in ten minutes.")
      }
    }
    #expect(statuses == [200: 300, 429: 20])
  }
}

extension Access {
  /// The device of a token that another part of the server has let in.
  fileprivate func reread(_ token: String) throws -> Device? {
    try reload()
    return device(token: token)
  }
}
