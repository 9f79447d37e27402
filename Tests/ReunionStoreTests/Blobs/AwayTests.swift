import Foundation
import ReunionCore
import ReunionFlow
import ReunionTools
import Testing

@testable import ReunionStore

/// Files of blobs that are away for a while: that is no fact about the blobs (guarantee 10).
@Suite struct AwayTests {
  private let folder = Folder()

  private func photos(_ store: Store, _ count: Int) throws -> [BlobReference] {
    try (0..<count).map { number in
      let blob = try store.blobs.add(Array("photo \(number) of \(count)".utf8))
      _ = try store.write(in: space) { try $0.create(Photo.self) { $0.original = blob } }
      return blob
    }
  }

  private func move(_ from: String, _ to: String) throws {
    try FileManager.default.moveItem(atPath: folder.path + from, toPath: folder.path + to)
  }

  private func look(_ store: Store, _ blobs: [BlobReference]) -> Int {
    blobs.count { (try? store.blobs.read($0.hash, count: 100)) != nil }
  }

  /// Looks at six photos whose files are away, and says how many are there when they are back.
  private func returned(restarting: Bool, bugs: SeededBugs = []) throws -> Int {
    var store = try folder.open { $0.seededBugs = bugs }
    let blobs = try photos(store, 6)
    func restart() throws {
      guard restarting else { return }
      try store.close()
      store = try folder.open { $0.seededBugs = bugs }
    }
    try restart()
    try move("/blobs", "/elsewhere")
    // As an unmounted disk leaves it.
    try FileManager.default.createDirectory(
      atPath: folder.path + "/blobs", withIntermediateDirectories: true)
    #expect(look(store, blobs) == 0)
    #expect(try store.blobs.gaps().away.count == (bugs.isEmpty ? 6 : 0))
    // Whoever can bring one is asked for it meanwhile.
    #expect(try store.blobs.missing(in: space).count == 6)
    try restart()
    #expect(look(store, blobs) == 0)
    try FileManager.default.removeItem(atPath: folder.path + "/blobs")
    try move("/elsewhere", "/blobs")
    #expect(try !bugs.isEmpty || store.blobs.gaps() == BlobGaps())
    #expect(try !bugs.isEmpty || store.blobs.missing(in: space).isEmpty)
    defer { try? store.close() }
    return look(store, blobs)
  }

  @Test(arguments: [false, true])
  func `files that are away and come back are there again`(restarting: Bool) throws {
    #expect(try returned(restarting: restarting) == 6)
  }

  @Test(arguments: [false, true])
  func `a reader that has the database forget is caught (negative control)`(
    restarting: Bool
  ) throws {
    #expect(try returned(restarting: restarting, bugs: [.absenceForgotten]) < 6)
  }

  @Test func `the whole folder may be moved away and back while it runs`() throws {
    let store = try folder.open()
    let blobs = try photos(store, 3)
    #expect(look(store, blobs) == 3)
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-x")
    #expect(look(store, blobs) == 0)
    #expect(throws: StoreError.self) { try store.blobs.add([9, 9]) }
    try FileManager.default.moveItem(atPath: folder.path + "-x", toPath: folder.path)
    #expect(look(store, blobs) == 3)
    try store.close()
    #expect(try Verification(folder: folder.path).missing.isEmpty)
  }

