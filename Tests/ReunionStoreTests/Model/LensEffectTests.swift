import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// What lenses mean for what follows writes: live queries, conflicts, undo, refusals and erasures.
@Suite struct LensEffectTests {
  private let folders = [Folder(), Folder(), Folder()]
  private let id = RecordID(high: 1, low: 1)

  /// An older device, two newer ones, and a film of 104 minutes that all of them hold.
  private func stores(_ bugs: SeededBugs = []) throws -> (Store, Store, Store) {
    // Each writes later than the one before.
    let a = try folders[0].open(Model(OldFilm.schema)) { $0.wallMilliseconds = { 1_000_000 } }
    let b = try folders[1].open(Model(Film.schema)) { options in
      options.wallMilliseconds = { 1_000_100 }
      options.seededBugs = bugs
    }
    let c = try folders[2].open(Model(Film.schema)) { $0.wallMilliseconds = { 1_000_200 } }
    try a.write(in: space) { transaction in
      var film = OldFilm(id: id)
      film.minutes = 104
      film.director = "Carol Reed"
      try transaction.create(film)
    }
    for store in [b, c] { try store.pull(from: a) }
    return (a, b, c)
  }

  private func film(_ store: Store) throws -> Film {
    try #require(try store.fetch(Film.self, id, in: space))
  }

  private func minutes(_ store: Store) throws -> Int {
    try #require(try store.fetch(OldFilm.self, id, in: space)).minutes
  }

  /// What live queries show after an older device has written.
  private func followed(_ bugs: SeededBugs) throws -> [Bool] {
    let (a, b, _) = try stores(bugs)
    let long = try b.live(Query<Film>(in: space).filter(\.seconds > 6300))
    let sorted = try b.live(Query<Film>(in: space).sorted(by: \.last)).map { $0.map(\.last) }
    let sum = try b.live(Query<Film>(in: space).sum(of: \.seconds))
    let words = try b.live(Query<Film>(in: space).matching("trieste"))
    let subscriptions: [SignalSubscription] = [
      long.observe { _ in }, sorted.observe { _ in }, sum.observe { _ in }, words.observe { _ in },
    ]
    defer { for subscription in subscriptions { subscription.cancel() } }
    #expect(long.value.isEmpty && sorted.value == ["Reed"] && words.value.isEmpty)
    try a.write(in: space) { transaction in
      try transaction.update(OldFilm.self, id) {
        ($0.minutes, $0.director, $0.place) = (120, "David Lean", "Trieste")
      }
    }
    try b.pull(from: a)
    return [
      long.value.count == 1, sorted.value == ["Lean"], sum.value == 7200, words.value.count == 1,
    ]
  }

  @Test func `live queries follow what older devices write`() throws {
    #expect(try followed([]) == [true, true, true, true])
  }

  @Test func `live queries that do not hear of it are seen (negative control)`() throws {
    #expect(try followed([.madeFieldsUntouched]).contains(false))
  }

  @Test func `live queries follow a write of the new field, and what else is made of the old one`()
    throws
  {
    let (_, b, _) = try stores()
    let last = try b.live(Query<Film>(in: space)).map { $0.map(\.last) }
    let subscription = last.observe { _ in }
    try b.write(in: space) { try $0.set(\Film.first, of: id, to: "Oliver") }
    #expect(last.value == ["Reed"])
    try b.write(in: space) { try $0.set(\Film.last, of: id, to: "Stone") }
    #expect(last.value == ["Stone"])
    subscription.cancel()
  }

