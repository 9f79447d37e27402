import Foundation
import Reunion
import ReunionCore
import ReunionStore
import Testing

@testable import ReunionServer

/// Any number of spaces on one server: a token a device, and a role a space (docs/protocol.md 3.2).
@Suite struct ServedSpacesTests {
  @Test func `a device that joins a second space has one token, and a role in each`() throws {
    let house = try House()
    let first = try house.joined(house.invite(.add))
    let second = try house.joined(house.invite(.edit, to: "notes"), first.token)
    #expect(second.token == first.token && second.device == first.device)
    #expect(second.space != first.space)
    for (space, role) in [(first.space, "add"), (second.space, "edit")] {
      let session = try house.ask("GET", "/session?space=\(space)", first.token)
      #expect(session.status == 200 && session.fields["role"] as? String == role)
      let spaces = try #require(session.fields["spaces"] as? [[String: String]])
      #expect(spaces.map { $0["name"] } == ["main", "notes"])
      #expect(spaces.map { $0["role"] } == ["add", "edit"])
    }
    // The higher role stays, whatever link is opened next.
    _ = try house.joined(house.invite(.view, to: "notes"), first.token)
    let session = try house.ask("GET", "/session?space=\(second.space)", first.token)
    #expect(session.fields["role"] as? String == "edit")
  }

  /// Joins as a browser does, and gives the cookie that it holds then.
  private static func cookie(
    _ house: House, _ secret: String, _ held: String? = nil
  ) throws -> String {
    let body = "{\"invite\":\"\(secret)\"}"
    let fields = ["Content-Length: \(body.utf8.count)"] + (held.map { ["Cookie: \($0)"] } ?? [])
    let text = request("POST", "/join", fields).replacing("Host: test", with: "Host: 127.0.0.1")
    let answer = try ask(house.service.port, text + body)
    #expect(answer.status == 200)
    return "\(try #require(answer["Set-Cookie"]?.split(separator: ";").first))"
  }

  @Test func `a browser that opens another link to its first space stays in the others`() throws {
    let house = try House()
    // A server of one space: the browser gets another cookie, for the same device.
    let first = try Self.cookie(house, house.invite(.view))
    let second = try Self.cookie(house, house.invite(.add), first)
    #expect(second != first)
    let both = try Self.cookie(house, house.invite(.add, to: "notes"), second)
    #expect(both == second)
    // Whoever has the link, and no cookie, becomes nobody that is there.
    let link = try house.invite(.admin)
    #expect(try Self.cookie(house, link) != both)
    #expect(try Self.cookie(house, link, both) == both)
    let token = "\(try #require(both.split(separator: "=").last))"
    let session = try house.ask("GET", "/session", token)
    let spaces = try #require(session.fields["spaces"] as? [[String: String]])
    #expect(spaces.map { $0["role"] } == ["admin", "add"])
  }

  @Test func `what is asked of a space without a role is refused with a sentence`() throws {
    let house = try House()
    let one = try house.joined(house.invite(.admin, to: "one"))
    let two = try house.joined(house.invite(.add, to: "two"))
    for path in ["/sync", "/session", "/devices", "/invite", "/blobs/00"] {
      let other = try house.ask("GET", "\(path)?space=\(two.space)", one.token)
      #expect(other.status == 403)
      #expect(
        other.fields["error"] as? String
          == "This device has no role in that space. Open an invitation to it.")
      let none = try house.ask("GET", "\(path)?space=\(one.space.reversed() + "")", one.token)
      #expect(none.status == 404)
      #expect(
        none.fields["error"] as? String
          == "This server does not serve that space. Open an invitation to one of its own.")
      #expect(try house.ask("GET", "\(path)?space=\(two.space)").status == 401)
    }
    let id = try #require(SpaceID(two.space))
    let members = try house.ask("GET", "/sync?space=\(Access.space(of: id))", two.token)
    #expect(
      members.fields["error"] as? String
        == "This device may not sync that space. Open an invitation to it.")
    // Without the name of a space it is the one in which the device has a role.
    #expect(try house.ask("GET", "/session", two.token).fields["space"] as? String == two.space)
  }

  @Test func `who is removed from one space stays in the others, and comes again as somebody new`()
    throws
  {
    let house = try House()
    let owner = try house.joined(house.invite(.admin, to: "one"))
    let guest = try house.joined(house.invite(.add, to: "one"))
    let two = try house.joined(house.invite(.add, to: "two"), guest.token)
    let path = "/devices/\(guest.device)?space=\(owner.space)"
    #expect(try house.ask("DELETE", path, owner.token).status == 204)
    let out = try house.ask("GET", "/session?space=\(owner.space)", guest.token)
    #expect(out.status == 401 && out.fields["standing"] as? String == "put-out")
    #expect(try house.ask("GET", "/session?space=\(two.space)", guest.token).status == 200)
    let again = try house.joined(house.invite(.add, to: "one"), guest.token)
    #expect(again.device != guest.device && again.token != guest.token)
  }

  @Test func `nobody becomes another device by what the host of another space wrote`() throws {
    let house = try House()
    let victim = try house.joined(house.invite(.add, to: "notes"))
    let own = try house.joined(house.invite(.add, to: "mine"))
    // The host of "mine" gives its own token the victim's number there.
    let store = house.service.store
    let space = Access.space(of: try #require(SpaceID(own.space)))
    let members = try store.fetch(Query<Member>(in: space))
    let number = Int64(bitPattern: try #require(UInt64(victim.device, radix: 16)))
    try store.write(in: space) { transaction in
      for member in members { try transaction.set(\Member.device, of: member.id, to: number) }
    }
    let forger = try house.joined(house.invite(.add, to: "notes"), own.token)
    #expect(forger.device != victim.device && forger.token == own.token)
    #expect(try house.ask("GET", "/session", victim.token).fields["role"] as? String == "add")
  }

  @Test func `spaces are made on first use alone, and are there after a restart`() throws {
    let house = try House()
    let folder = house.service.store.folder
    #expect(try house.join(house.invite(.add, to: "late", seconds: -1)).0 == 401)
    let joined = try house.joined(house.invite(.edit, to: "notes"))
    #expect(try house.join("nonsense").0 == 401)
    house.service.stop()
    let later = try House(folder)
    let store = later.service.store
    #expect(try ServedSpaces(in: store).names == ["main", "notes"])
    let session = try later.ask("GET", "/session?space=\(joined.space)", joined.token)
    #expect(session.fields["name"] as? String == "notes")
  }

  @Test func `the owner's link is printed once, and the folder of an app is left as it is`() throws
  {
    let folder = "\(NSTemporaryDirectory())/serve-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for isFirst in [true, false] {
      let service = try SpaceService(ServeOptions([folder, "--port", "0"]))
      let text = try service.start()
      service.stop()
      #expect(text.contains("Owner: http://localhost:\(service.port)/#join=") == isFirst)
      #expect(text.contains("It listens on 127.0.0.1, port \(service.port)."))
    }
    let app = folder + "/app"
    try Store.open(folder: app, model: Model(Sample.schema)).close()
    let error = #expect(throws: ServerError.self) {
      try SpaceService(ServeOptions([app, "--port", "0"]))
    }
    #expect(
      error?.description
        == "\(app) holds the data of an app, such as sample: start that app, or choose another folder."
    )
  }

  private struct Sample: Entity {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Sample>(1, "sample", [.field(1, "text", \.text)])
  }
}
