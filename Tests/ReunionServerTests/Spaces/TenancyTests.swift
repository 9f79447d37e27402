import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// What a member of one space does to reach into another, played over sockets (`decisions/0093`).
@Suite struct TenancyTests {
  private static let bytes = Array("a file that somebody sends".utf8)
  private static let hash = BlobHash(of: bytes)

  /// Sends a file to a space: the status of the last answer, and its text.
  private static func upload(
    _ port: UInt16, _ to: Joined
  ) throws -> (status: Int, text: String) {
    func ask(_ method: String, _ path: String, _ fields: [String], _ body: [UInt8]) throws -> Answer
    {
      let head = request(
        method, path,
        fields + ["Authorization: Bearer \(to.token)", "Content-Length: \(body.count)"]
      ).replacing("Host: test", with: "Host: 127.0.0.1")
      let client = try RawClient(port: port)
      client.send(head)
      client.send(body)
      return client.receiveAnswer()
    }
    let digest = Data(hash.bytes).base64EncodedString()
    let begun = try ask(
      "POST", "/uploads?use=original&space=\(to.space)",
      ["Upload-Length: \(bytes.count)", "Repr-Digest: sha-256=:\(digest):"], [])
    guard begun.status == 201, let location = begun["Location"] else {
      return (begun.status, begun.text)
    }
    let done = try ask(
      "PATCH", "\(location)?space=\(to.space)",
      ["Upload-Offset: 0", "Content-Type: application/partial-upload"], bytes)
    return (done.status, done.text)
  }

  /// Waits until something is so in a space of a store, and what follows is done.
  private static func wait(
    for store: Store, in space: SpaceID, until isSo: () throws -> Bool
  ) async throws {
    let (commits, told) = AsyncStream.makeStream(of: Void.self)
    let watching = store.observeCommits { if $0.space == space { told.yield() } }
    told.yield()
    for await _ in commits {
      if try isSo() { break }
    }
    withExtendedLifetime(watching) {}
  }

  /// A guest who may look, and has a space of its own.
  private static func attack(_ house: House, _ folder: String) async throws {
    let replica = try Replica(folder: folder)
    let link = "http://127.0.0.1:\(house.service.port)/#join=\(try house.invite(.view))"
    _ = try await replica.space(joining: link)
    let own = try replica.ownSpace()
    try replica.store.write(in: own) { try $0.erase(hash) }
    let connection = try replica.sync(own)
    let store = house.service.store
    try await wait(for: store, in: own) { try store.blobs.isErased(hash, in: own) }
    connection.disconnect()
    try replica.close()
  }

  @Test(arguments: [true, false])
  func `a file outlasts what a guest erases in a space of its own`(isBefore: Bool) async throws {
    let folder = "\(NSTemporaryDirectory())/tenancy-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let house = try House()
    let sender = try house.joined(house.invite(.add))
    if isBefore { try await Self.attack(house, folder) }
    let port = house.service.port
    let sent = try await onThread { try Self.upload(port, sender) }
    #expect(sent.status == 200, "\(sent.text)")
    if !isBefore { try await Self.attack(house, folder) }
    let store = house.service.store
    #expect(try store.blobs.contains(Self.hash))
    #expect(try store.blobs.read(Self.hash, count: Self.bytes.count) == Self.bytes)
    // What the space itself erases it takes no more (control).
    let space = try #require(SpaceID(sender.space))
    try store.write(in: space) { try $0.erase(Self.hash) }
    let again = try await onThread { try Self.upload(port, sender) }
    #expect(again.status == 410 && again.text.contains("refused"), "\(again)")
  }

  @Test func `an editor hears nothing of files that another space holds`() async throws {
    let house = try House()
    let one = try house.joined(house.invite(.edit, to: "one"))
    let two = try house.joined(house.invite(.edit, to: "two"))
    let port = house.service.port
    let (sent, here, there) = try await onThread {
      let sent = try Self.upload(port, one).status
      let digest = Data(Self.hash.bytes).base64EncodedString()
      func begin(_ joined: Joined) throws -> Int {
        let text = request(
          "POST", "/uploads?use=original&space=\(joined.space)",
          [
            "Authorization: Bearer \(joined.token)", "Content-Length: 0",
            "Upload-Length: \(Self.bytes.count)", "Repr-Digest: sha-256=:\(digest):",
          ]
        ).replacing("Host: test", with: "Host: 127.0.0.1")
        return try ask(port, text).status
      }
      return (sent, try begin(one), try begin(two))
    }
    #expect(sent == 200 && here == 200 && there == 201)
  }

  // Names of spaces

