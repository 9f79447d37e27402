import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting
import Testing

/// A guest who speaks the protocol well and lies: nothing of it may reach others (guarantee 11).
@Suite struct HostileGuestTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
  }

  static let device: UInt64 = 666
  static let guest = Site(device: device, incarnation: 1)

  /// The end of a push that raises these entries.
  static func end(_ cursor: UInt64, _ vector: VersionVector) -> Message {
    .pushEnd(
      PushEnd(
        cursor: cursor, position: [],
        raised: vector.entries.map { PushEnd.Raised(site: .new($0.site), seq: $0.seq) }))
  }

  /// A server that holds one note, and a guest's end of a link to it.
  final class Stage {
    let world: World
    let server: WorldReplica
    let note: RecordID
    let link: MemoryLink
    let heard = Lock<[Message]>([])
    let session: Session

    init(
      greet hello: Hello? = nil, pull: Pull? = nil,
      authority: Authority = .own(device: HostileGuestTests.device),
      isRefused device: UInt64? = nil, isBelieved: Bool = true,
      allowance: Session.Allowance? = nil
    ) throws {
      world = World(seed: 1, model: Model(Note.schema))
      server = try world.makeReplica("server")
      note = try server.store.write(in: world.space) { transaction in
        try transaction.create(Note.self) { $0.text = "the host's" }.id
      }
      if let device {
        let theirs = Site(device: device, incarnation: device)
        let forged = HostileGuestTests.cell(
          "refused", stamp: Stamp(milliseconds: 1_900_000_000_000), site: theirs)
        let push = IncomingPush(
          peer: theirs, helloSeq: 1, changes: [Change(entity: 1, record: note, cell: forged)],
          raised: VersionVector(), vector: VersionVector(), position: [])
        _ = try server.store.apply(push, in: world.space, authority: .own(device: device))
      }
      let ends = MemoryLink.pair(clock: world.clock, random: world.random)
      link = ends.0
      let clock = world.clock
      var configuration = Session.Configuration(
        space: world.space, authority: authority, device: HostileGuestTests.device,
        servesBlobs: false, fetchesBlobs: false)
      configuration.believesPeer = isBelieved
      configuration.allowance = allowance
      session = Session(
        link: ends.1, store: server.store, configuration: configuration, clock: clock,
        execute: { work in _ = clock.schedule(at: clock.now, work) })
      session.start()
      link.start { [heard] event in
        guard case .received(let bytes) = event, let message = try? Message(decoding: bytes) else {
          return
        }
        heard.withLock { $0.append(message) }
      }
      let own = Hello(space: world.space, site: HostileGuestTests.guest, isLeaf: true, seq: 0)
      say(.hello(hello ?? own))
      say(.pull(pull ?? Pull(position: [], vector: VersionVector())))
    }

    func say(_ message: Message) {
      link.send(message.encoded())
      world.run(for: .seconds(2))
    }

    var text: String? {
      try? server.store.fetch(Note.self, note, in: world.space)?.text
    }

    var isClosed: Bool {
      if case .closed = session.state.value { true } else { false }
    }

    deinit { world.remove() }
  }

  static func cell(_ text: String, stamp: Stamp, site: Site = guest, seq: UInt64 = 1) -> Cell {
    Cell(
      field: 1, merge: .register, dot: Dot(site: site, seq: seq), stamp: stamp,
      value: .text(text))
  }

  @Test func `cannot say what stands, as only those may whose word counts`() throws {
    let stage = try Stage()
    let forged = Self.cell("forged", stamp: Stamp(milliseconds: 1_900_000_000_000))
    stage.say(.changes([Change(entity: 1, record: stage.note, cell: forged)]))
    stage.say(.refused([Refusal(entity: 1, record: stage.note, sent: VersionVector())]))
    #expect(stage.text == "the host's")
    #expect(stage.isClosed)
  }

  @Test func `pushes that never end fill a bounded part of the disk, which is given back`() throws {
    let room = Lock(1 << 20)
    var allowance = Session.Allowance(
      rest: { Weight(bytes: .max, records: .max) }, changesAtOnce: { .max }, took: { _, _ in .zero }
    )
    allowance.stages = { byteCount, _ in
      room.withLock { room in
        guard room >= byteCount else { return nil }
        room -= byteCount
        return .zero
      }
    }
    allowance.unstages = { byteCount in room.withLock { $0 += byteCount } }
    let stage = try Stage(allowance: allowance)
    let text = String(repeating: "x", count: 100_000)
    for seq in 1...12 as ClosedRange<UInt64> where !stage.isClosed {
      let stamp = Stamp(milliseconds: 1_600_000_000_000)
      let cell = HostileGuestTests.cell(text, stamp: stamp, seq: seq)
      let record = RecordID(high: 1, low: seq)
      stage.say(.changes([Change(entity: 1, record: record, cell: cell)]))
    }
    #expect(stage.isClosed)
    #expect(room.withLock { $0 } == 1 << 20)
  }

  @Test(arguments: [0, 10])
  func `is not heard for a while after what was put aside, and loses nothing`(seconds: Int) throws {
    var allowance = Session.Allowance(
      rest: { Weight(bytes: .max, records: .max) }, changesAtOnce: { .max }, took: { _, _ in .zero }
    )
    allowance.stages = { _, _ in .seconds(seconds) }
    let stage = try Stage(allowance: allowance)
    let text = String(repeating: "x", count: 100_000)
    for seq in 1...3 as ClosedRange<UInt64> {
      let stamp = Stamp(milliseconds: 1_600_000_000_000)
      let cells = [
        Cell(
          field: Cell.existence, merge: .creation, dot: Dot(site: Self.guest, seq: 2 * seq - 1),
          stamp: stamp, value: .null),
        HostileGuestTests.cell(text, stamp: stamp, seq: 2 * seq),
      ]
      let record = RecordID(high: 1, low: seq)
      stage.say(.changes(cells.map { Change(entity: 1, record: record, cell: $0) }))
    }
    var vector = VersionVector()
    vector.raise(Self.guest, to: 6)
    stage.say(Self.end(1, vector))
    let isHeld = try stage.server.store.vector(of: stage.world.space)[Self.guest] == 0
    #expect(isHeld == (seconds > 0))
    stage.world.run(for: .seconds(12))
    #expect(try stage.server.store.vector(of: stage.world.space)[Self.guest] == 6)
  }

  /// A guest must name a site of its own device (docs/protocol.md 2.2).
  @Test func `cannot speak as another device`() throws {
    let space = World(seed: 1, model: Model(Note.schema)).space
    let other = Hello(
      space: space, site: Site(device: 5, incarnation: 5), isLeaf: true, seq: .max)
    let stage = try Stage(greet: other)
    stage.say(HostileGuestTests.end(1 << 60, VersionVector()))
    #expect(stage.isClosed)
    #expect(try stage.server.store.position(of: other.site, in: stage.world.space) == [])
  }

  @Test(arguments: [Authority.none, .own(device: device), .all])
  func `hears nothing of what another device was refused`(authority: Authority) throws {
    let space = World(seed: 1, model: Model(Note.schema)).space
    let victim = Site(device: 5, incarnation: 5)
    let hello = Hello(space: space, site: victim, isLeaf: true, seq: 0)
    let stage = try Stage(greet: hello, authority: authority, isRefused: victim.device)
    stage.say(HostileGuestTests.end(1, VersionVector()))
    stage.say(.acknowledge(cursor: 1))
    #expect(stage.isClosed)
    let heard = stage.heard.withLock { $0 }
    #expect(!heard.contains { if case .refused = $0 { true } else { false } })
    let waiting = try stage.server.store.refusals(
      of: victim, after: 0, in: stage.world.space, bytesMax: .max)
    #expect(waiting.count == 1)
  }

  @Test func `cannot make the server write under a new incarnation`() throws {
    let first = try Stage()
    let site = first.server.store.site
    first.say(.bye(Bye(code: .renewed, sentence: [])))
    #expect(first.server.store.site == site)
    let told = first.heard.withLock { $0 }.compactMap { message -> [UInt8]? in
      if case .pushEnd(let end) = message { end.position } else { nil }
    }
    var claim = VersionVector()
    claim.raise(site, to: 1 << 40)
    var positions: [[UInt8]] = [[], [1, 2, 3], Array(repeating: 255, count: 64)]
    for position in told {
      positions.append(position)
      for index in position.indices {
        var forged = position
        forged[index] ^= 1
        positions.append(forged)
      }
    }
    #expect(positions.count > 3)
    for position in positions {
      let stage = try Stage(pull: Pull(position: position, vector: claim))
      let space = stage.world.space
      #expect(stage.server.store.site(in: space) == site, "forced by \(position)")
      stage.say(Self.end(1, claim))
      #expect(stage.server.store.site(in: space) == site && stage.server.store.site == site)
      #expect(try stage.server.store.vector(of: stage.world.space)[site] < 1 << 40)
    }
  }

  /// What who may change everything in one space of several claims of the server's own changes
  /// (docs/protocol.md 2.4).
  @Test(arguments: [true, false])
  func `has the server write under a new incarnation where its word counts alone`(
    isBelieved: Bool
  ) throws {
    let stage = try Stage(authority: .all, isBelieved: isBelieved)
    let site = stage.server.store.site
    var claim = VersionVector()
    claim.raise(site, to: 1 << 40)
    stage.say(Self.end(1, claim))
    #expect((stage.server.store.site(in: stage.world.space) != site) == isBelieved)
    // A word counts in its space.
    #expect(stage.server.store.site == site)
    #expect(stage.isClosed == isBelieved)
    let pulled = try Stage(
      pull: Pull(position: [], vector: claim), authority: .all, isBelieved: false)
    #expect(!pulled.isClosed)
  }

  @Test func `cannot write a stamp that nobody could follow`() throws {
    let stage = try Stage()
    let id = RecordID(high: 9, low: 9)
    let last = Stamp(rawValue: Stamp.limit.rawValue - 1)
    let creation = Cell(
      field: 0, merge: .creation, dot: Dot(site: Self.guest, seq: 1), stamp: last, value: .null)
    var vector = VersionVector()
    vector.raise(Self.guest, to: 2)
    stage.say(
      .changes([
        Change(entity: 1, record: id, cell: creation),
        Change(entity: 1, record: id, cell: Self.cell("late", stamp: last, seq: 2)),
      ]))
    stage.say(HostileGuestTests.end(1, vector))
    #expect(try stage.server.store.record(entity: 1, id, in: stage.world.space) == nil)
    #expect(stage.heard.withLock { $0 }.contains { if case .refused = $0 { true } else { false } })
  }

  @Test func `cannot raise the vector of sites that it invents`() throws {
    let stage = try Stage()
    var vector = VersionVector()
    for number in 1...1_000 as ClosedRange<UInt64> {
      vector.raise(Site(device: Self.device, incarnation: number), to: 5)
      vector.raise(Site(device: 1, incarnation: number), to: 5)
    }
    stage.say(HostileGuestTests.end(1, vector))
    #expect(try stage.server.store.vector(of: stage.world.space).entries.count <= 2)
  }

  @Test func `cannot edit or delete what others made, nor take it over`() throws {
    let stage = try Stage()
    let now = Stamp(milliseconds: 1_900_000_000_000)
    var seen = VersionVector()
    for dot in [stage.server.store.site].map({ Dot(site: $0, seq: 9) }) {
      seen.raise(dot.site, to: dot.seq)
    }
    let attempts = [
      Self.cell("mine now", stamp: now),
      Cell(
        field: 0, merge: .deletion, dot: Dot(site: Self.guest, seq: 2), stamp: now,
        value: Cell.deletionValue(seen: seen)),
      Cell(
        field: 0, merge: .creation, dot: Dot(site: Self.guest, seq: 3),
        stamp: Stamp(rawValue: 1), value: .null),
    ]
    var vector = VersionVector()
    vector.raise(Self.guest, to: 3)
    stage.say(.changes(attempts.map { Change(entity: 1, record: stage.note, cell: $0) }))
    stage.say(HostileGuestTests.end(1, vector))
    #expect(stage.text == "the host's")
    #expect(
      try stage.server.store.record(entity: 1, stage.note, in: stage.world.space)?.creation?.dot
        .site == stage.server.store.site)
  }

  @Test func `an honest guest's note is taken in (negative control)`() throws {
    let stage = try Stage()
    let id = RecordID(high: 9, low: 9)
    let now = Stamp(milliseconds: 1_800_000_000_000)
    let creation = Cell(
      field: 0, merge: .creation, dot: Dot(site: Self.guest, seq: 1), stamp: now, value: .null)
    var vector = VersionVector()
    vector.raise(Self.guest, to: 2)
    stage.say(
      .changes([
        Change(entity: 1, record: id, cell: creation),
        Change(entity: 1, record: id, cell: Self.cell("hello", stamp: now, seq: 2)),
      ]))
    stage.say(HostileGuestTests.end(1, vector))
    #expect(try stage.server.store.fetch(Note.self, id, in: stage.world.space)?.text == "hello")
    #expect(try stage.server.store.vector(of: stage.world.space)[Self.guest] == 2)
  }
}
