import ReunionCore
import Testing

@testable import ReunionStore

/// What is refused lasts until its author has answered, and what a peer says of vectors is bounded
/// (docs/protocol.md 2.9).
@Suite struct LedgerTests {
  let folders = [Folder(), Folder(), Folder()]

  /// A guest that edits what is not its own, exchanges with a cut at each point, and then again.
  private func story(pushesBeforeCut: Int, bugs: SeededBugs = []) throws -> (Store, Store) {
    let relay = try folders[0].open { $0.seededBugs = bugs }
    let guest = try folders[1].open()
    let theirs = relay.newID()
    try relay.write(in: space) { try $0.create(Photo(id: theirs)) }
    var exchange = Exchange(guest, relay, guest: guest)
    _ = try exchange.run()
    try guest.write(in: space) { transaction in
      try transaction.set(\Photo.caption, of: theirs, to: "mine now")
      try transaction.create(Photo.self) { $0.caption = "beside" }
    }
    exchange = Exchange(guest, relay, guest: guest)
    exchange.pushesBeforeCut = pushesBeforeCut
    _ = try exchange.run()
    exchange = Exchange(guest, relay, guest: guest)
    _ = try exchange.run()
    return (relay, guest)
  }

  @Test(arguments: 0...6)
  func `a refusal reaches its author, wherever the link is cut`(pushesBeforeCut: Int) throws {
    let (relay, guest) = try story(pushesBeforeCut: pushesBeforeCut)
    #expect(try relay.digest(of: space) == guest.digest(of: space))
    #expect(try guest.fetch(Query<Photo>(in: space)).map(\.caption) == [""])
    let waiting = try relay.refusals(
      of: guest.site, after: 0, in: space, bytesMax: .max)
    #expect(waiting.isEmpty)
  }

  @Test func `a refusal that is not kept leaves its author different (negative control)`() throws {
    let (relay, guest) = try story(pushesBeforeCut: 6, bugs: [.refusalNotSent])
    #expect(try relay.digest(of: space) != guest.digest(of: space))
  }

  @Test(arguments: [SeededBugs(), [.refusedTakenLater]])
  func `what was refused stays so until its author has answered`(bugs: SeededBugs) throws {
    let relay = try folders[0].open { $0.seededBugs = bugs }
    let guest = try folders[1].open()
    try guest.write(in: space) { try $0.create(Photo.self) { $0.caption = "early" } }
    #expect(try relay.pull(from: guest, authority: .none, after: 0).refusedCount == 1)
    // It may write by now, and the refusal is on its way.
    try relay.pull(from: guest, after: 0, lacking: VersionVector())
    #expect(try relay.fetch(Query<Photo>(in: space)).isEmpty == bugs.isEmpty)
    let refused = try relay.refusals(of: guest.site, after: 0, in: space, bytesMax: .max)
    try relay.answerRefusals(of: guest.site, upTo: refused.last?.number ?? 0, in: space)
    try relay.pull(from: guest, after: 0, lacking: VersionVector())
    #expect(try relay.fetch(Query<Photo>(in: space)).count == 1)
  }

  @Test(arguments: [0, 1])
  func `a refusal names what others wrote, staged or not`(stagedCount: Int) throws {
    let relay = try folders[0].open()
    let guest = Site(device: 7, incarnation: 7)
    let cell = Cell(
      field: 0, merge: .creation, dot: Dot(site: Site(device: 8, incarnation: 8), seq: 3),
      stamp: Stamp(milliseconds: 1_000_000), value: .null)
    let change = Change(entity: 1, record: relay.newID(), cell: cell)
    if stagedCount > 0 { try relay.stage([change], [], from: guest, in: space) }
    let push = IncomingPush(
      peer: guest, helloSeq: 0, changes: stagedCount > 0 ? [] : [change],
      stagedCount: stagedCount, raised: VersionVector(), vector: VersionVector(), position: [])
    _ = try relay.apply(push, in: space, authority: .own(device: guest.device))
    let refused = try relay.refusals(of: guest, after: 0, in: space, bytesMax: .max)
    #expect(refused.map { $0.refusal.sent.covers(cell.dot) } == [true])
  }

