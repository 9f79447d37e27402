import Foundation
import Reunion
import ReunionCommandLine
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing
import Waiting

@testable import ReunionServer

/// Which devices may enter, and what is kept of secrets (docs/protocol.md 3.1).
@Suite struct AccessTests {
  static let space = SpaceID(high: 7, low: 7)

  /// A store in a folder of its own, and the access to a space in it.
  struct House {
    let folder: String
    let store: Store

    init() throws {
      folder = "\(NSTemporaryDirectory())/access-\(UUID())"
      store = try Store.open(folder: folder, model: Model(entities: Access.entities))
    }

    func remove() {
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  @Test func `lets the bearer of an invitation in, and knows its token again`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let secret = try access.invite(.add)
    let (token, device) = try access.join(secret: secret)
    #expect(device.role == .add)
    #expect(access.device(token: token) == device)
    #expect(access.device(token: secret) == nil)
    let later = try Access(to: Self.space, in: house.store)
    #expect(later.device(token: token) == device)
  }

  @Test func `gives each that joins a device of its own, and keeps it for those who were here`()
    throws
  {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let guests = try access.invite(.add)
    let owners = try access.invite(.admin, byteCount: 32)
    let one = try access.join(secret: guests).device
    let two = try access.join(secret: guests).device
    #expect(one.number != two.number)
    let raised = try access.join(secret: owners, as: one).device
    #expect(raised.number == one.number)
    #expect(raised.role == .admin)
    #expect(try access.join(secret: guests, as: raised).device.role == .admin)
  }

  @Test func `a replica is the number under which it writes, where that is nobody's`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let secret = try access.invite(.add)
    func join(_ number: UInt64) throws -> UInt64 {
      try access.join(secret: secret, isReplica: true, number: number).device.number
    }
    #expect(try join(77) == 77)
    // A number is refused that a device has, that is 0, or under which the server writes.
    for taken in [77, 0, house.store.site.device] { #expect(try join(taken) != taken) }
    // So is the number of a site that has written, though no device that joined has it.
    let editor = Site(device: 78, incarnation: 1)
    var vector = VersionVector()
    vector.raise(editor, to: 1)
    let push = IncomingPush(
      peer: editor, helloSeq: 1, changes: [], raised: vector, vector: vector, position: [])
    _ = try house.store.apply(push, in: Self.space, authority: .all)
    #expect(try join(78) != 78)
  }

