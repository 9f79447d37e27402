import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

@Suite struct LensTests {
  private let folders = [Folder(), Folder(), Folder()]
  private let old = Model(OldFilm.schema)
  private let new = Model(Film.schema)
  private let id = RecordID(high: 1, low: 1)

  private func makeOld(_ store: Store) throws {
    try store.write(in: space) { transaction in
      var film = OldFilm(id: id)
      film.title = "The Third Man"
      film.minutes = 104
      film.director = "Carol Reed"
      film.place = "Vienna"
      film.country = "Austria"
      film.score = 8
      try transaction.create(film)
    }
  }

  private func film(_ store: Store) throws -> Film {
    try #require(try store.fetch(Film.self, id, in: space))
  }

  private func oldFilm(_ store: Store) throws -> OldFilm {
    try #require(try store.fetch(OldFilm.self, id, in: space))
  }

  @Test func `an upgrade makes new fields of old ones, and no change`() throws {
    var store = try folders[0].open(old)
    try makeOld(store)
    let (digest, changes) = (try store.digest(of: space), try store.allChanges())
    let arrival = try store.arrival(of: space)
    try store.close()
    let print = try Fingerprint(folder: folders[0].path)
    store = try folders[0].open(new)
    var expected = Film(id: id)
    expected.title = "The Third Man"
    expected.seconds = 104 * 60
    expected.first = "Carol"
    expected.last = "Reed"
    expected.origin = "Vienna, Austria"
    expected.score = 8
    expected.slug = "the-third-man"
    #expect(try film(store) == expected)
    #expect(try store.digest(of: space) == digest)
    #expect(try store.allChanges() == changes)
    #expect(try store.arrival(of: space) == arrival)
    #expect(try store.fetch(Query<Film>(in: space).filter(\.seconds == 6240)) == [expected])
    #expect(try store.fetch(Query<Film>(in: space).matching("vienna")) == [expected])
    #expect(try store.fetch(Query<Film>(in: space).sum(of: \.seconds)) == 6240)
    try store.close()
    #expect(try Fingerprint(folder: folders[0].path) == print)
    store = try folders[0].open(new)
    #expect(try film(store) == expected)
  }

