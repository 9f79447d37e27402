import ReunionFlow
import ReunionTesting
import Testing

@testable import ReunionCore
@testable import ReunionStore
@testable import ReunionSync

/// Audits find what no vector shows, and bring it together (docs/protocol.md 2.26).
@Suite struct AuditTests {
  typealias Note = MeetingTests.Note

  /// A server and phones that hold the same notes, and sessions between them.
  final class Pair {
    let world: World
    /// The server's, and those of the phones.
    let stores: [Store]
    /// The server's, and that of the phones.
    let audits: [Audits]
    /// Of the first phone: what the server sends to it, and what it sends.
    let scales: [MeetingTests.Scale]
    let repaired: Lock<[Int]>
    /// Readings that never end, if they are kept.
    let kept = Lock<[@Sendable () -> Void]?>(nil)
    /// The server's with the first phone, the first phone's, the server's with the second, and so on.
    private(set) var sessions: [Session] = []

    init(notes: Int, phones: Int = 1, isGuest: Bool = false, bugs: SeededBugs = []) throws {
      let world = World(seed: 1, model: Model(Note.schema), seededBugs: bugs)
      self.world = world
      stores = try ["server", "phone", "tablet"].prefix(phones + 1).map {
        try world.makeReplica($0).store
      }
      repaired = Lock([Int](repeating: 0, count: phones + 1))
      let kept = kept
      audits = [0, 1].map { _ in
        Audits(clock: world.clock) { reading in
          let isKept = kept.withLock { kept in
            kept?.append(reading)
            return kept != nil
          }
          if !isKept { reading() }
        }
      }
      let links = stores.dropFirst().map { _ in
        let ends = MemoryLink.pair(
          clock: world.clock, faults: LinkFaults(delayMilliseconds: 10...10), random: world.random)
        return [MeetingTests.Scale(ends.0), MeetingTests.Scale(ends.1)]
      }
      scales = links[0]
      for start in stride(from: 0, to: notes, by: 500) {
        try stores[0].write(in: world.space) { transaction in
          for number in start..<min(start + 500, notes) {
            try transaction.create(Note.self) { $0.text = "note \(number)" }
          }
        }
      }
      for (index, ends) in links.enumerated() {
        sessions += [0, index + 1].map { session(of: $0, over: ends[min($0, 1)], isGuest) }
      }
      for session in sessions { session.start() }
      world.run(for: .seconds(4))
      for scale in scales { scale.sent.withLock { $0 = 0 } }
    }

    private func session(
      of index: Int, over link: MeetingTests.Scale, _ isGuest: Bool
    ) -> Session {
      let guest = Authority.own(device: stores[1].device(in: world.space))
      var configuration = Session.Configuration(
        space: world.space, authority: index == 0 && isGuest ? guest : .all)
      configuration.dialsServer = index > 0
      configuration.sendsOwnOnly = index > 0 && isGuest
      configuration.audits = audits[min(index, 1)]
      configuration.beginsAudits = index > 0
      configuration.repaired = { [repaired] count in repaired.withLock { $0[index] += count } }
      let clock = world.clock
      return Session(
        link: link, store: stores[index], configuration: configuration, clock: clock,
        execute: { work in _ = clock.schedule(at: clock.now, work) })
    }

    deinit { world.remove() }

    var notes: [Note] {
      get throws { try stores[0].fetch(Query<Note>(in: world.space)) }
    }

    /// Audits from the phone: how many records differed; nil where it did not come to its end, or not yet.
    func audit(after seconds: Int = 2) -> Int? {
      let outcome = Lock<Int?>(nil)
      sessions[1].auditNow { count in outcome.withLock { $0 = count } }
      world.run(for: .seconds(seconds))
      return outcome.withLock { $0 }
    }

    /// Has a store hold another state of a record, or none, and nothing that shows it but its arrival.
    func damage(_ id: RecordID, at index: Int, _ state: RecordState?) throws {
      let id = RecordKey(entity: Note.schema.number, id: id)
      try stores[index].commit { (writer, records) throws(StoreError) in
        let old = try writer.space(world.space, records)
        guard let held = try records.reader.record(id, space: old.number) else { return ((), nil) }
        guard let state else {
          try records.remove(held, space: old.number)
          return ((), nil)
        }
        var new = old
        new.arrival += 1
        let record = StoredRecord(key: id, state: state, arrival: new.arrival)
        _ = try records.write(record, over: held, space: old.number)
        try records.write(&new, over: old, stores[index].mark(writer.clock.last, in: world.space))
        writer.spaces[world.space] = new
        return ((), Commit(space: world.space, arrival: new.arrival))
      }
    }

    /// A note as it was before somebody wrote over its text.
    func earlier(_ id: RecordID) throws -> RecordState {
      let state = try #require(
        try stores[0].record(entity: Note.schema.number, id, in: world.space))
      return RecordState(
        state.cells.map { cell in
          guard cell.field == 1 else { return cell }
          var old = cell
          (old.stamp, old.value) = (Stamp(rawValue: cell.stamp.rawValue - 7), .text("before"))
          return old
        })
    }

