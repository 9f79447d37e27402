import FoundationEssentials
import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

/// An upgrade that is taken back leaves the store of before, with all that was written since.
@Suite struct UpgradeRollbackTests {
  private let models = Versions.models

  private func upgraded(bugs: SeededBugs = []) throws -> Folder {
    let folder = Folder()
    let store = try folder.open(models[0])
    try Versions.fill(store, 4)
    try store.close()
    try folder.open(models[3]) { $0.seededBugs = bugs }.close()
    return folder
  }

  private func change(
    _ entity: UInt32, _ id: RecordID, _ field: UInt32, _ merge: MergeKind, _ value: Value,
    _ seq: UInt64
  ) -> Change {
    Change(
      entity: entity, record: id,
      cell: Cell(
        field: field, merge: merge,
        dot: Dot(site: Site(device: 78, incarnation: 1), seq: seq),
        stamp: Stamp(milliseconds: 900_000 + seq), value: value))
  }

  /// Writes a title, a record that the older app does not know, and its poster.
  private func write(_ store: Store) throws -> BlobReference {
    let poster = try store.blobs.add([9, 9, 9])
    let changes = [
      change(Versions.film, Versions.id(1), 1, .register, .text("Changed"), 1),
      change(Versions.film, Versions.id(2), 3, .register, .blob(poster), 2),
      change(Versions.ticket, Versions.id(5000), 0, .creation, .null, 3),
      change(Versions.ticket, Versions.id(5000), 2, .register, .double(9), 4),
    ]
    var vector = VersionVector()
    vector.raise(Site(device: 78, incarnation: 1), to: 4)
    try store.take(changes, vector, from: Site(device: 78, incarnation: 1))
    return poster
  }

