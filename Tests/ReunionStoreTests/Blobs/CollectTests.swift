import Foundation
import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTools
import Testing

@testable import ReunionStore

/// Blobs that nobody names any more, and that go after a grace.
@Suite struct CollectTests {
  static let day: UInt64 = 86_400_000

  /// A store whose wall clock is set by hand.
  private final class Timed: Sendable {
    let folder = Folder()
    let now = Lock<UInt64>(1_800_000_000_000)
    let store: Store

    init(_ model: Model = sampleModel, _ change: (inout StoreOptions) -> Void = { _ in }) throws {
      let now = now
      store = try folder.open(model) {
        $0.wallMilliseconds = { now.withLock { $0 } }
        change(&$0)
      }
    }

    /// A collection a day, as an album does.
    @discardableResult
    func collect(days: Int) throws -> [BlobHash] {
      var removed: [BlobHash] = []
      for _ in 0..<days {
        now.withLock { $0 += day }
        removed += try store.blobs.collect().removed.map(\.hash)
      }
      return removed
    }

    func photo(_ text: String) throws -> Photo {
      var photo = Photo(id: store.newID())
      photo.original = try store.blobs.add(Array(text.utf8))
      try store.write(in: space) { [photo] in try $0.create(photo) }
      return photo
    }

    var files: [String] {
      var files: [String] = []
      for name in ["blobs", "trash"] {
        let found = FileManager.default.enumerator(atPath: "\(folder.path)/\(name)")
        for case let file as String in found ?? .init() where file.count > 60 {
          files.append("\(name)/\(URL(filePath: file).lastPathComponent)")
        }
      }
      return files.sorted()
    }
  }

  @Test func `a deleted record's blob goes after the grace, and its file a day later`() throws {
    let timed = try Timed()
    let (gone, kept) = (try timed.photo("gone"), try timed.photo("kept"))
    let hash = try #require(gone.original).hash
    try timed.store.write(in: space) { try $0.delete(Photo.self, gone.id) }
    #expect(try timed.collect(days: 30) == [])
    #expect(try timed.store.blobs.read(hash, count: 4) == Array("gone".utf8))
    #expect(try timed.collect(days: 1) == [hash])
    #expect(try !timed.store.blobs.contains(hash))
    #expect(timed.files.contains("trash/\(hash.description)"))
    // It is not asked for again: nothing living names it.
    #expect(try timed.store.blobs.missing(in: space).isEmpty)
    try timed.collect(days: 1)
    #expect(timed.files == ["blobs/\(try #require(kept.original).hash.description)"])
    #expect(try timed.collect(days: 70) == [])
    #expect(try timed.store.blobs.contains(#require(kept.original).hash))
  }

  @Test func `bytes that were added, and their record later, are kept all the while`() throws {
    let timed = try Timed()
    let blob = try timed.store.blobs.add([1, 2, 3])
    try timed.collect(days: 29)
    // The grace begins anew for bytes that are added again, or that an app asks to keep.
    try timed.store.blobs.add([1, 2, 3])
    try timed.collect(days: 29)
    #expect(try timed.store.blobs.retain(blob.hash))
    #expect(try timed.collect(days: 29) == [])
    try timed.store.write(in: space) { try $0.create(Photo.self) { $0.original = blob } }
    #expect(try timed.collect(days: 90) == [])
    #expect(try timed.store.blobs.read(blob.hash, count: 3) == [1, 2, 3])
  }

  @Test func `a clock that leaps ahead takes nothing`() throws {
    let timed = try Timed()
    let blob = try timed.store.blobs.add([1])
    try timed.collect(days: 2)
    timed.now.withLock { $0 += 3650 * Self.day }
    #expect(try timed.collect(days: 5) == [])
    timed.now.withLock { $0 -= 3650 * Self.day }
    #expect(try timed.collect(days: 5) == [])
    #expect(try timed.store.blobs.contains(blob.hash))
  }

