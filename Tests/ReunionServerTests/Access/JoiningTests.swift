import Foundation
import Waiting
@testable import Reunion
import ReunionCommandLine
import ReunionFlow
import ReunionServer
import ReunionStore
import Testing

extension Log {
  /// Waits up to two minutes until the items satisfy the condition, and leaves the thread to others.
  func reach(_ condition: ([Item]) -> Bool) async -> Bool {
    (try? await eventually("what a test waits for") { condition(all) }) != nil
  }
}

/// A space that a replica syncs by a link, start after start.
@Suite struct JoiningTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
  }

  /// A server with an invitation, on a port that it can take again.
  final class Host {
    let store: Store
    let access: Access
    private var server: Server?
    let port: UInt16

    init(_ folder: String, _ space: SpaceID, port: UInt16 = 0) throws {
      store = try Store.open(
        folder: folder, model: Model(entities: Model(Note.schema).entities + Access.entities))
      access = try Access(to: space, in: store)
      let socket = try ListeningSocket(address: "127.0.0.1", port: port)
      self.port = socket.port
      let server = try Server(
        space, in: store, access: access,
        configuration: .init(
          listener: socket, uploadFolder: folder + "-uploads", name: { "Notes" }))
      try server.start()
      self.server = server
    }

    func link() throws -> String { "http://127.0.0.1:\(port)/#join=\(try access.invite(.edit))" }

    func stop() throws {
      server?.stop()
      server = nil
      try store.close()
    }
  }

  let folder = "\(NSTemporaryDirectory())/joining-\(UUID())"
  let space = SpaceID(high: 11, low: 12)

  private func replica(_ name: String = "phone") throws -> Replica {
    try Replica(folder: "\(folder)/\(name)", model: Model(Note.schema))
  }

  private func path(_ name: String = "phone") -> String {
    "\(folder)/\(name)/membership.\(space).json"
  }

  /// The states that a connection tells, in their order.
  private static func states(_ connection: Connection) -> (
    Log<Reconnection.State>, SignalSubscription
  ) {
    let log = Log<Reconnection.State>()
    return (log, connection.state.observe { log.append($0) })
  }

  private static func isOnline(_ states: [Reconnection.State]) -> Bool { states.last == .online }

  private static func blocked(_ states: [Reconnection.State]) -> String? {
    if case .blocked(let reason)? = states.last { reason } else { nil }
  }

  @Test func `joins once, syncs, and goes on at the next start, without the server too`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var host = try Host(folder + "/server", space)
    let (port, link) = (host.port, try host.link())
    for start in 1...3 {
      let phone = try replica()
      try await phone.write(in: space) { try $0.create(Note.self) { $0.text = "\(start)" } }
      // The second start finds no server at first.
      if start == 2 { try host.stop() }
      let connection = try phone.sync(space, joining: link)
      let (states, watching) = Self.states(connection)
      if start == 2 {
        #expect(await states.reach { if case .waiting? = $0.last { true } else { false } })
        host = try Host(folder + "/server", space, port: port)
        connection.networkReturned()
      }
      #expect(await states.reach(Self.isOnline))
      let held = Log<Int>()
      let counting = try host.store.live(Query<Note>(in: space)).observe { held.append($0.count) }
      #expect(await held.reach { $0.last == start })
      #expect(host.access.devices().count == 1)
      watching.cancel()
      counting.cancel()
      try phone.close()
    }
    try host.stop()
  }

  /// With the role `add` a replica speaks for its own store's number alone, and with one token in all spaces.
  @Test func `who may add syncs two spaces of a server by links, with one token`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try SpaceService(ServeOptions([folder + "/server", "--port", "0"])) { _ in }
    _ = try service.start()
    defer { service.stop() }
    let phone = try replica()
    var spaces: [SpaceID] = []
    for name in ["main", "other"] {
      let left = InvitationFile(space: name, role: "add", expires: nil)
      let secret = try #require(left.leave(in: service.store.folder))
      let link = "http://127.0.0.1:\(service.port)/#join=\(secret)"
      let space = try await phone.space(joining: link)
      let id = try await phone.write(in: space) {
        try $0.create(Note.self) { $0.text = name }.id
      }
      let connection = try phone.sync(space, joining: link)
      // The server has no model: it holds what it does not know.
      let held = Log<RecordID>()
      let reading = service.store.observeCommits { commit in
        if (try? service.store.record(entity: 1, id, in: commit.space)) ?? nil != nil {
          held.append(id)
        }
      }
      #expect(await held.reach { $0.contains(id) })
      reading.cancel()
      connection.disconnect()
      spaces.append(space)
    }
    #expect(Set(spaces).count == 2)
    let tokens = try spaces.map { space in
      let data = try #require(
        FileManager.default.contents(atPath: "\(folder)/phone/membership.\(space).json"))
      struct Kept: Decodable { let membership: Membership }
      return try JSONDecoder().decode(Kept.self, from: data).membership.token
    }
    #expect(Set(tokens).count == 1)
    try phone.close()
  }

  @Test func `the membership is for its owner alone, and names no link`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try Host(folder + "/server", space)
    let link = try host.link()
    let phone = try replica()
    let connection = try phone.sync(space, joining: link)
    let (states, watching) = Self.states(connection)
    #expect(await states.reach(Self.isOnline))
    let attributes = try FileManager.default.attributesOfItem(atPath: path())
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let kept = try String(contentsOfFile: path(), encoding: .utf8)
    #expect(kept.contains("token"))
    #expect(!kept.contains(try #require(link.split(separator: "=").last)))
    #expect(!FileManager.default.fileExists(atPath: path() + ".new"))
    watching.cancel()
    try phone.close()
    try host.stop()
  }

  /// docs/protocol.md 2.19.
  @Test func `a server that stops says so, and asks everybody to come back later`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try Host(folder + "/server", space)
    let phone = try replica()
    let connection = try phone.sync(space, joining: try host.link())
    let (states, watching) = Self.states(connection)
    #expect(await states.reach(Self.isOnline))
    try host.stop()
    #expect(
      await states.reach { all in
        all.contains {
          guard case .waiting(_, _, let reason) = $0 else { return false }
          return reason == "The server stops, and is expected back."
        }
      })
    watching.cancel()
    try phone.close()
  }

  @Test func `without a network it works offline, and joins when the server is there`() async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A port that nobody listens on.
    let probe = try Host(folder + "/server", space)
    let (port, link) = (probe.port, try probe.link())
    try probe.stop()
    let phone = try replica()
    let connection = try phone.sync(space, joining: link)
    let (states, watching) = Self.states(connection)
    // On a busy machine it may have waited for ten seconds first, and says so.
    #expect(
      await states.reach {
        guard case .waiting(_, _, let reason)? = $0.last else { return false }
        return reason.contains("127.0.0.1") && reason.hasSuffix("?")
      })
    try await phone.write(in: space) { try $0.create(Note.self) { $0.text = "offline" } }
    #expect(!FileManager.default.fileExists(atPath: path()))
    let host = try Host(folder + "/server", space, port: port)
    connection.networkReturned()
    #expect(await states.reach(Self.isOnline))
    watching.cancel()
    try phone.close()
    try host.stop()
  }

  @Test func `a link tells its space, which stands without the server at the next start`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try Host(folder + "/server", space)
    let link = try host.link()
    for start in 1...2 {
      let phone = try replica()
      #expect(try await phone.space(joining: link) == space)
      if start == 1 {
        let connection = try phone.sync(space, joining: link)
        let (states, watching) = Self.states(connection)
        #expect(await states.reach(Self.isOnline))
        watching.cancel()
        #expect(host.access.devices().count == 1)
        try host.stop()
      }
      try phone.close()
    }
    let other = try replica("other")
    let error = await #expect(throws: JoinError.self) { _ = try await other.space(joining: link) }
    #expect(error?.code == .unreachable)
    try other.close()
  }

  @Test func `another link joins anew, and takes the place of the first`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try Host(folder + "/server", space)
    let phone = try replica()
    var kept: Set<String> = []
    for link in [try host.link(), try host.link()] {
      let connection = try phone.sync(space, joining: link)
      let (states, watching) = Self.states(connection)
      #expect(await states.reach(Self.isOnline))
      kept.insert(try String(contentsOfFile: path(), encoding: .utf8))
      watching.cancel()
      connection.disconnect()
    }
    // By the second link it shows the token that it has: it is the same device.
    #expect(kept.count == 2 && host.access.devices().count == 1)
    #expect(throws: JoinError.self) { _ = try phone.sync(space, joining: "nonsense") }
    try phone.close()
    try host.stop()
  }

  @Test func `a link that opens another space, and a server that serves another, say so`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try Host(folder + "/server", space)
    let phone = try replica()
    let other = SpaceID.random()
    let joining = try phone.sync(other, joining: try host.link())
    let (byLink, first) = Self.states(joining)
    #expect(await byLink.reach { Self.blocked($0) != nil })
    #expect(Self.blocked(byLink.all)?.contains("opens another space") == true)
    let membership = try await Membership.join(link: try host.link())
    let connection = try phone.sync(other, with: membership)
    let (byMembership, second) = Self.states(connection)
    #expect(await byMembership.reach { Self.blocked($0) != nil })
    #expect(
      Self.blocked(byMembership.all)
        == "This server does not serve that space. Open an invitation to one of its own.")
    for (ended, watching) in [(joining, first), (connection, second)] {
      watching.cancel()
      ended.disconnect()
    }
    try phone.close()
    try host.stop()
  }

  @Test func `whom the host put out stays out; whom the server forgot joins again by the link`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let host = try Host(folder + "/server", space)
    let link = try host.link()
    let phone = try replica()
    let connection = try phone.sync(space, joining: link)
    let (states, watching) = Self.states(connection)
    #expect(await states.reach(Self.isOnline))
    // The token is none that the server knows.
    connection.disconnect()
    var kept = try String(contentsOfFile: path(), encoding: .utf8)
    kept.replace(#/"token":"[^"]*"/#, with: #""token":"forgotten""#)
    try kept.write(toFile: path(), atomically: true, encoding: .utf8)
    connection.connect()
    #expect(await states.reach { $0.count { $0 == .online } >= 2 })
    #expect(host.access.devices().count == 2)
    for device in host.access.devices() { try host.access.remove(device: device.number) }
    #expect(await states.reach { Self.blocked($0) != nil })
    connection.connect()
    #expect(await states.reach { Self.blocked($0)?.contains("removed this device") == true })
    #expect(host.access.devices().isEmpty)
    watching.cancel()
    try phone.close()
    try host.stop()
  }

  @Test
  func `a server that is released while it runs says so, once; one that was stopped does not`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let said = Log<String>()
    for stops in [true, false] {
      let store = try Store.open(
        folder: "\(folder)/\(stops)", model: Model(entities: Access.entities))
      var configuration = Server.Configuration(
        listener: try ListeningSocket(address: "127.0.0.1", port: 0),
        uploadFolder: "\(folder)/uploads", name: { "Notes" })
      configuration.notice = { said.append($0) }
      let server = try Server(
        space, in: store, access: try Access(to: space, in: store), configuration: configuration)
      try server.start()
      if stops { server.stop() }
    }
    #expect(said.wait(for: 1))
    #expect(said.all.count == 1 && said.all[0].contains("was released while it ran"))
  }

  @Test func `no state is told twice in a row, and no reason has stray bytes`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A server that is up and refuses the socket, then one that is gone, then one that serves.
    let host = try Host(folder + "/server", space)
    let (port, link) = (host.port, try host.link())
    let phone = try replica()
    let refused = Membership(server: "http://127.0.0.1:\(port)", token: "wrong", spaces: [])
    let connection = try phone.sync(space, with: refused)
    let (states, watching) = Self.states(connection)
    #expect(await states.reach { Self.blocked($0) != nil })
    try host.stop()
    connection.connect()
    #expect(await states.reach { if case .waiting? = $0.last { true } else { false } })
    let again = try Host(folder + "/server", space, port: port)
    let joined = try phone.sync(space, joining: link)
    let (others, watchingToo) = Self.states(joined)
    #expect(await others.reach(Self.isOnline))
    let notes = Log<Int>()
    let counting = try again.store.live(Query<Note>(in: space)).observe { notes.append($0.count) }
    for number in 1...4 {
      try await phone.write(in: space) { try $0.create(Note.self) { $0.text = "\(number)" } }
    }
    #expect(await notes.reach { $0.last == 4 })
    for told in [states.all, others.all] {
      #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 }, "\(told)")
      for state in told {
        let reason: String
        switch state {
        case .waiting(_, _, let why), .blocked(let why): reason = why
        default: continue
        }
        #expect(reason.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }, "\(reason)")
        #expect(reason.hasSuffix(".") || reason.hasSuffix("?"), "\(reason)")
      }
    }
    for subscription in [watching, watchingToo, counting] { subscription.cancel() }
    try phone.close()
    try again.stop()
  }
}
