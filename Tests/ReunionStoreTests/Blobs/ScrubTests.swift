import Foundation
import ReunionCore
import ReunionFlow
import ReunionTools
import Testing

@testable import ReunionStore

/// A look at every blob, and what is done with those that are damaged.
@Suite struct ScrubTests {
  @Test func `a scrub puts aside what is damaged and gone, and tells who listens`() throws {
    let folder = Folder()
    let store = try folder.open()
    let blobs = try (0..<5 as Range<UInt8>).map { try store.blobs.add([$0, $0]) }
    try store.write(in: space) { transaction in
      for blob in blobs { try transaction.create(Photo.self) { $0.original = blob } }
    }
    #expect(try store.blobs.scrub().isEmpty)
    try Data([9]).write(to: URL(filePath: store.blobs.path(of: blobs[1].hash)))
    try FileManager.default.removeItem(atPath: store.blobs.path(of: blobs[3].hash))
    let told = Lock<Set<BlobHash>>([])
    let observation = store.blobs.observeLosses { hash in _ = told.withLock { $0.insert(hash) } }
    defer { observation.cancel() }
    var counts: [Int] = []
    let damaged = try store.blobs.scrub { counts.append($0) }
    #expect(Set(damaged) == [blobs[1].hash, blobs[3].hash] && counts.last == 5)
    #expect(told.withLock { $0 } == Set(damaged))
    #expect(try Set(store.blobs.missing(in: space)) == [blobs[1], blobs[3]])
    let found = try Verification(folder: folder.path)
    #expect(found.isSound && found.quarantined.count == 1)
    #expect(Set(found.missing) == Set(damaged) && found.blobs == 3)
  }

  @Test func `a verification names what is left over and what nothing names`() throws {
    let folder = Folder()
    let store = try folder.open()
    let unnamed = try store.blobs.add([1])
    let deleted = try store.blobs.add([2])
    try store.write(in: space) { transaction in
      let photo = try transaction.create(Photo.self) { $0.original = deleted }
      try transaction.delete(Photo.self, photo.id)
    }
    let coming = BlobHash(of: [3])
    try #require(store.blobs.receive(BlobReference(hash: coming, byteCount: 2)).transfer)
      .append(offset: 0, bytes: [3])
    try Data([4]).write(to: URL(filePath: folder.path + "/blobs/notes.txt"))
    let found = try Verification(folder: folder.path)
    #expect(Set(found.unreferenced) == [unnamed.hash, deleted.hash])
    #expect(found.strays == ["blobs/notes.txt"])
    #expect(found.unfinished.contains("partial/\(coming.description)"))
    #expect(found.isSound && found.missing.isEmpty && found.quarantined.isEmpty)
  }
}
