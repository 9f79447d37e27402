import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// A person's own spaces and devices, asked for over sockets (docs/protocol.md 3.6).
@Suite struct PersonTests {
  static func digits() -> String { SpaceID.random().description }

  /// A device of somebody, as a program or a browser has it.
  struct Owner {
    let house: House
    let person = PersonTests.digits()
    let joined: Joined
    private let names = Lock<[String: String]>([:])

    init(_ house: House, _ role: Role = .add, to space: String? = nil) throws {
      self.house = house
      joined = try house.joined(house.invite(role, to: space))
    }

    /// The id of a space of its own that is not open yet.
    func own(_ name: String = PersonTests.digits()) -> String {
      let space = SpaceID.own(of: person, named: name).description
      names.withLock { $0[space] = name }
      return space
    }

    func open(_ space: String) throws -> (status: Int, fields: [String: Any]) {
      let name = names.withLock { $0[space] }.map { ",\"name\":\"\($0)\"" } ?? ""
      return try house.ask(
        "POST", "/own", joined.token,
        "{\"person\":\"\(person)\",\"space\":\"\(space)\"\(name)}")
    }

    func link() throws -> String {
      let answer = try house.ask(
        "POST", "/pairing-link", joined.token, "{\"person\":\"\(person)\",\"called\":\"phone\"}")
      #expect(answer.status == 200)
      let url = try #require(answer.fields["url"] as? String)
      return try #require(url.split(separator: "=").last.map(String.init))
    }

    func devices(_ token: String? = nil) throws -> [[String: Any]] {
      let answer = try house.ask("GET", "/person", token ?? joined.token)
      return try #require(answer.fields["devices"] as? [[String: Any]])
    }
  }

  static func key() -> String { Secret.make(byteCount: 32) }

  static func pair(
    _ house: House, _ secret: String, key: String, _ token: String? = nil, device: String? = nil
  ) throws -> (status: Int, fields: [String: Any]) {
    let number = device.map { ",\"device\":\"\($0)\"" } ?? ""
    return try house.ask(
      "POST", "/pair", token,
      "{\"pair\":\"\(secret)\",\"key\":\"\(key)\",\"replica\":true,\"called\":\"laptop\"\(number)}")
  }

  static func sentence(_ answer: (status: Int, fields: [String: Any])) -> String {
    answer.fields["error"] as? String ?? ""
  }

