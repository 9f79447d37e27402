import Foundation
import ReunionCore
import ReunionDisk
import Testing

@testable import ReunionStore

/// Bytes that are erased for good, here and at every replica (docs/protocol.md 2.12).
@Suite struct EraseTests {
  private let folder = Folder()
  private let elsewhere = SpaceID(high: 9, low: 9)
  private let bytes = Array("a face".utf8)

  private func photo(_ store: Store, in space: SpaceID = space) throws -> Photo {
    var photo = Photo(id: store.newID())
    photo.original = try store.blobs.add(bytes)
    try store.write(in: space) { [photo] in try $0.create(photo) }
    return photo
  }

  /// Whether any file of the folder has the bytes.
  private func holdsBytes(_ folder: Folder) throws -> Bool {
    for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
      let data = try? Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
      if data?.range(of: Data(bytes)) != nil { return true }
    }
    return false
  }

  @Test func `an erased blob's bytes are gone everywhere, and its name stays`() throws {
    let (otherFolder, third) = (Folder(), Folder())
    let (store, other) = (try folder.open(), try otherFolder.open(Model()))
    let photo = try photo(store)
    let blob = try #require(photo.original)
    try other.pull(from: store)
    try other.blobs.add(bytes, in: space)
    #expect(try holdsBytes(folder) && holdsBytes(otherFolder))
    try store.erase(blob.hash)
    #expect(try !holdsBytes(folder) && !store.blobs.contains(blob.hash))
    #expect(try store.fetch(Photo.self, photo.id, in: space)?.original == blob)
    // The other learns of it, without a model, also when an old state of the record comes later.
    try other.pull(from: store)
    #expect(try !holdsBytes(otherFolder) && !other.blobs.contains(blob.hash))
    #expect(try other.blobs.missing(in: space).isEmpty && store.blobs.missing(in: space).isEmpty)
    // Nobody takes it again, in one piece or in many.
    #expect(isCode(.blobErased) { try other.blobs.add(bytes, in: space) })
    #expect(isCode(.blobErased) { _ = try other.blobs.receive(blob, in: space) })
    try third.open().write(in: space) { try $0.create(Photo.self) { $0.original = blob } }
    let newcomer = try third.open()
    #expect(try newcomer.pull(from: store).wanted == [])
    #expect(try newcomer.blobs.missing(in: space).isEmpty)
    #expect(try newcomer.digest(of: space) != store.digest(of: space))
    try store.pull(from: newcomer)
    #expect(try newcomer.digest(of: space) == store.digest(of: space))
    // Deleting the erasure's record brings nothing back.
    try store.close()
    let again = try folder.open()
    #expect(isCode(.blobErased) { try again.blobs.add(bytes, in: space) })
    #expect(isCode(.notFound) { try again.erase(BlobHash(of: [1])) })
  }

  @Test func `copies in transit, in quarantine and in the trash go too`() throws {
    let store = try folder.open()
    let blob = try #require(photo(store).original)
    for name in ["trash/\(blob.hash)", "quarantine/\(blob.hash)-0011", "partial/\(blob.hash)"] {
      let path = "\(folder.path)/\(name)"
      try FileManager.default.createDirectory(
        atPath: path.parentFolder, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(filePath: path))
    }
    try store.erase(blob.hash)
    #expect(try !holdsBytes(folder))
  }

  @Test func `another space keeps its bytes until they are erased there`() throws {
    let store = try folder.open()
    let blob = try #require(photo(store).original)
    _ = try photo(store, in: elsewhere)
    try store.write(in: space) { try $0.erase(blob.hash) }
    #expect(try store.blobs.read(blob.hash, count: 6) == bytes)
    #expect(try store.blobs.isErased(blob.hash, in: space))
    #expect(try !store.blobs.isErased(blob.hash, in: elsewhere))
    try store.write(in: elsewhere) { try $0.erase(blob.hash) }
    #expect(try !holdsBytes(folder))
  }

  @Test func `a guest cannot erase, an editor can`() throws {
    let (otherFolder, third, store) = (Folder(), Folder(), try folder.open())
    let guest = try otherFolder.open()
    let blob = try #require(photo(store).original)
    try guest.write(in: space) { try $0.erase(blob.hash) }
    let applied = try store.pull(
      from: guest, authority: .own(device: guest.site.device), after: 0)
    #expect(applied.refusedCount == 1)
    #expect(try store.blobs.read(blob.hash, count: 6) == bytes)
    // What was refused stays so while the guest may be taking it back, whatever it may do by now.
    try store.pull(from: guest, after: 0, lacking: VersionVector())
    #expect(try store.blobs.contains(blob.hash))
    let editor = try third.open()
    try editor.write(in: space) { try $0.erase(blob.hash) }
    try store.pull(from: editor, after: 0, lacking: VersionVector())
    #expect(try !store.blobs.contains(blob.hash))
  }

  @Test func `what a crash left of the bytes goes when the store is opened`() throws {
    var store = try folder.open()
    let blob = try #require(photo(store).original)
    let path = store.blobs.path(of: blob.hash)
    try store.erase(blob.hash)
    try store.close()
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try holdsBytes(folder))
    store = try folder.open()
    #expect(try !holdsBytes(folder))
  }

  @Test func `the number of erasures is nobody else's`() {
    let taken = Model(
      entities: [EntityDescription(number: Erasure.entity, name: "x", fields: [])])
    #expect(isCode(.invalidModel) { _ = try folder.open(taken) })
  }
}