  @Test func `a rule's sentence lasts, and stays when the same is refused for another reason`()
    throws
  {
    var relay = try folders[0].open()
    let guest = Site(device: 7, incarnation: 7)
    let record = relay.newID()
    func push(_ seq: UInt64, ruledOut sentence: String?) throws {
      let cell = Cell(
        field: 0, merge: .creation, dot: Dot(site: guest, seq: seq),
        stamp: Stamp(milliseconds: 1_000_000 + seq), value: .null)
      var push = IncomingPush(
        peer: guest, helloSeq: seq, changes: [Change(entity: 1, record: record, cell: cell)],
        raised: VersionVector(), vector: VersionVector(), position: [])
      push.ruledOut = sentence.map { [.init(site: guest, stamp: cell.stamp): $0] } ?? [:]
      let authority = sentence == nil ? Authority.none : .own(device: guest.device)
      #expect(try relay.apply(push, in: space, authority: authority).refusedCount == 1)
    }
    func said() throws -> [String] {
      try relay.refusals(of: guest, after: 0, in: space, bytesMax: .max)
        .map { String(decoding: $0.refusal.sentence, as: UTF8.self) }
    }
    try push(1, ruledOut: "No notes today.")
    try relay.close()
    relay = try folders[0].open()
    #expect(try said() == ["No notes today."])
    try push(2, ruledOut: nil)
    #expect(try said() == ["No notes today."])
    try push(3, ruledOut: "Only on Mondays.")
    #expect(try said() == ["Only on Mondays."])
  }

  @Test func `refusals last when the store is closed, and are read in bounded parts`() throws {
    var relay = try folders[0].open()
    let guest = try folders[1].open()
    var ids: [RecordID] = []
    for _ in 0..<3 {
      try relay.write(in: space) { transaction in
        let photo = try transaction.create(Photo.self) {
          $0.bytes = [UInt8](repeating: 7, count: 500_000)
        }
        ids.append(photo.id)
      }
    }
    try guest.pull(from: relay)
    try guest.write(in: space) { transaction in
      for id in ids { try transaction.set(\Photo.width, of: id, to: 1) }
    }
    try relay.pull(from: guest, authority: .own(device: guest.site.device))
    try relay.close()
    relay = try folders[0].open()
    var number: Int64 = 0
    var found: [RecordID] = []
    while let part = try Optional(
      relay.refusals(of: guest.site, after: number, in: space, bytesMax: 256 * 1024)),
      let last = part.last
    {
      #expect(part.count == 1)
      #expect(part[0].cells.contains { $0.value.bytes.count == 500_000 })
      found += part.map(\.refusal.record)
      number = last.number
    }
    #expect(Set(found) == Set(ids) && found.count == 3)
    try relay.answerRefusals(of: guest.site, upTo: number, in: space)
    // A number that was answered is never another record's.
    try guest.write(in: space) { try $0.set(\Photo.width, of: ids[0], to: 2) }
    try relay.pull(from: guest, authority: .own(device: guest.site.device))
    let later = try relay.refusals(of: guest.site, after: 0, in: space, bytesMax: .max)
    #expect(later.count == 1 && later[0].number > number)
    try guest.takeRefusals(of: relay)
    #expect(try guest.fetch(Photo.self, ids[0], in: space)?.width == 0)
  }

  @Test func `each copy of a guest's folder is told what was refused, however many answer`() throws
  {
    let (relay, guest) = (try folders[0].open(), try folders[1].open())
    let theirs = relay.newID()
    try relay.write(in: space) { try $0.create(Photo(id: theirs)) }
    try guest.pull(from: relay)
    try guest.write(in: space) { try $0.set(\Photo.caption, of: theirs, to: "mine now") }
    try guest.close()
    let copied = try folders[1].copy()
    let (original, copy) = (try folders[1].open(), try copied.open())
    #expect(original.site.device == copy.site.device && original.site != copy.site)
    var exchange = Exchange(original, relay, guest: original)
    _ = try exchange.run()
    #expect(try original.fetch(Photo.self, theirs, in: space)?.caption == "")
    #expect(try relay.refusals(of: original.site, after: 0, in: space, bytesMax: .max).isEmpty)
    #expect(try copy.fetch(Photo.self, theirs, in: space)?.caption == "mine now")
    exchange = Exchange(copy, relay, guest: copy)
    _ = try exchange.run()
    #expect(try copy.digest(of: space) == relay.digest(of: space))
  }

  @Test func `who may change nothing any more is heard, whatever it left half sent`() throws {
    let (relay, guest) = (try folders[0].open(), try folders[1].open())
    try guest.write(in: space) { try $0.create(Photo.self) { _ in } }
    try relay.stage(guest.allChanges(), [], from: guest.site, in: space)
    let before = try relay.digest(of: space)
    let changes = try guest.allChanges()
    let vector = try guest.vector(of: space)
    let applied = try relay.take(changes, vector, from: guest.site, authority: .none)
    #expect(applied.refusedCount == 1 && !applied.changed)
    #expect(try relay.digest(of: space) == before)
    try guest.takeRefusals(of: relay)
    #expect(try guest.digest(of: space) == before)
  }