  @Test func `the plan and the report of an upgrade say what is made`() throws {
    var store = try folders[0].open(old)
    try makeOld(store)
    try store.close()
    let plan = try Store.plan(folder: folders[0].path, model: new)
    #expect(plan.touchesRows)
    let lines = plan.steps.map(\.description)
    #expect(lines.contains("show film.score (9.6) as double"))
    #expect(
      lines.contains("compute score, seconds, first, last, origin, slug of film: 1 record"))
    store = try folders[0].open(new)
    #expect(store.upgradeReport?.isGuarded == true)
    #expect(store.upgradeReport?.steps == plan.steps)
    try store.close()
    store = try folders[0].open(new)
    #expect(store.upgradeReport == nil)
    try store.close()
    // Without lenses it says what it takes back.
    let back = try Store.plan(folder: folders[0].path, model: old)
    #expect(
      back.steps.contains {
        if case .compute(_, let fields, 1) = $0 { return fields.contains("seconds") }
        return false
      })
    #expect(try Store.plan(folder: folders[0].path, model: new).steps.isEmpty)
  }

  @Test func `what is exported holds nothing that a lens made`() throws {
    var store = try folders[0].open(old)
    try makeOld(store)
    try store.close()
    store = try folders[0].open(new)
    try store.close()
    let archive = Folder()
    _ = try Archive.export(folders[0].path, to: archive.path)
    let copy = Folder()
    _ = try Archive.import(archive.path, to: copy.path)
    let imported = try copy.open(old)
    #expect(try imported.allChanges().map(\.cell.field).sorted() == [0, 1, 2, 3, 4, 5, 6])
    try imported.close()
    let upgraded = try copy.open(new)
    #expect(try film(upgraded).seconds == 6240)
  }

  @Test func `what a newer device writes shows on an older one, and the other way round`() throws {
    let a = try folders[0].open(old)
    let b = try folders[1].open(new)
    try makeOld(a)
    try b.pull(from: a)
    #expect(try film(b).seconds == 6240)
    try b.write(in: space) { transaction in
      try transaction.set(\Film.seconds, of: id, to: 7200)
      try transaction.set(\Film.last, of: id, to: "Lean")
      try transaction.set(\Film.origin, of: id, to: "London, England")
    }
    try a.pull(from: b)
    var seen = try oldFilm(a)
    #expect(seen.minutes == 120 && seen.director == "Carol Lean")
    #expect(seen.place == "London" && seen.country == "England")
    #expect(try film(b).first == "Carol")
    try a.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 90) }
    try a.write(in: space) { try $0.set(\OldFilm.country, of: id, to: "UK") }
    try b.pull(from: a)
    #expect(try film(b).seconds == 5400)
    #expect(try film(b).origin == "London, UK")
    #expect(try b.fetch(Query<Film>(in: space).matching("uk")).count == 1)
    #expect(try b.fetch(Query<Film>(in: space).matching("england")).isEmpty)
    #expect(try a.digest(of: space) == b.digest(of: space))
    // What was written into the new field is kept whole below what an older device wrote later.
    let cell = try #require(try b.record(entity: 9, id, in: space)?.register(11))
    #expect(cell.value == .int(7200))
    #expect(try b.writer(of: \Film.seconds, id, in: space) == a.device)
    // A new record of a newer device is whole on an older one.
    var other = Film(id: RecordID(high: 1, low: 2))
    other.seconds = 60
    other.first = "Agnès"
    other.last = "Varda"
    try b.write(in: space) { try $0.create(other) }
    try a.pull(from: b)
    seen = try #require(try a.fetch(OldFilm.self, other.id, in: space))
    #expect(seen.minutes == 1 && seen.director == "Agnès Varda")
  }

  @Test func `what a lens cannot take back leaves the old field as it is`() throws {
    let a = try folders[0].open(old)
    let b = try folders[1].open(new)
    try makeOld(a)
    try b.pull(from: a)
    try b.write(in: space) { try $0.set(\Film.seconds, of: id, to: 6250) }
    try a.pull(from: b)
    #expect(try oldFilm(a).minutes == 104)
    #expect(try film(b).seconds == 6250)
    // Nor does an update by another field make it follow.
    try b.write(in: space) { try $0.update(Film.self, id) { $0.title = "Odd man out" } }
    #expect(try film(b).seconds == 6250)
    try a.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 105) }
    try b.pull(from: a)
    #expect(try film(b).seconds == 6300)
    // A first name with the separator in it cannot come back.
    try b.write(in: space) { try $0.set(\Film.first, of: id, to: "Mary Ann") }
    #expect(try film(b).first == "Mary Ann" && film(b).last == "Reed")
    try a.pull(from: b)
    #expect(try oldFilm(a).director == "Carol Reed")
  }

  @Test func `a field that is filled follows its sources until somebody writes it`() throws {
    let a = try folders[0].open(old)
    let b = try folders[1].open(new)
    try makeOld(a)
    try b.pull(from: a)
    #expect(try film(b).slug == "the-third-man")
    try a.write(in: space) { try $0.set(\OldFilm.title, of: id, to: "M") }
    try b.pull(from: a)
    #expect(try film(b).slug == "m")
    try b.write(in: space) { try $0.set(\Film.slug, of: id, to: "mine") }
    try a.write(in: space) { try $0.set(\OldFilm.title, of: id, to: "Later") }
    try b.pull(from: a)
    #expect(try film(b).slug == "mine")
    // Of a record without any field it is made too, of what its sources begin with.
    let empty = RecordID(high: 1, low: 3)
    let c = try folders[2].open(Model(Labelled.schema))
    try c.take(
      [
        Change(
          entity: 9, record: empty,
          cell: Cell(
            field: 0, merge: .creation, dot: Dot(site: Site(device: 8, incarnation: 8), seq: 1),
            stamp: Stamp(milliseconds: 1), value: .null))
      ], VersionVector(), from: Site(device: 8, incarnation: 8))
    #expect(try c.fetch(Labelled.self, empty, in: space)?.slug == "no-title")
  }

  @Test func `a record that this version makes is filled too, until somebody writes the field`()
    throws
  {
    let store = try folders[0].open(new)
    func slug(_ id: RecordID) throws -> String? {
      try store.fetch(Film.self, id, in: space)?.slug
    }
    let id = try store.write(in: space) { transaction in
      try transaction.create(Film.self) { $0.title = "The Third Man" }.id
    }
    #expect(try slug(id) == "the-third-man")
    #expect(try store.record(entity: 9, id, in: space)?.register(15) == nil)
    try store.write(in: space) { try $0.set(\Film.title, of: id, to: "M") }
    #expect(try slug(id) == "m")
    try store.write(in: space) { try $0.update(Film.self, id) { $0.slug = "mine" } }
    try store.write(in: space) { try $0.set(\Film.title, of: id, to: "Later") }
    #expect(try slug(id) == "mine")
    // What is said at once stays.
    let other = try store.write(in: space) { transaction in
      try transaction.create(Film.self) { ($0.title, $0.slug) = ("M", "by-hand") }.id
    }
    #expect(try slug(other) == "by-hand")
    // A record that comes back as a new one shows nothing of what was written before.
    try store.write(in: space) { try $0.delete(Film.self, other) }
    try store.write(in: space) { try $0.create(Film(id: other)) }
    #expect(try slug(other) == "")
  }

  @Test func `a bad clock hides no write of whoever saw the value`() throws {
    let ahead = Site(device: 5, incarnation: 5)
    for model in [new, old] {
      let store = try Folder().open(model)
      let cell = Cell(
        field: model.entities[0].lenses.isEmpty ? 11 : 2, merge: .register,
        dot: Dot(site: ahead, seq: 1), stamp: Stamp(milliseconds: 1 << 44), value: .int(7))
      try store.take([Change(entity: 9, record: id, cell: cell)], VersionVector(), from: ahead)
      guard !model.entities[0].lenses.isEmpty else { continue }
      #expect(try film(store).seconds == 420)
      try store.write(in: space) { try $0.set(\Film.seconds, of: id, to: 61) }
      #expect(try film(store).seconds == 61)
    }
  }

  @Test func `skipping a version and chains of lenses give the same`() throws {
    let a = try folders[0].open(old)
    let b = try folders[1].open(new)
    let c = try folders[2].open(Model(NewFilm.schema))
    try makeOld(a)
    for store in [b, c] { try store.pull(from: a) }
    #expect(try c.fetch(NewFilm.self, id, in: space)?.length == "6240")
    try c.write(in: space) { try $0.set(\NewFilm.length, of: id, to: "120") }
    for store in [a, b] { try store.pull(from: c) }
    #expect(try oldFilm(a).minutes == 2)
    #expect(try film(b).seconds == 120)
    // What the second version cannot take back to the first one still goes to the second.
    try c.write(in: space) { try $0.set(\NewFilm.length, of: id, to: "125") }
    for store in [a, b] { try store.pull(from: c) }
    #expect(try oldFilm(a).minutes == 2)
    #expect(try film(b).seconds == 125)
    try a.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 3) }
    for store in [b, c] { try store.pull(from: a) }
    #expect(try c.fetch(NewFilm.self, id, in: space)?.length == "180")
    #expect(try a.digest(of: space) == c.digest(of: space))
    try a.close()
    let skipped = try folders[0].open(Model(NewFilm.schema))
    #expect(try skipped.fetch(NewFilm.self, id, in: space)?.length == "180")
  }

  @Test func `another lens makes everything anew, and none leaves what was written alone`() throws {
    var store = try folders[0].open(old)
    try makeOld(store)
    try store.close()
    store = try folders[0].open(new)
    try store.close()
    store = try folders[0].open(Model(Film.made(by: .times(61))))
    #expect(try film(store).seconds == 104 * 61)
    try store.write(in: space) { try $0.set(\Film.seconds, of: id, to: 1) }
    try store.close()
    // An older version writes beside it.
    store = try folders[0].open(old)
    try store.write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 2) }
    try store.write(in: space) { try $0.set(\OldFilm.place, of: id, to: "Trieste") }
    try store.close()
    store = try folders[0].open(new)
    #expect(try film(store).seconds == 120)
    #expect(try film(store).origin == "Trieste, Austria")
    #expect(try store.fetch(Query<Film>(in: space).matching("trieste")).count == 1)
    #expect(try store.fetch(Query<Film>(in: space).matching("vienna")).isEmpty)
    try store.close()
    // A tool without lenses knows those that the store tells, and writes nothing wrong.
    let tool = try Store.open(existing: folders[0].path)
    let shown = try tool.read { (reader) throws(StoreError) in
      try reader.connection.number("SELECT f11 FROM reunion_record_9")
    }
    #expect(shown == 120)
    // The lens by a function of the app alone is not known to it: what that made is gone until the app
    // comes back.
    #expect(tool.layout.table(9).lenses.count == 3)
    try tool.write(in: space) { transaction in
      try transaction.set(FieldID(entity: 9, record: id, field: 11), to: .int(180))
    }
    #expect(try tool.record(entity: 9, id, in: space)?.register(2)?.value == .int(3))
    try tool.write(in: space) { transaction in
      try transaction.set(FieldID(entity: 9, record: id, field: 2), to: .int(2))
    }
    try tool.close()
    store = try folders[0].open(new)
    #expect(try film(store).seconds == 120 && film(store).slug == "the-third-man")
  }

  @Test func `a store that is read alone shows what its lenses made`() throws {
    let store = try folders[0].open(old)
    try makeOld(store)
    try store.close()
    #expect(isCode(.invalidModel) { _ = try folders[0].open(new) { $0.isReadOnly = true } })
    try folders[0].open(new).close()
    let read = try folders[0].open(new) { $0.isReadOnly = true }
    #expect(try film(read).seconds == 6240)
    #expect(try read.writer(of: \Film.seconds, id, in: space) == read.device)
  }

  @Test func `a salvaged store makes it anew`() throws {
    let store = try folders[0].open(old)
    try makeOld(store)
    try store.close()
    try folders[0].open(new).close()
    let saved = Folder()
    _ = try Salvage.make(of: folders[0].path, in: saved.path)
    #expect(try film(saved.open(new)).origin == "Vienna, Austria")
  }
}
