import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// Sites that are given up, and new ones: what a guest does with its own costs nobody else
/// (docs/protocol.md 2.14).
@Suite struct GivenUpTests {
  private let folder = Folder()
  private let device: UInt64 = 66
  private func site(_ incarnation: UInt64) -> Site {
    Site(device: device, incarnation: incarnation)
  }

  private func change(
    _ entity: UInt32, _ record: RecordID, _ merge: MergeKind, _ dot: Dot, _ value: Value = .null
  ) -> Change {
    Change(
      entity: entity, record: record,
      cell: Cell(
        field: merge == .creation ? 0 : 1, merge: merge, dot: dot,
        stamp: Stamp(milliseconds: 1_800_000_000_000 + dot.seq), value: value))
  }

  /// The changes that give up a site. Another site writes them, after `seq` changes of its own.
  private func givingUp(_ gone: Site, floor: Int64 = 0, by site: Site, after seq: UInt64 = 0)
    -> [Change]
  {
    [
      change(Retirement.entity, Retirement.id(of: gone), .creation, Dot(site: site, seq: seq + 1)),
      change(
        Retirement.entity, Retirement.id(of: gone), .register, Dot(site: site, seq: seq + 2),
        .int(floor)),
    ]
  }

  private func note(_ number: UInt64, _ dot: Dot) -> [Change] {
    [change(3, RecordID(high: 1, low: number), .creation, dot)]
  }

  /// Takes what a site wrote as a session does, and tells whether others compare anew.
  private func take(
    _ store: Store, _ changes: [Change], by site: Site, authority: Authority? = nil,
    isBelieved: Bool = true, claims: [Dot] = []
  ) throws -> (applied: Applied, others: Bool) {
    let others = Lock(false)
    let subscription = store.observeCommits { commit in
      others.withLock { $0 = $0 || commit.comparesAnew }
    }
    defer { subscription.cancel() }
    var vector = VersionVector()
    for dot in changes.map(\.cell.dot) + claims { vector.raise(dot.site, to: dot.seq) }
    var push = IncomingPush(
      peer: site, helloSeq: vector[site], changes: changes, raised: vector, vector: vector,
      position: [])
    push.isBelieved = isBelieved
    let applied = try store.apply(
      push, in: space, authority: authority ?? .own(device: device))
    return (applied, others.withLock { $0 })
  }

  @Test(arguments: [SeededBugs(), [.guestEndsSessions]])
  func `who gives up a site that nobody holds disturbs nobody`(bugs: SeededBugs) throws {
    let store = try folder.open { $0.seededBugs = bugs }
    try store.write(in: space) { try $0.create(Heart(id: $0.newID())) }
    let told = try store.push(in: space, Conversation.Reading(after: 0)).position
    let before = try store.vector(of: space)
    let (applied, others) = try take(store, givingUp(site(9), by: site(1)), by: site(1))
    #expect(applied.refusedCount == 0)
    #expect(try store.vector(of: space)[store.site] == before[store.site])
    // The control: who comes again and again would have everybody compare everything.
    #expect(others == !bugs.isEmpty && applied.comparesAnew == !bugs.isEmpty)
    guard case .at(let cursor, _) = try store.resume(from: told, in: space) else { return }
    #expect(cursor > 0)
  }

  @Test(arguments: [SeededBugs(), [.guestEndsSessions]], [false, true])
  func `who gives up a site that is held ends no session, and all are sent what they may lack`(
    bugs: SeededBugs, mayChangeAll: Bool
  ) throws {
    let store = try folder.open { $0.seededBugs = bugs }
    let authority = mayChangeAll ? Authority.all : .own(device: device)
    _ = try take(store, note(1, Dot(site: site(1), seq: 1)), by: site(1), authority: authority)
    #expect(try store.vector(of: space)[site(1)] == 1)
    let told = try store.push(in: space, Conversation.Reading(after: 0)).position
    let cursor = try store.arrival(of: space)
    let (applied, others) = try take(
      store, givingUp(site(1), by: site(2)), by: site(2), authority: authority)
    // The control: all compare everything.
    #expect(applied.comparesAnew == !bugs.isEmpty && others == !bugs.isEmpty)
    #expect(try store.vector(of: space)[site(1)] == 0)
    // Others are sent what stands above the floor, whatever they were believed to hold.
    var held = VersionVector()
    held.raise(site(1), to: 1)
    var reading = Conversation.Reading(after: cursor)
    reading.held = held
    let sent = try store.push(in: space, reading).changes
    #expect(sent.contains { $0.record == RecordID(high: 1, low: 1) })
    guard case .at(let resumed, _) = try store.resume(from: told, in: space) else { return }
    #expect(resumed == cursor)
  }

  @Test func `a guest's device has sixty-four sites, and gives up no more`() throws {
    let store = try folder.open()
    var refusedCount = 0
    for round in 0..<20 as Range<UInt64> {
      let sites = (0..<15).map { site(1 + 15 * round + $0) }
      let changes = sites.enumerated().flatMap { index, each in
        note(100 * round + UInt64(index), Dot(site: each, seq: 1))
      }
      refusedCount += try take(store, changes, by: sites[0]).applied.refusedCount
    }
    func count() throws -> Int {
      try store.vector(of: space).entries.count { $0.site.device == device }
    }
    #expect(try count() == Admission.sitesOfDeviceMax)
    #expect(refusedCount == 300 - Admission.sitesOfDeviceMax)
    // Those that are given up count as well.
    let more = try take(store, givingUp(site(999), by: site(1), after: 1), by: site(1))
    #expect(more.applied.refusedCount == 1)
    // An honest one goes on (control).
    let honest = try take(store, note(7_777, Dot(site: site(1), seq: 5)), by: site(1))
    #expect(honest.applied.refusedCount == 0)
  }

  @Test(arguments: [true, false])
  func `whose word does not count gives up no site of the store's own`(isBelieved: Bool) throws {
    let store = try folder.open()
    try store.write(in: space) { try $0.create(Heart(id: $0.newID())) }
    let own = store.site
    let seq = try store.vector(of: space)[own]
    let other = site(1)
    let attempts: [(changes: [Change], claims: [Dot])] = [
      (givingUp(own, by: other), []),
      (note(1, Dot(site: own, seq: seq + 1)), []),
      (note(2, Dot(site: other, seq: 3)), [Dot(site: own, seq: seq + 9)]),
    ]
    for attempt in attempts {
      let (applied, others) = try take(
        store, attempt.changes, by: other, authority: .all, isBelieved: isBelieved,
        claims: attempt.claims)
      // Where it is believed, the store takes it that it went back (control).
      #expect(applied.isForked == isBelieved)
      #expect(!others)
      guard !isBelieved else { continue }
      #expect(applied.refusedCount == (attempt.claims.isEmpty ? 1 : 0))
      #expect(try store.vector(of: space)[own] == seq)
    }
    #expect(try store.record(entity: 3, RecordID(high: 1, low: 1), in: space) == nil)
    let key = Retirement.id(of: own)
    #expect(try store.record(entity: Retirement.entity, key, in: space) == nil)
  }
}