  @Test func `conflicts and staged changes keep what they name`() throws {
    let (one, two) = (try Timed(), try Timed())
    let photo = try one.photo("first")
    try two.store.pull(from: one.store)
    let losing = try one.store.blobs.add(Array("losing".utf8))
    try one.store.write(in: space) { try $0.set(\Photo.original, of: photo.id, to: losing) }
    two.now.withLock { $0 += 1000 }
    let winning = try two.store.blobs.add(Array("winning".utf8))
    try two.store.write(in: space) { try $0.set(\Photo.original, of: photo.id, to: winning) }
    try one.store.pull(from: two.store)
    #expect(try one.store.conflicts(entity: 3, photo.id, in: space).count == 1)
    let staged = try one.store.blobs.add(Array("staged".utf8))
    let cell = Cell(
      field: 9, merge: .register, dot: Dot(site: two.store.site, seq: 999),
      stamp: Stamp(rawValue: 9), value: .blob(staged))
    try one.store.stage(
      [Change(entity: 3, record: photo.id, cell: cell)], [], from: two.store.site, in: space)
    let removed = try one.collect(days: 40)
    #expect(removed == [try #require(photo.original).hash])
    #expect(try one.store.blobs.contains(losing.hash) && one.store.blobs.contains(staged.hash))
  }

  @Test func `a record that comes back has its blobs fetched again`() throws {
    let (one, two) = (try Timed(), try Timed())
    let photo = try one.photo("shared")
    let blob = try #require(photo.original)
    try two.store.pull(from: one.store)
    try two.store.blobs.add(Array("shared".utf8))
    try one.store.write(in: space) { try $0.delete(Photo.self, photo.id) }
    try one.collect(days: 40)
    #expect(try !one.store.blobs.contains(blob.hash))
    // Two, which has not seen the delete, edits it.
    try two.store.write(in: space) { try $0.set(\Photo.caption, of: photo.id, to: "edited") }
    #expect(try one.store.pull(from: two.store).wanted == [blob])
    #expect(try one.store.blobs.missing(in: space) == [blob])
    #expect(try two.collect(days: 40) == [])
    #expect(try two.store.blobs.contains(blob.hash))
  }

  @Test func `what comes to be named after its row went is taken back`() throws {
    let timed = try Timed()
    let blob = try timed.store.blobs.add([7])
    try timed.collect(days: 31)
    #expect(timed.files == ["trash/\(blob.hash.description)"])
    try timed.store.write(in: space) { try $0.create(Photo.self) { $0.original = blob } }
    try timed.collect(days: 1)
    #expect(try timed.store.blobs.read(blob.hash, count: 1) == [7])
    #expect(timed.files == ["blobs/\(blob.hash.description)"])
  }

  @Test func `files without a row go as well, and a dry run changes nothing`() throws {
    let timed = try Timed()
    let stray = BlobHash(of: [1, 1])
    let path = timed.store.blobs.path(of: stray)
    try FileManager.default.createDirectory(
      atPath: path.parentFolder, withIntermediateDirectories: true)
    try Data([1, 1]).write(to: URL(filePath: path))
    for _ in 0..<2 {
      #expect(try timed.store.blobs.collect(isDryRun: true).marked == [stray])
    }
    #expect(try timed.store.blobs.collect().marked == [stray])
    try timed.collect(days: 29)
    timed.now.withLock { $0 += Self.day }
    #expect(try timed.store.blobs.collect(isDryRun: true).removed.map(\.hash) == [stray])
    #expect(FileManager.default.fileExists(atPath: path))
    try timed.collect(days: 2)
    #expect(timed.files == [])
  }

  @Test func `a backup of a moment before a collection misses nothing that is named`() throws {
    let timed = try Timed()
    let photo = try timed.photo("gone")
    try timed.store.write(in: space) { try $0.delete(Photo.self, photo.id) }
    let backup = Folder()
    // The file goes after the database was copied: the copy does not call it lost.
    try FileManager.default.removeItem(
      atPath: timed.store.blobs.path(of: #require(photo.original).hash))
    let report = try Backup.make(of: timed.folder.path, in: backup.path)
    #expect(report.lost.isEmpty && report.blobs == 0)
  }

  // Random histories against a naive oracle

  @Test func `random histories keep every blob that was in use within the grace`() throws {
    var removed = 0
    for seed in 0..<15 as Range<UInt64> {
      removed += try CollectOracle(seed: seed).run()
    }
    #expect(removed > 30)
  }

  @Test func `a sweep by rows only is caught (negative control)`() throws {
    var caught = 0
    for seed in 0..<10 as Range<UInt64> {
      do {
        _ = try CollectOracle(seed: seed, bugs: [.sweepsByRowsOnly]).run()
      } catch is CollectOracle.Lost {
        caught += 1
      }
    }
    print("sweep by rows only: caught in \(caught) of 10 histories")
    #expect(caught == 10)
  }
}