  @Test func `a conflict of two newer devices is one, and restoring it writes both fields`() throws
  {
    let (a, b, c) = try stores()
    try b.write(in: space) { try $0.set(\Film.seconds, of: id, to: 60) }
    try c.write(in: space) { try $0.set(\Film.seconds, of: id, to: 120) }
    try c.pull(from: b)
    try b.pull(from: c)
    for store in [b, c] {
      let conflict = try #require(try store.conflicts(in: space).first)
      #expect(try store.conflicts(in: space).count == 1)
      let values = try #require(conflict.values(of: \Film.seconds))
      #expect(values.lost + values.standing == 180)
    }
    let conflict = try #require(try b.conflicts(in: space).first)
    let lost = try #require(conflict.values(of: \Film.seconds)?.lost)
    try b.write(in: space) { try $0.restore(conflict) }
    #expect(try film(b).seconds == lost && b.conflicts(in: space).isEmpty)
    try a.pull(from: b)
    #expect(try minutes(a) == lost / 60)
    try c.write(in: space) { try $0.dismiss(conflict) }
    try c.pull(from: b)
    #expect(try c.conflicts(in: space).isEmpty)
    let rows = try c.read { (reader) throws(StoreError) in
      try reader.connection.number("SELECT count(*) FROM reunion_conflict")
    }
    #expect(rows == 0)
  }