  @Test func `refuses what is wrong, expired or revoked, each with its sentence`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let expired = try access.invite(.add, expires: Date(timeIntervalSinceNow: -1))
    let revoked = try access.invite(.admin)
    try access.revokeInvitations(.admin)
    for (secret, status) in [("nonsense", 401), ("", 401), (expired, 410), (revoked, 410)] {
      #expect {
        try access.join(secret: secret)
      } throws: {
        ($0 as? Access.Refusal)?.status == status
      }
    }
  }

  @Test func `a device that was put out is unknown, with all of its tokens, and others stay`()
    throws
  {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let (guests, owners) = (try access.invite(.add), try access.invite(.admin))
    let first = try access.join(secret: guests)
    let raised = try access.join(secret: owners, as: first.device)
    let other = try access.join(secret: guests)
    // Both may have joined in one millisecond, so that either may come first.
    let roles = Dictionary(uniqueKeysWithValues: access.devices().map { ($0.number, $0.role) })
    #expect(roles == [first.device.number: .admin, other.device.number: .add])
    let changes = Lock(0)
    access.observe { changes.withLock { $0 += 1 } }
    #expect(try access.remove(device: first.device.number))
    #expect(changes.withLock { $0 } > 0)
    #expect(access.device(token: first.token) == nil)
    #expect(access.device(token: raised.token) == nil)
    #expect(!access.isMember(first.device) && !access.isMember(raised.device))
    #expect(access.device(token: other.token) == other.device)
    #expect(access.devices().map(\.number) == [other.device.number])
    #expect(try !access.remove(device: first.device.number))
    let later = try Access(to: Self.space, in: house.store)
    #expect(later.device(token: first.token) == nil)
  }

  @Test func `stores no secret and no token`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let secret = try access.invite(.add)
    let token = try access.join(secret: secret).token
    for name in try FileManager.default.subpathsOfDirectory(atPath: house.folder) {
      guard let bytes = FileManager.default.contents(atPath: "\(house.folder)/\(name)") else {
        continue
      }
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data(token.utf8)) == nil, "\(name)")
    }
  }

  @Test func `makes secrets of the length asked for, all different`() {
    let secrets = (0..<1_000).map { _ in Secret.make(byteCount: 16) }
    #expect(Set(secrets).count == 1_000)
    #expect(secrets.allSatisfy { $0.utf8.count == 22 })
  }

  @Test func `a membership lasts for as long as it is used, and its device comes back by a link`()
    throws
  {
    let house = try House()
    defer { house.remove() }
    let clock = Lock(Date(timeIntervalSince1970: 2_000_000_000))
    let access = try Access(to: Self.space, in: house.store) { clock.withLock { $0 } }
    /// Day by day, as a server that runs sees them.
    func pass(days: Int) {
      for _ in 0..<days {
        clock.withLock { $0 += 86_400 }
        _ = access.devices()
      }
    }
    let owners = try access.invite(.admin)
    let guests = try access.invite(.add)
    let (token, device) = try access.join(secret: owners)
    let clone = try access.join(secret: owners, isReplica: true).token
    for _ in 0..<3 {
      pass(days: 59)
      #expect(access.device(token: token) == device)
      access.use(token: token)
    }
    pass(days: 59)
    // By its open session alone.
    access.use([device])
    pass(days: 59)
    #expect(access.device(token: token) == device)
    pass(days: 1)
    #expect(access.device(token: token) == nil && access.device(token: clone) != nil)
    #expect(!access.devices().map(\.number).contains(device.number))
    guard case .lapsed(let known) = access.standing(of: token) else {
      Issue.record("It is not known any more")
      return
    }
    // Its session, if it has one, is a use.
    #expect(access.isMember(device))
    let back = try access.join(secret: guests, as: known)
    #expect(back.device.number == device.number && back.device.role == .add)
    pass(days: 130)
    #expect(access.device(token: clone) == nil)
  }

  @Test func `a note of an earlier use that comes late takes no later one back`() throws {
    let house = try House()
    defer { house.remove() }
    let clock = Lock(Date(timeIntervalSince1970: 2_000_000_000))
    let notes = Lock<[@Sendable () -> Void]>([])
    let access = try Access(
      to: Self.space, in: house.store, now: { clock.withLock { $0 } },
      notes: { note in notes.withLock { $0.append(note) } })
    /// Day by day, as a server that runs sees them.
    func pass(days: Int) {
      for _ in 0..<days {
        clock.withLock { $0 += 86_400 }
        _ = access.devices()
      }
    }
    let (token, device) = try access.join(secret: access.invite(.add))
    for _ in 0..<2 {
      pass(days: 59)
      access.use(token: token)
    }
    pass(days: 2)
    let held = notes.withLock { $0 }
    #expect(held.count == 2)
    // Whoever reads the members meanwhile reads what the disk has.
    try access.reload()
    #expect(access.device(token: token) == device)
    for note in held {
      note()
      try access.reload()
      #expect(access.device(token: token) == device)
    }
    // No note is under way any more: what the disk has stands, such as a use that was set back.
    let members = try house.store.fetch(Query<Member>(in: access.space))
    try house.store.write(in: access.space) { transaction in
      for member in members {
        try transaction.set(\Member.usedAt, of: member.id, to: Date(timeIntervalSince1970: 2e9))
      }
    }
    try access.reload()
    #expect(access.device(token: token) == nil)
  }

  @Test func `use is on disk, and a restart forgets none`() throws {
    let house = try House()
    defer { house.remove() }
    let clock = Lock(Date(timeIntervalSince1970: 2_000_000_000))
    let now: @Sendable () -> Date = { clock.withLock { $0 } }
    let access = try Access(to: Self.space, in: house.store, now: now)
    let (token, _) = try access.join(secret: access.invite(.add))
    clock.withLock { $0 += 59 * 86_400 }
    access.use(token: token)
    let noted = now()
    let members = Query<Member>(in: access.space)
    try eventually("the use is on disk") {
      try house.store.fetch(members).allSatisfy { $0.usedAt == noted }
    }
    clock.withLock { $0 += 59 * 86_400 }
    let later = try Access(to: Self.space, in: house.store, now: now)
    #expect(later.device(token: token) != nil)
  }

  @Test func `memberships of before uses were counted do not end by a newer server`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let (token, _) = try access.join(secret: access.invite(.add))
    try house.store.write(in: access.space) { transaction in
      for member in try transaction.fetch(Query<Member>(in: access.space)) {
        try transaction.set(\Member.usedAt, of: member.id, to: nil)
      }
    }
    let later = Date(timeIntervalSinceNow: 200 * 86_400)
    let newer = try Access(to: Self.space, in: house.store) { later }
    #expect(newer.device(token: token) != nil)
  }

  @Test func `a clock that is wrong for a moment ends no membership and makes none end later`()
    throws
  {
    let house = try House()
    defer { house.remove() }
    let clock = Lock(Date(timeIntervalSince1970: 2_000_000_000))
    let access = try Access(to: Self.space, in: house.store) { clock.withLock { $0 } }
    func pass(days: Double) { clock.withLock { $0 += days * 86_400 } }
    let guests = try access.invite(.add)
    for _ in 0..<8 {
      pass(days: 1)
      _ = access.devices()
    }
    let (token, device) = try access.join(secret: guests)
    pass(days: 200)
    #expect(access.device(token: token) == device && access.devices() == [device])
    pass(days: -600)
    // A device that joins while the clock is behind counts as no older than the others once it is
    // right again.
    let late = try access.join(secret: guests)
    pass(days: 400.01)
    #expect(access.device(token: late.token) == late.device)
    #expect(access.device(token: token) == device)
    // Links end by the later of two clocks: one that is behind opens none that is over.
    let over = try access.invite(.add, expires: clock.withLock { $0 } - 1)
    pass(days: -600)
    #expect(throws: Access.Refusal.self) { try access.join(secret: over) }
  }

  @Test func `a link for one device opens for one, also where two come at once`() throws {
    let house = try House()
    defer { house.remove() }
    let access = try Access(to: Self.space, in: house.store)
    let secret = try access.invite(.admin, uses: 1)
    let outcomes = Lock<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let status: Int
      do {
        _ = try access.join(secret: secret)
        status = 200
      } catch {
        status = (error as? Access.Refusal)?.status ?? 0
      }
      outcomes.withLock { $0.append(status) }
    }
    #expect(outcomes.withLock { $0.sorted() } == [200] + [Int](repeating: 410, count: 7))
    #expect(throws: Access.Refusal.self) { try access.role(of: secret) }
  }

  @Test func `an owner's link opens for a day, and a new one ends it`() throws {
    let house = try House()
    defer { house.remove() }
    let clock = Lock(Date())
    let access = try Access(to: Self.space, in: house.store) { clock.withLock { $0 } }
    let first = try access.inviteOwner()
    #expect(try access.join(secret: first).device.role == .admin)
    clock.withLock { $0 += 86_399 }
    #expect(try access.join(secret: first).device.role == .admin)
    clock.withLock { $0 += 2 }
    #expect(throws: Access.Refusal.self) { try access.join(secret: first) }
    let second = try access.renewOwnerLink(isForOne: false)
    let third = try access.renewOwnerLink(isForOne: true)
    #expect(throws: Access.Refusal.self) { try access.join(secret: second) }
    #expect(try access.join(secret: third).device.role == .admin)
    #expect(throws: Access.Refusal.self) { try access.join(secret: third) }
  }

  @Test func `a link that was left in the folder opens for a day, and others' files open nothing`()
    throws
  {
    let house = try House()
    defer { house.remove() }
    let clock = Lock(Date())
    let access = try Access(to: Self.space, in: house.store) { clock.withLock { $0 } }
    let left = try #require(InvitationFile.owner().leave(in: house.folder))
    let late = try #require(InvitationFile.owner().leave(in: house.folder))
    let withdrawn = try #require(InvitationFile.owner().leave(in: house.folder))
    func files() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: house.folder)
        .count { $0.hasPrefix("invitation.") }
    }
    #expect(try access.role(of: left) == .admin)
    #expect(try files() == 3)
    for _ in 0..<2 { #expect(try access.join(secret: left).device.role == .admin) }
    #expect(try files() == 2)
    try access.revokeInvitations(.admin)
    for secret in [left, withdrawn] {
      #expect(throws: Access.Refusal.self) { try access.join(secret: secret) }
    }
    #expect(try files() == 0)
    let other = try #require(InvitationFile.owner().leave(in: house.folder))
    clock.withLock { $0 += 86_500 }
    for secret in [other, late, "nonsense"] {
      #expect(throws: Access.Refusal.self) { try access.join(secret: secret) }
    }
  }
}