    func expectEqual() throws {
      #expect(try stores[0].digest(of: world.space) == stores[1].digest(of: world.space))
    }
  }

  @Test func `equal stores part after one step each, whatever they hold`() throws {
    for notes in [10, 2_000] {
      let pair = try Pair(notes: notes)
      #expect(pair.audit() == 0)
      let bytes = pair.scales.map { $0.sent.withLock { $0 } }
      print("An audit of \(notes) equal records, bytes of the server and of the phone: \(bytes)")
      #expect(bytes.reduce(0, +) <= 64)
      #expect(pair.repaired.withLock { $0 } == [0, 0])
    }
  }

  @Test func `one record of thousands is found in four turns, and comes back whole`() throws {
    let pair = try Pair(notes: 3_000)
    let vector = try pair.stores[0].vector(of: pair.world.space)
    let lost = try pair.notes[1_234]
    try pair.damage(lost.id, at: 0, nil)
    #expect(pair.audit() == 1)
    let bytes = pair.scales.map { $0.sent.withLock { $0 } }
    print("An audit that finds one of 3,000, bytes of the server and of the phone: \(bytes)")
    #expect(bytes.reduce(0, +) <= 4_096)
    #expect(pair.repaired.withLock { $0 } == [1, 0])
    try pair.expectEqual()
    #expect(try pair.stores[0].fetch(Note.self, lost.id, in: pair.world.space)?.text == lost.text)
    #expect(try pair.stores.allSatisfy { try $0.vector(of: pair.world.space) == vector })
  }

  @Test func `what either side lost or has in an earlier form, both have in the end`() throws {
    let pair = try Pair(notes: 900)
    let notes = try pair.notes
    for index in 0..<300 {
      let id = notes[index * 3].id
      switch index % 3 {
      case 0: try pair.damage(id, at: 0, nil)
      case 1: try pair.damage(id, at: 1, nil)
      default: try pair.damage(id, at: 1, pair.earlier(id))
      }
    }
    #expect(pair.audit(after: 20) == 300)
    #expect(pair.audit() == 0)
    #expect(pair.repaired.withLock { $0 } == [100, 200])
    try pair.expectEqual()
    #expect(try pair.notes.map(\.text).sorted() == notes.map(\.text).sorted())
  }

  /// How many differences an audit sees while a phone writes whose link has no room for it.
  private func differencesAmidWrites(_ bugs: SeededBugs = []) throws -> Int {
    let pair = try Pair(notes: 400, bugs: bugs)
    let space = pair.world.space
    pair.scales[1].isFull.withLock { $0 = true }
    for (step, note) in try pair.notes.prefix(60).enumerated() {
      try pair.stores[step % 2].write(in: space) {
        try $0.set(\Note.text, of: note.id, to: "step \(step)")
      }
    }
    try pair.stores[1].write(in: space) { try $0.create(Note.self) }
    let outcome = Lock<Int?>(nil)
    pair.sessions[1].auditNow { count in outcome.withLock { $0 = count } }
    pair.world.run(for: .seconds(2))
    #expect(outcome.withLock { $0 == nil } == bugs.isEmpty)
    pair.scales[1].drain()
    pair.world.run(for: .seconds(3))
    try pair.expectEqual()
    return try #require(outcome.withLock { $0 })
  }

  @Test func `what is on its way is no difference`() throws {
    #expect(try differencesAmidWrites() == 0)
  }

  @Test func `a step that overtakes the changes that it is about is caught`() throws {
    #expect(try differencesAmidWrites([.auditAheadOfChanges]) > 0)
  }

  @Test func `sums follow what changes, and a store that keeps old ones is caught`() throws {
    for bugs in [[], [.auditSumsNotRefreshed]] as [SeededBugs] {
      let pair = try Pair(notes: 900, bugs: bugs)
      #expect(pair.audit() == 0)
      let id = try pair.notes[7].id
      try pair.damage(id, at: 1, pair.earlier(id))
      #expect(pair.audit() == (bugs.isEmpty ? 1 : 0))
    }
  }

  @Test func `a side that audits enough others says so, and the asker comes again`() throws {
    let pair = try Pair(notes: 10)
    pair.kept.withLock { $0 = [] }
    for device in 1...UInt64(Audits.atOnceMax) {
      #expect(pair.audits[0].admit(.device(device, pair.world.space)) { {} })
    }
    let readings = try #require(pair.kept.withLock { $0.take() })
    #expect(pair.audit() == nil)
    readings.forEach { $0() }
    #expect(pair.audit() == 0)
    // A device that asks on and on has its share as well.
    for _ in 0..<Audits.hourlySteps {
      _ = pair.audits[0].admit(.device(7, pair.world.space)) { {} }
    }
    #expect(!pair.audits[0].admit(.device(7, pair.world.space)) { {} })
    #expect(pair.audits[0].admit(.device(8, pair.world.space)) { {} })
    pair.world.run(for: .seconds(3_600))
    #expect(pair.audits[0].admit(.device(7, pair.world.space)) { {} })
  }

  @Test func `what an audit brings back goes on to all who are there`() throws {
    for bugs in [[], [.repairNotPassedOn]] as [SeededBugs] {
      let pair = try Pair(notes: 60, phones: 2, bugs: bugs)
      let lost = try pair.notes[5]
      for index in [0, 2] { try pair.damage(lost.id, at: index, nil) }
      #expect(pair.audit() == 1)
      try pair.expectEqual()
      let found = try pair.stores[2].fetch(Note.self, lost.id, in: pair.world.space)
      #expect((found != nil) == bugs.isEmpty)
      #expect(pair.repaired.withLock { $0 } == [1, 0, bugs.isEmpty ? 1 : 0])
    }
  }

  @Test func `who may not change everything neither asks nor answers`() throws {
    let pair = try Pair(notes: 100, isGuest: true)
    let lost = try pair.notes[3].id
    try pair.damage(lost, at: 0, nil)
    #expect(pair.audit() == nil)
    pair.world.run(for: .seconds(60))
    // Nobody is told of it, and the guest's copy stays.
    #expect(try pair.stores[1].fetch(Note.self, lost, in: pair.world.space) != nil)
    #expect(pair.repaired.withLock { $0 } == [0, 0])
  }

  @Test func `records that are edited after an audit brought them back count no more`() throws {
    let pair = try Pair(notes: 20)
    let note = try pair.notes[3]
    try pair.damage(note.id, at: 0, nil)
    #expect(pair.audit() == 1)
    for text in ["one", "two"] {
      try pair.stores[1].write(in: pair.world.space) {
        try $0.set(\Note.text, of: note.id, to: text)
      }
      pair.world.run(for: .seconds(1))
    }
    #expect(pair.repaired.withLock { $0 } == [1, 0])
  }

  @Test func `an answer that never comes ends the audit, and so does the session`() throws {
    let pair = try Pair(notes: 20)
    let outcomes = Lock<[Int?]>([])
    pair.scales[0].isLost.withLock { $0 = true }
    pair.sessions[1].auditNow { count in outcomes.withLock { $0.append(count) } }
    pair.world.run(for: .seconds(2))
    #expect(outcomes.withLock { $0 }.isEmpty)
    pair.sessions[1].stop()
    pair.world.run(for: .seconds(2))
    #expect(outcomes.withLock { $0 } == [nil])
    pair.sessions[1].auditNow { count in outcomes.withLock { $0.append(count) } }
    pair.world.run(for: .seconds(2))
    #expect(outcomes.withLock { $0 } == [nil, nil])
  }

  private struct Other: Entity {
    let id: RecordID
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Other>(2, "other", [])
  }

  @Test func `one is due anew after an upgrade, and under another incarnation`() throws {
    var options = StoreOptions()
    options.disk = SimulatedDisk(seed: 1)
    let (space, peer) = (SpaceID(high: 1, low: 1), Site(device: 9, incarnation: 1))
    func open(_ model: Model) throws -> Store {
      try Store.open(folder: "/replica", model: model, options: options)
    }
    var store = try open(Model(Note.schema))
    try store.write(in: space) { try $0.create(Note.self) }
    for model in [Model(Note.schema), Model(Note.schema, Other.schema)] {
      try store.keepAudit(with: peer, in: space)
      #expect(try !store.isAuditDue(with: peer, in: space))
      try store.close()
      store = try open(model)
      #expect(try store.isAuditDue(with: peer, in: space) == (model.entities.count > 1))
    }
    try store.keepAudit(with: peer, in: space)
    try store.mintIncarnation(
      after: store.site(in: space), keeping: nil, in: space, found: peer)
    #expect(try store.isAuditDue(with: peer, in: space))
    try store.close()
  }

  @Test func `it happens by itself when all is quiet, and again after a week`() throws {
    let pair = try Pair(notes: 50)
    let (server, phone) = (pair.stores[0], pair.stores[1])
    let isDue = {
      try phone.isAuditDue(with: server.site(in: pair.world.space), in: pair.world.space)
    }
    #expect(try isDue())
    pair.world.run(for: .seconds(20))
    #expect(try isDue())
    pair.world.run(for: .seconds(30))
    #expect(try !isDue())
    try pair.damage(pair.notes[3].id, at: 1, nil)
    pair.world.run(for: .seconds(6 * 86_400))
    #expect(pair.repaired.withLock { $0 } == [0, 0])
    pair.world.run(for: .seconds(2 * 86_400))
    #expect(pair.repaired.withLock { $0 } == [0, 1])
    try pair.expectEqual()
    // A server that comes as another may have gone back.
    let other = Site(device: server.site(in: pair.world.space).device, incarnation: 9)
    #expect(try phone.isAuditDue(with: other, in: pair.world.space))
  }
}