  @Test func `a conflict with an older device is told in the field that the app knows`() throws {
    let (a, b, _) = try stores()
    try a.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 2) }
    try b.write(in: space) { try $0.set(\Film.seconds, of: id, to: 180) }
    try b.pull(from: a)
    try a.pull(from: b)
    #expect(try film(b).seconds == 180)
    let conflict = try #require(try b.conflicts(of: Film.self, id, in: space).first)
    let values = try #require(conflict.values(of: \Film.seconds))
    #expect(values.lost == 120 && values.standing == 180)
    let old = try #require(try a.conflicts(in: space).first?.values(of: \OldFilm.minutes))
    #expect(old.lost == 2 && old.standing == 3)
    try b.write(in: space) { try $0.restore(conflict) }
    try a.pull(from: b)
    #expect(try minutes(a) == 2 && film(b).seconds == 120)
    #expect(try b.conflicts(in: space).isEmpty && a.conflicts(in: space).isEmpty)
  }

  @Test func `undo takes both fields back, and redo writes both again`() throws {
    let (a, b, _) = try stores()
    try b.write(in: space, undo: "length") { try $0.set(\Film.seconds, of: id, to: 60) }
    try b.write(in: space, undo: "lossy") { try $0.set(\Film.seconds, of: id, to: 61) }
    func expect(_ seconds: Int, _ whole: Int) throws {
      try a.pull(from: b)
      #expect(try film(b).seconds == seconds)
      #expect(try minutes(a) == whole)
    }
    try expect(61, 1)
    #expect(try b.undo(in: space)?.isComplete == true)
    try expect(60, 1)
    #expect(try b.undo(in: space)?.isComplete == true)
    try expect(6240, 104)
    #expect(try b.redo(in: space)?.isComplete == true)
    try expect(60, 1)
    #expect(try b.redo(in: space)?.isComplete == true)
    try expect(61, 1)
  }

  @Test func `undo leaves what an older device wrote since`() throws {
    let (a, b, _) = try stores()
    try b.write(in: space, undo: "length") { try $0.set(\Film.seconds, of: id, to: 60) }
    try a.pull(from: b)
    try a.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 5) }
    try b.pull(from: a)
    let report = try #require(try b.undo(in: space))
    #expect(report.kept.map(\.field) == [11])
    #expect(try film(b).seconds == 300)
  }

  @Test func `undo of one part leaves the other part that somebody wrote since`() throws {
    let (a, b, c) = try stores()
    try b.write(in: space, undo: "name") { try $0.set(\Film.first, of: id, to: "Oliver") }
    try c.pull(from: b)
    try c.write(in: space) { try $0.set(\Film.last, of: id, to: "Stone") }
    try b.pull(from: c)
    #expect(try film(b).first == "Oliver" && film(b).last == "Stone")
    #expect(try b.undo(in: space)?.isComplete == true)
    #expect(try film(b).first == "Carol" && film(b).last == "Stone")
    try a.pull(from: b)
    #expect(try a.fetch(OldFilm.self, id, in: space)?.director == "Carol Stone")
    // A part that cannot go back stays, too.
    try b.write(in: space, undo: "name") { try $0.set(\Film.first, of: id, to: "Oliver") }
    try c.pull(from: b)
    try c.write(in: space) { try $0.set(\Film.first, of: id, to: "Mary Ann") }
    try b.pull(from: c)
    #expect(try b.undo(in: space)?.kept.map(\.field) == [12])
    #expect(try film(b).first == "Mary Ann" && film(b).last == "Stone")
  }

  @Test func `undo of a delete brings the record back as it was shown`() throws {
    let (a, b, _) = try stores()
    try b.write(in: space) { try $0.set(\Film.seconds, of: id, to: 61) }
    try a.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 3) }
    try b.pull(from: a)
    let before = try film(b)
    try b.write(in: space, undo: "delete") { try $0.delete(Film.self, id) }
    #expect(try b.undo(in: space)?.isComplete == true)
    #expect(try film(b) == before)
    try a.pull(from: b)
    #expect(try minutes(a) == 3)
  }

  @Test func `a refusal takes both fields back`() throws {
    let (relay, guest, _) = try stores()
    let before = try guest.digest(of: space)
    try guest.write(in: space) { try $0.set(\Film.seconds, of: id, to: 60) }
    let applied = try relay.pull(
      from: guest, authority: .own(device: guest.site.device), after: 0)
    #expect(applied.refusedCount == 1)
    #expect(try minutes(relay) == 104)
    try guest.takeRefusals(of: relay)
    #expect(try film(guest).seconds == 6240)
    #expect(try guest.digest(of: space) == before)
  }

  @Test func `an erased record leaves nothing of either field`() throws {
    let (a, b, _) = try stores()
    try b.write(in: space) { try $0.set(\Film.seconds, of: id, to: 61) }
    try a.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 3) }
    try b.pull(from: a)
    try b.write(in: space) { try $0.erase(Film.self, id) }
    let left = try b.read { (reader) throws(StoreError) in
      try reader.connection.number(
        """
        SELECT (SELECT count(*) FROM reunion_unknown_cell WHERE entity = 9) \
        + (SELECT count(*) FROM reunion_record_9)
        """)
    }
    #expect(left == 0)
  }

  @Test func `a write of both fields, and a delete, mean what they say`() throws {
    let (a, b, _) = try stores()
    try b.write(in: space) { transaction in
      try transaction.set(\Film.seconds, of: id, to: 60)
      // By its number, as the restore of a conflict does.
      try transaction.set(FieldID(entity: 9, record: id, field: 2), to: .int(7))
    }
    #expect(try film(b).seconds == 60)
    try a.pull(from: b)
    #expect(try minutes(a) == 7)
    try b.write(in: space) { transaction in
      try transaction.set(\Film.seconds, of: id, to: 120)
      try transaction.delete(Film.self, id)
    }
    #expect(try b.fetch(Film.self, id, in: space) == nil)
    try a.pull(from: b)
    #expect(try a.fetch(OldFilm.self, id, in: space) == nil)
    var again = Film(id: id)
    again.seconds = 180
    try b.write(in: space) { try $0.create(again) }
    try a.pull(from: b)
    #expect(try minutes(a) == 3)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test func `a store keeps the fast ways of entities and fields without lenses`() throws {
    let store = try Folder().open(Model(Film.schema, Photo.schema, Heart.schema))
    try store.write(in: space) { (transaction) throws in
      let records = transaction.records
      #expect(try records.setter(3, 1) != nil)
      #expect(try records.inserter(Heart.self) != nil)
      #expect(try records.inserter(Film.self) == nil)
      for field: UInt32 in [2, 11, 3, 12, 13, 15, 1] {
        #expect(try records.setter(9, field) == nil)
      }
      // The score is read by no lens.
      #expect(try records.setter(9, 6) != nil)
    }
  }
}