  @Test func `a space that is another's members is nobody's own, whichever comes first`() throws {
    let house = try House()
    let (ada, eve) = (try PersonTests.Owner(house), try PersonTests.Owner(house))
    let later = ada.own()
    let members = Access.space(of: try #require(SpaceID(later))).description
    // Before that space is there, under no name that eve could say; and afterwards.
    #expect(try eve.open(members).status == 400)
    let named =
      "{\"person\":\"\(eve.person)\",\"space\":\"\(members)\",\"name\":\"book\"}"
    #expect(try house.ask("POST", "/own", eve.joined.token, named).status == 409)
    #expect(try ada.open(later).status == 200)
    #expect(try house.ask("POST", "/own", eve.joined.token, named).status == 409)
    // Another person's, by its right name.
    let stolen =
      "{\"person\":\"\(eve.person)\",\"space\":\"\(ada.own("notes"))\",\"name\":\"notes\"}"
    let answer = try house.ask("POST", "/own", eve.joined.token, stolen)
    #expect(answer.status == 409)
    #expect(PersonTests.sentence(answer) == "That is no space of this person's own of that name.")
    // Her own of that name opens, and again without it (control).
    let own = eve.own("notes")
    #expect(try eve.open(own).status == 200)
    let old = "{\"person\":\"\(eve.person)\",\"space\":\"\(own)\"}"
    #expect(try house.ask("POST", "/own", eve.joined.token, old).status == 200)
  }

  @Test func `what was opened as another's members before is served no more`() throws {
    let house = try House()
    let (ada, eve) = (try PersonTests.Owner(house), try PersonTests.Owner(house))
    let (space, before) = (ada.own(), ada.own())
    #expect(try ada.open(space).status == 200)
    let store = house.service.store
    // As an earlier version let it be: the members of a space that is there, and of one that comes.
    let person = try #require(RecordID(eve.person))
    for each in [space, before] {
      var own = OwnSpace(id: OwnSpace.id(of: Access.space(of: try #require(SpaceID(each)))))
      own.person = person.bytes
      try store.write(in: Persons.space) { try $0.create(own) }
    }
    let folder = store.folder
    house.service.stop()
    let later = try House(folder)
    let spaces = try ServedSpaces(in: later.service.store)
    #expect(spaces.ownCount == 2)
    let members = Access.space(of: try #require(SpaceID(space)))
    #expect(spaces.find(members)?.id.description == space)
    // The one that comes is refused for good, and what is there stays.
    let name = "{\"person\":\"\(ada.person)\",\"space\":\"\(before)\",\"name\":\"x\"}"
    #expect(try later.ask("POST", "/own", ada.joined.token, name).status == 409)
    #expect(try later.ask("GET", "/session?space=\(space)", ada.joined.token).status == 200)
  }

  @Test func `nobody has the say of a host in an own space, whatever stands among its members`()
    throws
  {
    let house = try House()
    let ada = try PersonTests.Owner(house)
    let space = ada.own()
    #expect(try ada.open(space).status == 200)
    let members = Access.space(of: try #require(SpaceID(space)))
    let store = house.service.store
    let rows = try store.fetch(Query<Member>(in: members))
    try store.write(in: members) { transaction in
      for row in rows { try transaction.set(\Member.role, of: row.id, to: Role.admin.rawValue) }
    }
    let session = try house.ask("GET", "/session?space=\(space)", ada.joined.token)
    #expect(session.fields["role"] as? String == "edit")
    for path in ["/devices?space=\(space)", "/sync?space=\(members)"] {
      #expect(try house.ask("GET", path, ada.joined.token).status == 403)
    }
    #expect(try house.ask("GET", "/health?space=\(space)", ada.joined.token).fields.count == 2)
  }

  // Numbers

  /// The number that a device gets in a space, which another space says has that number; nil where it is
  /// somebody new.
  private func carried(_ number: (Store) throws -> UInt64, bugs: SeededBugs) throws -> UInt64? {
    let folder = "\(NSTemporaryDirectory())/numbers-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var options = StoreOptions()
    options.seededBugs = bugs
    let store = try Store.open(
      folder: folder, model: Model(entities: Access.entities), options: options)
    defer { try? store.close() }
    let access = try Access(to: AccessTests.space, in: store)
    let number = try number(store)
    let known = Access.Device(number: number, role: .admin, isReplica: true, joined: Date())
    let token = Secret.make(byteCount: 32)
    let joined = try access.join(
      secret: access.invite(.add), as: known, isReplica: true, showing: token)
    return joined.device.number == number && joined.token == token ? number : nil
  }

  /// Has a space hold what a device wrote that never joined.
  private static func written(by number: UInt64, _ store: Store) throws -> UInt64 {
    let site = Site(device: number, incarnation: 1)
    var vector = VersionVector()
    vector.raise(site, to: 1)
    let cell = Cell(
      field: 0, merge: .creation, dot: Dot(site: site, seq: 1), stamp: Stamp(milliseconds: 1),
      value: .null)
    _ = try store.apply(
      IncomingPush(
        peer: site, helloSeq: 1,
        changes: [Change(entity: 1, record: RecordID(high: 1, low: 1), cell: cell)],
        raised: vector, vector: vector, position: []),
      in: AccessTests.space, authority: .all)
    return number
  }

  @Test func `a number that somebody wrote under, or the server's, is carried into no space`()
    throws
  {
    let free = try carried({ _ in 5 }, bugs: [])
    #expect(free == 5)
    let servers = try carried({ $0.site.device }, bugs: [])
    let others = try carried({ try Self.written(by: 6, $0) }, bugs: [])
    #expect(servers == nil && others == nil)
    // As it was (negative control).
    let bugs: SeededBugs = [.numberCarried]
    let before = try carried({ $0.site.device }, bugs: bugs)
    let theirs = try carried({ try Self.written(by: 6, $0) }, bugs: bugs)
    #expect(before != nil && theirs == 6)
  }

  @Test func `a device whose number somebody claimed before it came writes under another there`()
    async throws
  {
    let folder = "\(NSTemporaryDirectory())/claimed-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let house = try House()
    let replica = try Replica(folder: folder)
    let number = Access.text(of: replica.store.device)
    let elsewhere = try await replica.space(
      joining: "http://127.0.0.1:\(house.service.port)/#join=\(house.invite(.add, to: "notes"))")
    let claim =
      "{\"invite\":\"\(try house.invite(.add))\",\"replica\":true,\"device\":\"\(number)\"}"
    let claimed = try house.ask("POST", "/join", nil, claim)
    #expect(claimed.fields["device"] as? String == number)
    let link = "http://127.0.0.1:\(house.service.port)/#join=\(try house.invite(.add))"
    let space = try await replica.space(joining: link)
    let site = replica.store.site(in: space)
    #expect(site.device != replica.store.device)
    // Where it was in already it is who it was (control).
    #expect(replica.store.device(in: elsewhere) == replica.store.device)
    // A guest speaks for its number alone: what it writes comes.
    let store = house.service.store
    for (each, site) in [(space, site), (elsewhere, replica.store.site)] {
      try replica.settings(of: each).set(SettingKey("here", default: 0), to: 1)
      let connection = try replica.sync(each)
      try await Self.wait(for: store, in: each) { try store.vector(of: each)[site] > 0 }
      connection.disconnect()
    }
    try replica.close()
  }

  @Test func `a member under the server's own number may enter nowhere`() throws {
    let house = try House()
    let host = try house.joined(house.invite(.admin, to: "mine"))
    let store = house.service.store
    let members = Access.space(of: try #require(SpaceID(host.space)))
    let rows = try store.fetch(Query<Member>(in: members))
    try store.write(in: members) { transaction in
      for row in rows {
        try transaction.set(\Member.device, of: row.id, to: Int64(bitPattern: store.site.device))
      }
    }
    #expect(try house.ask("GET", "/session?space=\(host.space)", host.token).status == 401)
  }

  @Test func `what one device uses up is not another's that has its number elsewhere`() throws {
    let device = Access.Device(number: 7, role: .add, isReplica: true, joined: Date())
    let house = try AccessTests.House()
    defer { house.remove() }
    func served(_ low: UInt64, owner: RecordID? = nil) throws -> ServedSpace {
      let id = SpaceID(high: 1, low: low)
      return ServedSpace(
        id: id, access: try Access(to: id, in: house.store), name: { "" }, owner: owner)
    }
    let (one, two) = (try served(1), try served(2))
    #expect(one.guest(device) != two.guest(device) && one.guest(device) == one.guest(device))
    // A person's devices are one guest in all of their own spaces.
    let person = RecordID(high: 3, low: 3)
    let (mine, book) = (try served(3, owner: person), try served(4, owner: person))
    #expect(mine.guest(device) == book.guest(device))
    // All guests of a space share what they may bring, and nothing with those of another.
    var allowance = GuestAllowance()
    allowance.recordsPerDay = 1
    let ledger = GuestLedger(file: house.folder + "/today.json", allowance: allowance)
    let pool = one.pool(from: "10.0.0.1")
    #expect(pool == one.pool(from: "10.0.0.2"))
    for guest in 0..<20 as Range<UInt64> {
      ledger.took(ledger.rest(of: guest, in: pool), from: guest, in: pool)
    }
    #expect(ledger.rest(of: 99, in: pool).records == 0)
    #expect(ledger.rest(of: 99, in: two.pool(from: "")).records == 1)
    // Persons share with those who come from their network, in whatever own space they are.
    let (near, far) = (mine.pool(from: "10.0.0.1"), book.pool(from: "10.0.0.2"))
    #expect(book.pool(from: "10.0.0.1") == near && near != far && near != pool)
    for guest in 0..<20 as Range<UInt64> {
      ledger.took(ledger.rest(of: guest, in: near), from: guest, in: near)
    }
    #expect(ledger.rest(of: 99, in: near).records == 0)
    #expect(ledger.rest(of: 99, in: far).records == 1)
    // Requests go by the token, which nobody else has.
    var limit = RateLimit(2, in: 60)
    for _ in 0..<3 { _ = limit.allows(Server.asker("one token"), now: 1) }
    let (more, other) = (
      limit.allows(Server.asker("one token"), now: 1), limit.allows(Server.asker("another"), now: 1)
    )
    #expect(!more && other)
  }
}
