import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct AuthorityTests {
  private let folders = [Folder(), Folder(), Folder()]

  private func stores() throws -> (relay: Store, guest: Store, other: Store) {
    (try folders[0].open(), try folders[1].open(), try folders[2].open())
  }

  @Test func `takes own new records and own changes to them`() throws {
    let (relay, guest, _) = try stores()
    let own = Authority.own(device: guest.site.device)
    let id = guest.newID()
    try guest.write(in: space) { try $0.create(Photo(id: id)) }
    #expect(try relay.pull(from: guest, authority: own).refusedCount == 0)
    try guest.write(in: space) { try $0.set(\Photo.width, of: id, to: 2) }
    try guest.write(in: space) { try $0.delete(Photo.self, id) }
    #expect(try relay.pull(from: guest, authority: own).refusedCount == 0)
    #expect(try relay.digest(of: space) == guest.digest(of: space))
  }

  @Test func `refuses changes to other people's records with their whole transaction`() throws {
    let (relay, guest, _) = try stores()
    let own = Authority.own(device: guest.site.device)
    let (theirs, mine) = (relay.newID(), relay.newID())
    try relay.write(in: space) { try $0.create(Photo(id: theirs)) }
    try guest.pull(from: relay)
    try guest.write(in: space) { transaction in
      try transaction.set(\Photo.width, of: theirs, to: 5)
      try transaction.create(Photo(id: mine))
    }
    try guest.write(in: space) { try $0.set(\Photo.width, of: mine, to: 6) }
    let before = try relay.digest(of: space)
    let applied = try relay.pull(from: guest, authority: own)
    #expect(applied.refusedCount == 2)
    #expect(!applied.changed)
    #expect(try relay.digest(of: space) == before)
    #expect(try relay.vector(of: space)[guest.site] == guest.vector(of: space)[guest.site])
    let used = try guest.vector(of: space)[guest.site]
    try guest.takeRefusals(of: relay)
    #expect(try guest.digest(of: space) == before)
    #expect(try guest.fetch(Photo.self, mine, in: space) == nil)
    #expect(try guest.vector(of: space)[guest.site] == used)
    #expect(try !relay.pull(from: guest, authority: own).changed)
  }

  @Test func `lets no earlier creation take over a record, and nobody speak for others`() throws {
    let (relay, guest, other) = try stores()
    let own = Authority.own(device: guest.site.device)
    let id = relay.newID()
    try relay.write(in: space) { try $0.create(Photo(id: id)) }
    let early = Stamp(milliseconds: 1)
    func creation(_ site: Site, _ id: RecordID) -> Change {
      Change(
        entity: 3, record: id,
        cell: Cell(
          field: 0, merge: .creation, dot: Dot(site: site, seq: 1), stamp: early, value: .null))
    }
    var vector = VersionVector()
    vector.raise(guest.site, to: 1)
    vector.raise(other.site, to: 1)
    let before = try relay.digest(of: space)
    let applied = try relay.take(
      [creation(guest.site, id), creation(other.site, other.newID())], vector, from: guest.site,
      authority: own)
    #expect(applied.refusedCount == 2)
    #expect(try relay.digest(of: space) == before)
    #expect(try relay.vector(of: space)[other.site] == 0)
    #expect(try relay.vector(of: space)[guest.site] == 1)
  }

  @Test func `takes nothing from who may only look`() throws {
    let (relay, guest, _) = try stores()
    try guest.write(in: space) { try $0.create(Photo(id: guest.newID())) }
    let applied = try relay.pull(from: guest, authority: .none)
    #expect(applied.refusedCount == 1)
    #expect(try relay.vector(of: space) == VersionVector())
    #expect(try relay.counts().records == 0)
    try guest.takeRefusals(of: relay)
    #expect(try guest.counts().records == 0)
  }

  /// Half a push is never visible (docs/protocol.md 2.5).
  @Test func `shows staged parts only when the push is whole, and forgets them when closed`() throws
  {
    var (relay, guest, _) = try stores()
    for number in 0..<30 {
      try guest.write(in: space) { transaction in
        var photo = Photo(id: transaction.newID())
        photo.bytes = [UInt8](repeating: UInt8(number), count: 100_000)
        try transaction.create(photo)
      }
    }
    var push = try guest.push(
      in: space, Conversation.Reading(after: 0))
    let changes = push.changes
    #expect(Set(changes.map(\.record)).count == 30)
    try relay.stage(changes, [], from: guest.site, in: space)
    #expect(try relay.counts().records == 0)
    #expect(try relay.vector(of: space) == VersionVector())
    try relay.close()
    relay = try folders[0].open()
    push.stagedCount = changes.count
    push.changes = []
    #expect(isCode(.stagedLost) { _ = try relay.apply(push, in: space, authority: .all) })
    #expect(try relay.vector(of: space) == VersionVector())
    try relay.stage(changes, [], from: guest.site, in: space)
    #expect(try relay.apply(push, in: space, authority: .all).changed)
    #expect(try relay.digest(of: space) == guest.digest(of: space))
    #expect(try relay.vector(of: space) == guest.vector(of: space))
  }

  /// A page drops what it made and deleted, and a guest what was refused: of neither may an older push come later.
  @Test(arguments: [false, true])
  func `what an earlier session still brings comes too late`(isBugged: Bool) throws {
    let relay = try folders[0].open { if isBugged { $0.seededBugs = [.earlierSessionTaken] } }
    let guest = try folders[1].open()
    let own = Authority.own(device: guest.site.device)
    let first = relay.beginSession(of: guest.site, in: space)
    try guest.write(in: space) { try $0.create(Photo(id: guest.newID())) }
    var late = try guest.push(in: space, Conversation.Reading(after: 0))
    late.session = first
    let second = relay.beginSession(of: guest.site, in: space)
    let applyLate = { _ = try relay.apply(late, in: space, authority: own) }
    #expect(isCode(.stagedLost, applyLate) != isBugged)
    // Nor when the later one is over.
    relay.endSession(second, of: guest.site, in: space)
    #expect(isCode(.stagedLost, applyLate) != isBugged)
    #expect(try relay.counts().records == (isBugged ? 1 : 0))
    late.session = relay.beginSession(of: guest.site, in: space)
    relay.endSession(first, of: guest.site, in: space)
    try applyLate()
    #expect(try relay.counts().records == 1)
  }
}