  @Test func `what is forgotten already is taken back, and not what was erased`() throws {
    var store = try folder.open { $0.seededBugs = [.absenceForgotten] }
    let blobs = try photos(store, 100)
    let (gone, erased, half, deleted) = (blobs[3], blobs[50], blobs[60], blobs[70])
    try move("/blobs", "/elsewhere")
    for blob in blobs { #expect(throws: StoreError.self) { try store.blobs.verify(blob.hash) } }
    try store.erase(erased.hash)
    for photo in try store.fetch(Query<Photo>(in: space)) where photo.original == deleted {
      try store.write(in: space) { try $0.delete(Photo.self, photo.id) }
    }
    try store.close()
    try move("/elsewhere", "/blobs")
    store = try folder.open()
    func path(_ blob: BlobReference) -> URL { URL(filePath: store.blobs.path(of: blob.hash)) }
    try FileManager.default.removeItem(at: path(gone))
    let whole = try Data(contentsOf: path(half))
    try whole.dropLast(3).write(to: path(half))
    let taken = try Set(store.blobs.collect().takenBack)
    #expect(taken == Set(blobs.map(\.hash)).subtracting([gone, erased, half, deleted].map(\.hash)))
    #expect(try store.blobs.gaps().awaited.sorted() == [gone.hash, half.hash].sorted())
    #expect(try !store.blobs.contains(erased.hash))
    // The rest of it comes.
    try whole.write(to: path(half))
    #expect(try store.blobs.collect().takenBack == [half.hash])
    #expect(try store.blobs.collect().takenBack.isEmpty)
    try store.close()
  }

  @Test func `a file that is half written back is not put aside, and is read once it is whole`()
    throws
  {
    let store = try folder.open()
    let blob = try #require(photos(store, 1).first)
    let path = URL(filePath: store.blobs.path(of: blob.hash))
    let whole = try Data(contentsOf: path)
    try whole.prefix(4).write(to: path)
    #expect(look(store, [blob]) == 0)
    #expect(try store.blobs.missing(in: space) == [blob])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/quarantine"))
    // Whoever has the bytes gives them meanwhile.
    let other = try store.blobs.add(Array(whole))
    #expect(other == blob && look(store, [blob]) == 1)
    try whole.prefix(4).write(to: path)
    #expect(try store.blobs.contains(blob.hash) == false)
    try whole.write(to: path)
    #expect(look(store, [blob]) == 1)
  }

  @Test func `a repair asks for a disk that is away, and forgets nothing`() throws {
    let store = try folder.open()
    let blobs = try photos(store, 2)
    try move("/blobs", "/elsewhere")
    #expect(isCode(.ioFailed) { try store.blobs.scrub() })
    try move("/elsewhere", "/blobs")
    #expect(look(store, blobs) == 2)
  }

  @Test func `a backup keeps what lies in an earlier one, and says so`() throws {
    let (backup, restored) = (Folder(), Folder())
    var store = try folder.open { $0.seededBugs = [.absenceForgotten] }
    let blobs = try photos(store, 6)
    _ = try Backup.make(of: folder.path, in: backup.path)
    try move("/blobs", "/elsewhere")
    // Three are forgotten, as versions before did; of three the rows stay.
    for blob in blobs[..<3] {
      #expect(throws: StoreError.self) { try store.blobs.verify(blob.hash) }
    }
    let new = Array("never here".utf8)
    _ = try store.write(in: space) {
      try $0.create(Photo.self) {
        $0.original = BlobReference(hash: BlobHash(of: new), byteCount: UInt64(new.count))
      }
    }
    let report = try Backup.make(of: folder.path, in: backup.path)
    #expect(report.blobs == 6 && report.copiedBlobs == 0 && report.lost.isEmpty)
    #expect(Set(report.kept) == Set(blobs.map(\.hash)))
    #expect(report.missing == [BlobHash(of: new)])
    #expect(try Verification(folder: backup.path).blobs == 6)
    #expect(try Backup.restore(backup.path, to: restored.path).blobs == 6)
    try store.close()
    store = try restored.open()
    #expect(look(store, blobs) == 6)
    try store.close()
  }

  @Test func `a restore takes files of a backup that had forgotten them`() throws {
    let (backup, restored) = (Folder(), Folder())
    let store = try folder.open()
    let blobs = try photos(store, 4)
    _ = try Backup.make(of: folder.path, in: backup.path)
    // As a version before left it: the rows are gone, and the files are there.
    let files = backup.path + "/blobs"
    try FileManager.default.moveItem(atPath: files, toPath: backup.path + "-files")
    try move("/blobs", "/elsewhere")
    _ = try Backup.make(of: folder.path, in: backup.path)
    #expect(try Verification(folder: backup.path).missing.count == 4)
    if FileManager.default.fileExists(atPath: files) {
      try FileManager.default.removeItem(atPath: files)
    }
    try FileManager.default.moveItem(atPath: backup.path + "-files", toPath: files)
    let report = try Backup.restore(backup.path, to: restored.path)
    #expect(report.blobs == 4 && report.missing.isEmpty)
    #expect(look(try restored.open(), blobs) == 4)
  }

  @Test func `a verification names what is back, and takes it back where nobody has the store`()
    throws
  {
    let store = try folder.open { $0.seededBugs = [.absenceForgotten] }
    let blobs = try photos(store, 3)
    try move("/blobs", "/elsewhere")
    for blob in blobs { #expect(throws: StoreError.self) { try store.blobs.verify(blob.hash) } }
    #expect(try Verification(folder: folder.path).missing.count == 3)
    try move("/elsewhere", "/blobs")
    let found = try Verification(folder: folder.path)
    #expect(Set(found.returned) == Set(blobs.map(\.hash)) && found.missing.count == 3)
    #expect(try Verification.takeBack(in: folder.path) == 0)
    try store.close()
    #expect(try Verification.takeBack(in: folder.path) == 3)
    #expect(try Verification(folder: folder.path).missing.isEmpty)
  }
}
