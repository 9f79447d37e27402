import FoundationEssentials
import ReunionCore
import ReunionDisk
import ReunionTools
import Testing

@testable import ReunionStore

/// An upgrade that touches rows keeps a snapshot, is compared with it, and takes place whole or not.
@Suite struct UpgradeGuardTests {
  private func filled(_ count: Int = 6) throws -> Folder {
    let folder = Folder()
    let store = try folder.open(Versions.models[0])
    try Versions.fill(store, count)
    try store.close()
    return folder
  }

  private func snapshots(_ folder: Folder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path + "/upgrade").sorted()
  }

  /// All cells of a database, by the same code that a fingerprint has.
  private func digest(_ path: String) throws -> [UInt8] {
    let connection = try DatabaseConnection(path: path, on: .system, readOnly: true)
    defer { connection.close() }
    try connection.keepLogOnClose(true)
    let reader = RecordReader(connection, layout: try Layout(connection))
    var hash = SHA256()
    for space in try reader.spaces() {
      let number = try #require(try reader.numbers.existingNumber(of: space))
      try reader.digest(space: number, into: &hash)
    }
    return hash.finish()
  }

  @Test func `reports what was done, verified and kept`() throws {
    let folder = try filled()
    let before = try digest(folder.database)
    let store = try folder.open(Versions.models[3])
    let report = try #require(store.upgradeReport)
    #expect(report.isGuarded)
    #expect(report.records == 18 && report.cells == 6 * 12)
    #expect(report.blobs == 2 && report.blobBytes == 200_003 && report.missingBlobs == 0)
    #expect(report.snapshot == folder.path + "/upgrade/before-1.sqlite")
    #expect(report.seconds > 0)
    #expect(
      report.description.hasSuffix(
        """
        18 records and 72 values are as they were. 0 blobs lost (2 verified).
        The store of before is kept in \(folder.path)/upgrade/before-1.sqlite.
        """))
    try store.close()
    #expect(try digest(folder.path + "/upgrade/before-1.sqlite") == before)
    #expect(try digest(folder.database) == before)
    #expect(try Verification(folder: folder.path).isSound)
  }

  @Test func `keeps one snapshot, that of the last upgrade that touched rows`() throws {
    let folder = try filled()
    for (version, kept) in [(1, 1), (2, 2), (0, 2), (3, 3)] {
      let store = try folder.open(Versions.models[version])
      #expect(store.upgradeReport?.isGuarded == (version != 0))
      try store.close()
      #expect(try snapshots(folder) == ["before-\(kept).sqlite"])
    }
  }

  @Test func `blobs that were lost before are told apart from what an upgrade would lose`() throws {
    let folder = try filled()
    var store = try folder.open(Versions.models[0])
    let hash = BlobHash(of: [3, 3, 3])
    try FileManager.default.removeItem(atPath: store.blobs.path(of: hash))
    try store.close()
    store = try folder.open(Versions.models[1])
    let report = try #require(store.upgradeReport)
    #expect(report.blobs == 1 && report.missingBlobs == 1)
    #expect(report.description.contains("1 blob had been lost before: reunion verify names them."))
    try store.close()
  }

  @Test(arguments: [SeededBug.upgradeDropsLargeBlobs, .upgradeReachesBlobs])
  func `takes an upgrade back that would lose blobs, and the old app goes on`(
    bug: SeededBug
  ) throws {
    let folder = try filled()
    let before = try Fingerprint(folder: folder.path)
    do {
      _ = try folder.open(Versions.models[3]) { $0.seededBugs = [bug] }
      Issue.record("\(bug) was not caught")
    } catch let error as StoreError {
      let isCompared = bug == .upgradeDropsLargeBlobs
      #expect(error.code == (isCompared ? .upgradeRefused : .unexpected))
      #expect(
        error.message.contains("film.field 3, of which there were 6 values and would be 3")
          == isCompared)
      #expect(error.message.contains("A copy is in \(folder.path)/upgrade/before-1") == isCompared)
      print("caught \(bug): \(error)")
    }
    #expect(try Fingerprint(folder: folder.path) == before)
    var store = try folder.open(Versions.models[0])
    #expect(store.upgradeReport == nil)
    try store.write(in: space) { _ in }
    try store.close()
    store = try folder.open(Versions.models[3])
    #expect(store.upgradeReport?.blobs == 2)
    try store.close()
    #expect(try Fingerprint(folder: folder.path).hash == before.hash)
  }

  @Test func `an upgrade that touches no row cannot reach blobs either`() throws {
    let folder = Folder()
    try folder.open(Versions.models[1]).close()
    var store = try folder.open(Versions.models[1])
    try store.blobs.add([1])
    try store.close()
    #expect(
      isCode(.unexpected) {
        _ = try folder.open(Versions.models[2]) { $0.seededBugs = [.upgradeReachesBlobs] }
      })
    store = try folder.open(Versions.models[2])
    #expect(store.upgradeReport?.isGuarded == false)
    #expect(
      store.upgradeReport?.description.hasSuffix("No record and no blob was touched.") == true)
    #expect(try store.counts().blobs == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/upgrade"))
  }

  @Test func `without the comparison the framework's bug loses blobs (negative control)`() throws {
    let folder = try filled()
    let before = try digest(folder.database)
    try folder.open(Versions.models[3]) {
      $0.seededBugs = [.upgradeDropsLargeBlobs, .upgradeNotCompared]
    }.close()
    #expect(try digest(folder.database) != before)
    // The blob's own file stays: no upgrade has a way to it.
    #expect(try Fingerprint(folder: folder.path).blobs == 2)
  }

  @Test func `every version opens what every version wrote, at once or by others`() throws {
    for written in Versions.models.indices {
      for reading in Versions.models.indices {
        for between in Versions.models.indices {
          let folder = Folder()
          var store = try folder.open(Versions.models[written])
          try Versions.fill(store, 3)
          let digest = try store.digest(of: space)
          for version in [reading, between, 3] {
            try store.close()
            store = try folder.open(Versions.models[version])
            #expect(try store.digest(of: space) == digest)
            let name = version < 2 ? "film" : "movie"
            #expect(
              try store.rows("SELECT title FROM \(name) ORDER BY title")
                == ["Film 0", "Film 1", "Film 2"])
          }
          #expect(try store.number("SELECT sum(year) FROM movie") == 5703)
          #expect(try store.number("SELECT sum(seen) FROM movie") == 3)
          #expect(try store.number("SELECT count(film) FROM ticket WHERE price > 0") == 3)
          #expect(try store.number("SELECT count(picture) FROM movie") == 3)
          try store.close()
        }
      }
    }
  }

  @Test(arguments: VersionTests.versions)
  func `what each released version wrote opens through the guard`(version: String) throws {
    let folder = Folder()
    try FileManager.default.copyItem(
      atPath: VersionTests.root.appending(path: version + "/store").path, toPath: folder.path)
    var entities = VersionTests.model.entities
    let photo = try #require(entities.firstIndex { $0.number == 3 })
    entities[photo] = EntityDescription(
      number: 3, name: "photo",
      fields: entities[photo].fields + [
        FieldDescription(number: 13, name: "extra", kind: .text),
        FieldDescription(number: 20, name: "hits", kind: .counter),
      ])
    entities.append(
      EntityDescription(
        number: 9, name: "unknown",
        fields: [FieldDescription(number: 1, name: "text", kind: .text)]))
    let before = try Fingerprint(folder: folder.path)
    let store = try folder.open(Model(entities: entities))
    let report = try #require(store.upgradeReport)
    #expect(report.isGuarded && report.blobs == before.blobs)
    #expect(report.records == before.records && report.blobBytes == before.blobBytes)
    #expect(
      report.steps.contains(.takeIn(UpgradeSubject(9, "unknown"), records: 12)))
    try store.close()
    #expect(try Fingerprint(folder: folder.path) == before)
    #expect(try Verification(folder: folder.path).isSound)
  }
}