  @Test func `takes no push of a device that owes thousands of answers`() throws {
    let (relay, guest) = (try folders[0].open(), try folders[1].open())
    func push(_ range: Range<UInt64>) throws {
      var vector = VersionVector()
      vector.raise(guest.site, to: range.upperBound)
      let changes = range.map { seq in
        Change(
          entity: 3, record: RecordID(high: 1, low: seq),
          cell: Cell(
            field: 1, merge: .register, dot: Dot(site: guest.site, seq: seq + 1),
            stamp: Stamp(milliseconds: 5), value: .text("x")))
      }
      try relay.take(
        changes, vector, from: guest.site, authority: .own(device: guest.site.device))
    }
    try push(0..<4096)
    let before = try relay.vector(of: space)
    #expect(isCode(.refusalsUnanswered) { try push(4096..<4097) })
    #expect(try relay.vector(of: space) == before)
    // What waits already may be refused again.
    try push(0..<100)
  }

  // Bounds

  @Test func `who claims more of this store than it wrote has it find itself forked`() throws {
    let (store, peer) = (try folders[0].open(), try folders[1].open())
    try store.write(in: space) { try $0.create(Photo.self) { _ in } }
    try peer.pull(from: store)
    let own = try store.vector(of: space)[store.site]
    let before = (try store.digest(of: space), try store.arrival(of: space))
    for claim in [own + 1, own + 1000, 1 << 47, UInt64.max] {
      var vector = VersionVector()
      vector.raise(store.site, to: claim)
      #expect(try store.take([], vector, from: peer.site).isForked)
    }
    // Also where the changes say it, and no vector does.
    let cell = Cell(
      field: 1, merge: .register, dot: Dot(site: store.site, seq: own + 1),
      stamp: Stamp(milliseconds: 5), value: .text("lost"))
    let change = Change(entity: 3, record: RecordID(high: 1, low: 1), cell: cell)
    #expect(try store.take([change], VersionVector(), from: peer.site).isForked)
    #expect(try (store.digest(of: space), store.arrival(of: space)) == before)
    try store.write(in: space) { try $0.create(Photo.self) { _ in } }
  }

  @Test func `a vector that is believed without bound takes the store's numbers (control)`() throws
  {
    let store = try folders[0].open { $0.seededBugs = [.vectorBelievedUnbounded] }
    try store.write(in: space) { try $0.create(Photo.self) { _ in } }
    var vector = VersionVector()
    vector.raise(store.site, to: 1 << 47)
    let applied = try store.take([], vector, from: Site(device: 1, incarnation: 1))
    #expect(try applied.isForked || store.vector(of: space)[store.site] == 1 << 47)
    #expect(!applied.isForked)
  }

  @Test func `a guest's word counts for its own device, as far as its push goes`() throws {
    let (relay, guest) = (try folders[0].open(), try folders[1].open())
    let own = Authority.own(device: guest.site.device)
    try relay.write(in: space) { try $0.create(Photo.self) { _ in } }
    try guest.write(in: space) { try $0.create(Photo.self) { _ in } }
    let mine = try relay.vector(of: space)[relay.site]
    let changes = try guest.allChanges()
    let brought = UInt64(changes.count)
    let second = Site(device: guest.site.device, incarnation: 7)
    var vector = VersionVector()
    for site in [relay.site, guest.site, second, Site(device: 1, incarnation: 1)] {
      vector.raise(site, to: 1 << 47)
    }
    let applied = try relay.apply(
      IncomingPush(
        peer: guest.site, helloSeq: brought, changes: changes, raised: vector, vector: vector,
        position: []),
      in: space, authority: own)
    #expect(!applied.isForked && applied.refusedCount == 0)
    var expected = VersionVector()
    expected.raise(relay.site, to: mine)
    expected.raise(guest.site, to: brought)
    #expect(try relay.vector(of: space) == expected)
    // A hello may name more than is there any more, and the vector goes along.
    vector = VersionVector()
    vector.raise(guest.site, to: brought + 9)
    _ = try relay.apply(
      IncomingPush(
        peer: guest.site, helloSeq: brought + 4, changes: [], raised: vector, vector: vector,
        position: []),
      in: space, authority: own)
    #expect(try relay.vector(of: space)[guest.site] == brought + 4)
  }

  @Test func `a trusted vector has no number that is no count`() throws {
    let store = try folders[0].open()
    var vector = VersionVector()
    let (one, two) = (Site(device: 1, incarnation: 1), Site(device: 2, incarnation: 1))
    vector.raise(one, to: 1 << 63)
    vector.raise(two, to: 4)
    try store.take([], vector, from: one)
    #expect(try store.vector(of: space)[one] == 0)
    #expect(try store.vector(of: space)[two] == 4)
  }
}
