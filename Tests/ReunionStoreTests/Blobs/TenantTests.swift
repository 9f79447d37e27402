import Foundation
import ReunionCore
import ReunionDisk
import ReunionFlow
import Testing

@testable import ReunionStore

/// Bytes that several spaces of one store share: what one of them erases is its own affair
/// (docs/protocol.md 2.12).
@Suite struct TenantTests {
  private let folder = Folder()
  private let mine = SpaceID(high: 7, low: 7)
  private let theirs = SpaceID(high: 9, low: 9)
  private let bytes = Array("a face".utf8)
  private var hash: BlobHash { BlobHash(of: bytes) }

  private func erase(_ store: Store, in space: SpaceID) throws {
    try store.write(in: space) { try $0.erase(hash) }
  }

  @discardableResult
  private func name(_ store: Store, in space: SpaceID) throws -> RecordID {
    try store.write(in: space) {
      try $0.create(Photo.self) {
        $0.original = BlobReference(hash: hash, byteCount: UInt64(bytes.count))
      }.id
    }
  }

  private func holds(_ store: Store) throws -> Bool {
    try store.blobs.contains(hash) && store.blobs.read(hash, count: bytes.count) == bytes
  }

  /// Whether bytes that were sent to a space outlast what another one does with their hash: it erases
  /// it before, between the answer and the record, or after, and may have named it.
  private func outlasts(
    _ moment: Int, isNamed: Bool, restarts: Bool, bugs: SeededBugs = []
  ) throws -> Bool {
    var store = try folder.open { $0.seededBugs = bugs }
    func attack() throws {
      if isNamed { try name(store, in: theirs) }
      try erase(store, in: theirs)
      guard restarts else { return }
      try store.close()
      store = try folder.open { $0.seededBugs = bugs }
    }
    if moment == 0 { try attack() }
    do { try store.blobs.add(bytes, in: mine) } catch { return false }
    if moment == 1 { try attack() }
    try name(store, in: mine)
    if moment == 2 { try attack() }
    try store.blobs.collect()
    defer { try? store.close() }
    guard try holds(store) else { return false }
    return try store.blobs.missing(in: mine).isEmpty
  }

  @Test(arguments: [0, 1, 2], [false, true])
  func `bytes sent to a space outlast what another erases`(moment: Int, isNamed: Bool) throws {
    #expect(try outlasts(moment, isNamed: isNamed, restarts: false))
    #expect(try outlasts(moment, isNamed: isNamed, restarts: true))
  }

  @Test(arguments: [0, 1])
  func `an erasure that reaches all is seen (negative control)`(moment: Int) throws {
    #expect(
      try !outlasts(moment, isNamed: false, restarts: false, bugs: [.erasureReachesAll]))
  }

  @Test func `the space that erased it refuses it, and no other does`() throws {
    let store = try folder.open()
    try name(store, in: theirs)
    try erase(store, in: theirs)
    #expect(isCode(.blobErased) { try store.blobs.add(bytes, in: theirs) })
    try store.blobs.add(bytes, in: mine)
    // Held by now, and still refused there.
    #expect(isCode(.blobErased) { try store.blobs.add(bytes, in: theirs) })
    #expect(isCode(.blobErased) { _ = try store.blobs.retain(hash, in: theirs) })
    #expect(isCode(.blobErased) { _ = try store.blobs.reader(of: hash, in: theirs) })
    #expect(try store.blobs.contains(hash, of: mine) && !store.blobs.isErased(hash, in: mine))
    // Its own erasure takes its own bytes, in the same breath.
    try name(store, in: mine)
    try erase(store, in: mine)
    #expect(try !store.blobs.contains(hash))
  }

  @Test func `bytes that a record let go of are its space's for a grace`() throws {
    let now = Lock<UInt64>(1_800_000_000_000)
    let store = try folder.open { $0.wallMilliseconds = { now.withLock { $0 } } }
    try store.blobs.add(bytes, in: mine)
    let photo = try name(store, in: mine)
    try name(store, in: theirs)
    // Forty days as the one that is named.
    for _ in 0..<40 {
      now.withLock { $0 += 86_400_000 }
      try store.blobs.collect()
    }
    try store.write(in: mine) { try $0.set(\Photo.original, of: photo, to: nil) }
    try erase(store, in: theirs)
    #expect(try holds(store))
    for _ in 0..<40 {
      now.withLock { $0 += 86_400_000 }
      try store.blobs.collect()
    }
    #expect(try !store.blobs.contains(hash))
  }

  @Test func `an erasure of what never was its space's takes nothing`() throws {
    let store = try folder.open()
    try store.blobs.add(bytes)
    try erase(store, in: theirs)
    #expect(try holds(store))
    // What this program added is the program's until it names it.
    try name(store, in: mine)
    try erase(store, in: mine)
    #expect(try !store.blobs.contains(hash))
  }

  @Test func `a file that was named before a kill is not taken by another's erasure`() throws {
    var store = try folder.open()
    try name(store, in: theirs)
    try erase(store, in: theirs)
    let moved = folder.path + "/moved"
    try Data(bytes).write(to: URL(filePath: moved))
    let blob = BlobReference(hash: hash, byteCount: UInt64(bytes.count))
    try store.blobs.adopt(moving: moved, as: blob, in: mine)
    // As a kill between the file's name and its row leaves it.
    try store.commit { (_, records) throws(StoreError) in
      try records.release(blob.hash)
      return ((), nil)
    }
    try store.close()
    store = try folder.open()
    try store.blobs.collect()
    try store.blobs.adopt(moving: moved, as: blob, in: mine)
    #expect(try holds(store))
  }

  /// Makes the file one of the version before.
  private func makeOld() throws {
    let connection = try DatabaseConnection(path: folder.database, on: .system)
    try connection.execute(
      "DROP TABLE reunion_tenant; DROP TABLE reunion_lowering; PRAGMA user_version = 2")
    connection.close()
  }

  @Test func `what an earlier version held unnamed is nobody else's to erase`() throws {
    try folder.open().blobs.add(bytes, in: mine)
    try makeOld()
    let now = Lock<UInt64>(1_800_000_000_000)
    let store = try folder.open { $0.wallMilliseconds = { now.withLock { $0 } } }
    try name(store, in: theirs)
    try erase(store, in: theirs)
    #expect(try holds(store))
    // After the grace they are those spaces' alone that name them: all of these have erased them.
    for _ in 0..<60 {
      now.withLock { $0 += 86_400_000 }
      try store.blobs.collect()
    }
    #expect(try !store.blobs.contains(hash))
  }

  @Test func `who erases everywhere erases what an earlier version held too`() throws {
    try folder.open().blobs.add(bytes, in: mine)
    try makeOld()
    let store = try folder.open()
    try name(store, in: theirs)
    try store.erase(hash)
    #expect(try !store.blobs.contains(hash))
  }

  @Test func `a record that was deleted for good takes its bytes along`() throws {
    let store = try folder.open()
    try store.blobs.add(bytes, in: mine)
    let photo = try name(store, in: mine)
    #expect(try store.erase(entity: 3, photo, in: mine) { _, _ in true })
    #expect(try !store.blobs.contains(hash))
  }
}