  @Test func `an own space is for the devices of its person alone, not for the host`() throws {
    let house = try House()
    let host = try house.joined(house.invite(.admin))
    let ada = try Owner(house)
    let eve = try Owner(house)
    let space = ada.own()
    let opened = try ada.open(space)
    #expect(opened.status == 200 && opened.fields["role"] as? String == "edit")
    #expect(opened.fields["own"] as? Bool == true)
    #expect(try ada.open(space).status == 200)
    #expect(
      try house.ask("GET", "/session?space=\(space)", ada.joined.token).status == 200)
    for stranger in [host.token, eve.joined.token] {
      for path in ["/session", "/sync", "/devices", "/blobs/00"] {
        #expect(try house.ask("GET", "\(path)?space=\(space)", stranger).status == 403)
      }
    }
    #expect(try house.ask("GET", "/session?space=\(space)").status == 401)
    // Somebody who knows its id cannot open it a second time. Somebody who knows the person is not
    // one of the person's devices.
    #expect(try eve.open(space).status == 409)
    let stolen = "{\"person\":\"\(ada.person)\",\"space\":\"\(Self.digits())\"}"
    let refused = try house.ask("POST", "/own", eve.joined.token, stolen)
    #expect(refused.status == 403)
    #expect(
      Self.sentence(refused)
        == "That person has other devices. Pair this one by a link from one of them.")
    // Nobody is invited to it, and its members are nobody's to sync.
    for path in ["/owner-link", "/guests-link"] {
      #expect(try house.ask("POST", "\(path)?space=\(space)", ada.joined.token).status == 403)
    }
    let members = Access.space(of: try #require(SpaceID(space)))
    #expect(try house.ask("GET", "/sync?space=\(members)", ada.joined.token).status == 403)
    #expect(try house.ask("GET", "/sync?space=\(Persons.space)", host.token).status == 404)
    // An invitation to all names finds none of them.
    #expect(try ServedSpaces(in: house.service.store).names == ["main"])
  }

  @Test func `an own space of an id that is somebody's is refused`() throws {
    let house = try House()
    let ada = try Owner(house)
    let other = try house.joined(house.invite(.add, to: "other"))
    let main = try #require(SpaceID(ada.joined.space))
    for id in [
      ada.joined.space, other.space, Access.space(of: main).description, Persons.space.description,
    ] {
      let answer = try ada.open(id)
      #expect(answer.status == 409)
      #expect(Self.sentence(answer) == "On this server, that space belongs to somebody else.")
    }
    #expect(try ada.open("nonsense").status == 400)
    for _ in 0..<Persons.spacesMax { #expect(try ada.open(ada.own()).status == 200) }
    let answer = try ada.open(ada.own())
    #expect(answer.status == 507)
    #expect(Self.sentence(answer) == "One person may have 16 spaces here, and has them.")
  }

  @Test func `a paired device has the roles of the person, and is there after a restart`() throws {
    let house = try House()
    let ada = try Owner(house, .edit, to: "notes")
    let space = ada.own()
    #expect(try ada.open(space).status == 200)
    let answer = try Self.pair(house, ada.link(), key: Self.key(), device: "00000000000000ab")
    #expect(answer.status == 200)
    #expect(answer.fields["person"] as? String == ada.person)
    #expect(answer.fields["device"] as? String == "00000000000000ab")
    let token = try #require(answer.fields["token"] as? String)
    #expect(token != ada.joined.token)
    let list = try #require(answer.fields["spaces"] as? [[String: Any]])
    #expect(list.map { $0["space"] as? String } == [ada.joined.space, space])
    #expect(list.map { $0["role"] as? String } == ["edit", "edit"])
    #expect(list.map { $0["own"] as? Bool } == [nil, true])
    let folder = house.service.store.folder
    house.service.stop()
    let later = try House(folder)
    for each in [ada.joined.space, space] {
      #expect(try later.ask("GET", "/session?space=\(each)", token).status == 200)
    }
    let devices = try later.ask("GET", "/person", token).fields["devices"] as? [[String: Any]]
    #expect(devices?.map { $0["name"] as? String } == ["phone", "laptop"])
    #expect(devices?.map { $0["isThis"] as? Bool } == [false, true])
  }

  @Test func `what one device joins or opens later its person's others are in too`() throws {
    let house = try House()
    let ada = try Owner(house)
    let answer = try Self.pair(house, ada.link(), key: Self.key())
    let token = try #require(answer.fields["token"] as? String)
    let notes = try house.joined(house.invite(.view, to: "notes"), token)
    let session = try house.ask("GET", "/session?space=\(notes.space)", ada.joined.token)
    #expect(session.status == 200 && session.fields["role"] as? String == "view")
    let space = ada.own()
    #expect(try ada.open(space).status == 200)
    #expect(try house.ask("GET", "/session?space=\(space)", token).status == 200)
    // The host sees which devices are one person's, and what it says of its space stands.
    let host = try house.joined(house.invite(.admin, to: "notes"))
    let list = try house.ask("GET", "/devices?space=\(notes.space)", host.token)
    let devices = try #require(list.fields["devices"] as? [[String: Any]])
    let tags = devices.map { $0["person"] as? String }
    #expect(tags.count == 3 && Set(tags.compactMap(\.self)).count == 1)
    #expect(tags.count { $0 == nil } == 1)
    let phone = ada.joined.device
    #expect(
      try house.ask("DELETE", "/devices/\(phone)?space=\(notes.space)", host.token).status == 204)
    _ = try house.joined(house.invite(.edit, to: "notes"), token)
    #expect(try house.ask("GET", "/session?space=\(notes.space)", ada.joined.token).status == 401)
  }

  @Test func `a link is taken once; who lost the answer gets it again by the same key`() throws {
    let house = try House()
    let ada = try Owner(house)
    let (secret, key) = (try ada.link(), Self.key())
    let first = try Self.pair(house, secret, key: key)
    let again = try Self.pair(house, secret, key: key)
    #expect(first.status == 200 && again.status == 200)
    #expect(first.fields["token"] as? String == again.fields["token"] as? String)
    #expect(first.fields["device"] as? String == again.fields["device"] as? String)
    #expect(try ada.devices().count == 2)
    let other = try Self.pair(house, secret, key: Self.key())
    #expect(other.status == 410)
    #expect(Self.sentence(other).hasPrefix("This link was for one device, and one has used it."))
    // Also with the token of whoever it is.
    let eve = try Owner(house)
    #expect(try Self.pair(house, secret, key: Self.key(), eve.joined.token).status == 410)
    #expect(try ada.devices().count == 2)
    // Many at once: one gets in.
    let next = try ada.link()
    let (got, port) = (Log<Int>(), house.service.port)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let body = "{\"pair\":\"\(next)\",\"key\":\"\(Self.key())\",\"replica\":true}"
      let text = request("POST", "/pair", ["Content-Length: \(body.utf8.count)"])
        .replacing("Host: test", with: "Host: 127.0.0.1")
      got.append((try? ask(port, text + body).status) ?? 0)
    }
    #expect(got.all.count { $0 == 200 } == 1 && got.all.count { $0 == 410 } == 7)
  }

  @Test func `a newer link takes the place of an older one, and no other link pairs`() throws {
    let house = try House()
    let ada = try Owner(house)
    let (old, new) = (try ada.link(), try ada.link())
    let answer = try Self.pair(house, old, key: Self.key())
    #expect(answer.status == 401)
    #expect(Self.sentence(answer) == "This link is not valid, or a newer one took its place.")
    #expect(try Self.pair(house, house.invite(.admin), key: Self.key()).status == 401)
    #expect(try house.join(new).0 == 401)
    #expect(try Self.pair(house, new, key: "short").status == 400)
    // The device itself takes nothing away.
    let own = try Self.pair(house, new, key: Self.key(), ada.joined.token)
    #expect(own.status == 409)
    #expect(Self.sentence(own) == "This device is yours already. Open the link on another one.")
    #expect(try Self.pair(house, new, key: Self.key()).status == 200)
  }

  @Test func `a link that ran out opens nothing, also by the key that took it`() throws {
    let house = try House()
    let ada = try Owner(house)
    let (secret, key, late) = (try ada.link(), Self.key(), try #require(ada.later(601)))
    #expect(try Self.pair(house, secret, key: key).status == 200)
    let asker = Persons.Asker(key: key, shown: nil, isReplica: true, number: nil, name: "")
    #expect(throws: Access.Refusal.self) { try late.pair(secret, asker) }
    // Five minutes are in time, however long this took (negative control).
    let soon = try #require(ada.later(300))
    #expect(throws: Never.self) { try soon.pair(secret, asker) }
  }

  @Test func `a removed device is out everywhere, and so is the link that it showed`() throws {
    let house = try House()
    let ada = try Owner(house, .edit, to: "notes")
    let space = ada.own()
    #expect(try ada.open(space).status == 200)
    let laptop = try Self.pair(house, ada.link(), key: Self.key(), device: "00000000000000cd")
    let token = try #require(laptop.fields["token"] as? String)
    let shown = try ada.link()
    let eve = try Owner(house)
    #expect(try eve.open(eve.own()).status == 200)
    // Nobody else's devices are anybody's to remove.
    let path = "/person/\(ada.joined.device)"
    #expect(try house.ask("DELETE", path, eve.joined.token).status == 404)
    #expect(try house.ask("DELETE", path, token).status == 204)
    for each in [ada.joined.space, space] {
      let out = try house.ask("GET", "/session?space=\(each)", ada.joined.token)
      #expect(out.status == 401 && out.fields["standing"] as? String == "put-out")
      #expect(
        Self.sentence(out)
          == "Another device of yours has removed this one. Pair it again by a new link.")
    }
    let answer = try Self.pair(house, shown, key: Self.key())
    #expect(answer.status == 410)
    #expect(Self.sentence(answer) == "The device that showed this link has been removed since.")
    #expect(try ada.devices(token).count == 1)
    // It may come back as what it was, by a link of the one that stayed.
    let link =
      try house.ask(
        "POST", "/pairing-link", token, "{\"person\":\"\(ada.person)\"}"
      ).fields["url"] as? String
    let secret = try #require(link?.split(separator: "=").last.map(String.init))
    let back = try Self.pair(
      house, secret, key: Self.key(), ada.joined.token, device: ada.joined.device)
    #expect(back.status == 200)
    #expect(back.fields["device"] as? String == ada.joined.device)
    #expect((back.fields["spaces"] as? [Any])?.count == 2)
  }

  @Test func `whom the host put out no other device of the person brings back`() throws {
    let house = try House()
    let host = try house.joined(house.invite(.admin, to: "notes"))
    let ada = try Owner(house, .edit, to: "notes")
    let laptop = try Self.pair(house, ada.link(), key: Self.key(), device: "00000000000000ef")
    let token = try #require(laptop.fields["token"] as? String)
    let out = try house.ask(
      "DELETE", "/devices/00000000000000ef?space=\(host.space)", host.token)
    #expect(out.status == 204)
    let again = try Self.pair(house, ada.link(), key: Self.key(), device: "00000000000000ef")
    #expect((again.fields["spaces"] as? [Any])?.count == 0)
    _ = try house.joined(house.invite(.edit, to: "notes"), ada.joined.token)
    #expect(try house.ask("GET", "/session?space=\(host.space)", token).status == 401)
  }

  @Test func `a number that somebody else writes under is given to nobody by pairing`() throws {
    let house = try House()
    let victim = try house.joined(house.invite(.add, to: "notes"))
    let eve = try Owner(house, .add, to: "notes")
    let space = eve.own()
    #expect(try eve.open(space).status == 200)
    let forger = try Self.pair(house, eve.link(), key: Self.key(), device: victim.device)
    let list = try #require(forger.fields["spaces"] as? [[String: Any]])
    // It is in that person's spaces, and somebody else's number is its own in none of the others.
    let numbers = Dictionary(
      uniqueKeysWithValues: list.map { ($0["space"] as? String, $0["device"] as? String) })
    #expect(Set(numbers.keys) == [space, victim.space])
    #expect(numbers[victim.space] != victim.device && numbers[space] == victim.device)
  }

  @Test func `a person has sixteen devices, and the server's log names what happened`() throws {
    let house = try House()
    let ada = try Owner(house)
    for _ in 1..<Persons.devicesMax {
      #expect(try Self.pair(house, ada.link(), key: Self.key()).status == 200)
    }
    let answer = try Self.pair(house, ada.link(), key: Self.key())
    #expect(answer.status == 507)
    #expect(
      Self.sentence(answer) == "One person may have 16 devices here. Remove one first.")
    let log = try String(
      contentsOfFile: house.service.store.folder + "/" + SecurityLog.fileName, encoding: .utf8)
    for event in ["offered device=", "paired device=", "refused why=pairing status=507"] {
      #expect(log.contains(event))
    }
    #expect(!log.contains(ada.person))
  }

  @Test func `a browser is paired by its cookie`() throws {
    let house = try House()
    let ada = try Owner(house)
    let body = "{\"pair\":\"\(try ada.link())\",\"key\":\"\(Self.key())\"}"
    let answer = try house.ask("POST", "/pair", nil, body)
    #expect(answer.status == 200 && answer.fields["token"] == nil)
    // Of one millisecond their order says nothing.
    #expect(Set(try ada.devices().map { $0["replica"] as? Bool }) == [true, false])
  }

  @Test func `an app's own server has no persons, and says so`() throws {
    let folder = "\(NSTemporaryDirectory())/persons-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try Store.open(folder: folder, model: Model(entities: Access.entities))
    #expect(try !ServedSpaces(in: store).hasOwn)
    try store.close()
  }
}

extension PersonTests.Owner {
  /// The register of the server as it is in a while.
  fileprivate func later(_ seconds: Double) -> Persons? {
    let store = house.service.store
    return (try? ServedSpaces(in: store)).map {
      Persons(of: $0, in: store, now: { Date().addingTimeInterval(seconds) })
    }
  }
}