  @Test(arguments: [false, true])
  func `a tool without the app's functions leaves the way back to the version of before`(
    isDryRun: Bool
  ) throws {
    let (folder, id) = (Folder(), RecordID(high: 1, low: 1))
    func snapshots() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/upgrade")
    }
    var store = try folder.open(Model(OldFilm.schema))
    try store.write(in: space) { transaction in
      var film = OldFilm(id: id)
      film.title = "The Third Man"
      try transaction.create(film)
    }
    try store.close()
    let print = try Fingerprint(folder: folder.path)
    let new = Model(Film.schema)
    store = try folder.open(new)
    #expect(store.upgradeReport?.snapshot == folder.path + "/upgrade/before-1.sqlite")
    try store.close()
    // What `reunion collect` does: the slug is by a function of the app.
    var options = StoreOptions()
    options.isReadOnly = isDryRun
    store = try Store.open(existing: folder.path, options: options)
    _ = try store.blobs.collect(isDryRun: isDryRun)
    #expect((store.upgradeReport?.isGuarded ?? false) == !isDryRun)
    #expect(store.upgradeReport?.snapshot == nil)
    try store.close()
    #expect(try snapshots() == ["before-1.sqlite"])
    store = try folder.open(new)
    #expect((store.upgradeReport != nil) == !isDryRun)
    #expect(try store.fetch(Film.self, id, in: space)?.slug == "the-third-man")
    try store.close()
    #expect(try snapshots() == ["before-1.sqlite"])
    _ = try UpgradeRollback.run(folder.path)
    #expect(try Fingerprint(folder: folder.path).hash == print.hash)
    store = try folder.open(Model(OldFilm.schema))
    #expect(store.upgradeReport == nil)
    try store.close()
  }

  @Test func `without a snapshot, a new one is made of what is computed alone too`() throws {
    let folder = Folder()
    var store = try folder.open(Model(Film.schema))
    try store.write(in: space) { try $0.create(Film(id: RecordID(high: 1, low: 1))) }
    try store.close()
    store = try folder.open(Model(Film.made(by: .times(61))))
    #expect(store.upgradeReport?.snapshot == folder.path + "/upgrade/before-1.sqlite")
    try store.close()
    try FileManager.default.removeItem(atPath: folder.path + "/upgrade")
    store = try folder.open(Model(Film.schema))
    #expect(store.upgradeReport?.snapshot == folder.path + "/upgrade/before-2.sqlite")
    try store.close()
  }

  @Test func `brings what was written since, under a new incarnation`() throws {
    let folder = try upgraded()
    var store = try folder.open(models[3])
    let poster = try write(store)
    try store.write(in: SpaceID(high: 3, low: 3)) { _ in }
    let (digest, vector) = (try store.digest(of: space), try store.vector(of: space))
    let (site, arrival) = (store.site, try store.arrival(of: space))
    try store.close()
    let proof = try Fingerprint(folder: folder.path)

    let report = try UpgradeRollback.run(folder.path)
    #expect(report.written == 3 && report.records == 13 && report.removed == 0 && report.isEqual)
    #expect(report.kept == folder.path + "/upgrade/after-1.sqlite")
    #expect(FileManager.default.fileExists(atPath: report.kept))
    #expect(try Fingerprint(folder: folder.path) == proof)
    #expect(try Verification(folder: folder.path).isSound)
    // The app of before finds the tables of before.
    #expect(try Store.plan(folder: folder.path, model: models[0]).steps.isEmpty)
    store = try folder.open(models[0])
    #expect(store.upgradeReport == nil)
    #expect(store.site.device == site.device && store.site.incarnation != site.incarnation)
    #expect(try store.digest(of: space) == digest && store.vector(of: space) == vector)
    #expect(try store.arrival(of: space) == arrival)
    #expect(
      try store.rows("SELECT title FROM film ORDER BY title")
        == ["Changed", "Film 0", "Film 2", "Film 3"])
    #expect(try store.blobs.read(poster.hash, count: 9) == [9, 9, 9])
    // It goes on, and others get what it writes.
    let other = Folder()
    let peer = try other.open(models[3])
    try peer.pull(from: store)
    #expect(try peer.digest(of: space) == digest)
    try peer.close()
    try store.close()
    // The upgrade may come again, and replaces what was kept.
    store = try folder.open(models[3])
    #expect(store.upgradeReport?.isGuarded == true)
    #expect(try store.digest(of: space) == digest)
    #expect(try store.number("SELECT count(*) FROM ticket") == 5)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/upgrade")
        == ["before-1.sqlite"])
    try store.close()
  }

  @Test func `what was erased for good since stays erased`() throws {
    let folder = try upgraded()
    let store = try folder.open(models[3])
    let key = RecordKey(entity: Versions.film, id: Versions.id(3))
    #expect(try store.erase(entity: key.entity, key.id, in: space) { _, _ in true })
    #expect(try store.record(entity: key.entity, key.id, in: space) == nil)
    let digest = try store.digest(of: space)
    try store.close()
    let report = try UpgradeRollback.run(folder.path)
    #expect(report.isEqual && report.removed == 0)
    let older = try folder.open(models[0])
    #expect(try older.record(entity: key.entity, key.id, in: space) == nil)
    #expect(try older.digest(of: space) == digest)
    try older.close()
  }

  @Test func `brings back what an unwatched upgrade had lost (negative control)`() throws {
    let folder = Folder()
    var store = try folder.open(models[0])
    try Versions.fill(store, 4)
    let digest = try store.digest(of: space)
    try store.close()
    store = try folder.open(models[3]) {
      $0.seededBugs = [.upgradeDropsLargeBlobs, .upgradeNotCompared]
    }
    #expect(try store.digest(of: space) != digest)
    try store.close()
    let report = try UpgradeRollback.run(folder.path)
    #expect(!report.isEqual)
    store = try folder.open(models[3])
    #expect(try store.digest(of: space) == digest)
    #expect(try store.number("SELECT count(picture) FROM movie") == 4)
    try store.close()
  }

  @Test func `says what to do where there is nothing to go back to, or a program has it open`()
    throws
  {
    let folder = Folder()
    let store = try folder.open(models[0])
    #expect(isCode(.inUse) { _ = try UpgradeRollback.run(folder.path) })
    try store.close()
    #expect(isCode(.notFound) { _ = try UpgradeRollback.run(folder.path) })
    #expect(isCode(.notFound) { _ = try UpgradeRollback.run(folder.path + "/none") })
    let again = try folder.open(models[0])
    #expect(try again.vector(of: space).entries.isEmpty)
    try again.close()
  }
}
