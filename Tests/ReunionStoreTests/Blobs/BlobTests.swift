import Foundation
import ReunionCore
import ReunionDisk
import Testing

@testable import ReunionStore

@Suite struct BlobTests {
  let folder = Folder()
  private let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private func left(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + name)
  }

  @Test func `keeps bytes and files under their hash`() throws {
    var store = try folder.open()
    let blob = try store.blobs.add(bytes)
    #expect(try store.blobs.add(bytes) == blob)
    #expect(try store.blobs.contains(blob.hash))
    #expect(try store.blobs.read(blob.hash, offset: 199_990, count: 100) == Array(bytes.suffix(10)))
    #expect(try left(in: "partial").isEmpty)
    let file = folder.path + "/photo.jpg"
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
    #expect(
      isCode(.blobMismatch) { try store.blobs.adopt(file: file, expecting: BlobHash(of: [4])) })
    let adopted = try store.blobs.adopt(file: file, expecting: BlobHash(of: [1, 2, 3]))
    #expect(adopted.byteCount == 3)
    #expect(try left(in: "partial").isEmpty)
    try store.close()
    store = try folder.open()
    #expect(try store.counts().blobs == 2)
    #expect(try store.blobs.read(adopted.hash, count: 9) == [1, 2, 3])
    #expect(isCode(.blobMissing) { _ = try store.blobs.read(BlobHash(of: [9]), count: 1) })
  }

  @Test func `a file becomes a blob by being moved, and is copied from another file system`() throws
  {
    let store = try folder.open()
    let moved = folder.path + "/moved"
    try Data(bytes).write(to: URL(filePath: moved))
    let blob = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    let number = try SystemDisk().number(of: moved).file
    try store.blobs.adopt(moving: moved, as: blob)
    #expect(try SystemDisk().number(of: store.blobs.path(of: blob.hash)).file == number)
    #expect(try store.blobs.read(blob.hash, count: 300_000) == bytes)
    // Once more, as after a kill before it was noted.
    try store.blobs.adopt(moving: moved, as: blob)
    let short = BlobReference(hash: BlobHash(of: [7]), byteCount: 2)
    #expect(isCode(.blobMissing) { try store.blobs.adopt(moving: moved, as: short) })
    try Data([7]).write(to: URL(filePath: moved))
    #expect(isCode(.blobMismatch) { try store.blobs.adopt(moving: moved, as: short) })

    // One of these may be on another file system. If none of them is, this moves as above.
    let name = "reunion-\(RecordID(high: 1, low: .random(in: 1...9_999_999)))"
    let home = try SystemDisk().number(of: folder.path).device
    let places = ["/dev/shm", "/var/tmp", "/tmp", folder.path].filter {
      access($0, W_OK) == 0 && ((try? SystemDisk().number(of: $0).device) ?? home) != home
    }
    let isThere = !places.isEmpty
    let far = "\(places.first ?? folder.path)/\(name)"
    defer { unlink(far) }
    try Data([8, 9]).write(to: URL(filePath: far))
    let other = BlobReference(hash: BlobHash(of: [8, 9]), byteCount: 2)
    let wrong = BlobReference(hash: BlobHash(of: [9, 8]), byteCount: 2)
    if isThere { #expect(isCode(.blobMismatch) { try store.blobs.adopt(moving: far, as: wrong) }) }
    try store.blobs.adopt(moving: far, as: other)
    #expect(try store.blobs.read(other.hash, count: 9) == [8, 9])
    #expect(!FileManager.default.fileExists(atPath: far))
    #expect(try left(in: "partial").isEmpty)
  }

  /// Uploads ask for the photos that name them, one by one: it must not cost a look at all photos.
  @Test func `the records that name a blob are found by its hash`() throws {
    let store = try folder.open()
    let spaces = [SpaceID(high: 1, low: 1), SpaceID(high: 1, low: 2)]
    let blobs = (0..<5 as Range<UInt8>).map {
      BlobReference(hash: BlobHash(of: [$0]), byteCount: UInt64($0))
    }
    var named: [RecordID: (space: SpaceID, blob: BlobReference?)] = [:]
    for number in 0..<60 {
      let space = spaces[number % 2]
      let photo = try store.write(in: space) {
        try $0.create(Photo.self) { $0.original = number % 7 == 0 ? nil : blobs[number % 5] }
      }
      named[photo.id] = (space, photo.original)
    }
    let gone = try #require(
      named.first { $0.value.blob == blobs[1] && $0.value.space == spaces[0] })
    try store.write(in: spaces[0]) { try $0.delete(Photo.self, gone.key) }
    named[gone.key] = nil
    for blob in blobs {
      let query = Query<Photo>(in: spaces[0]).filter(\.original == blob)
      let ids = named.filter { $0.value.space == spaces[0] && $0.value.blob == blob }.keys
      #expect(try Set(store.fetch(query).map(\.id)) == Set(ids) && !ids.isEmpty)
      let others = try store.fetch(Query<Photo>(in: spaces[0]).filter(\.original != blob))
      #expect(Set(others.map(\.id)).isDisjoint(with: ids))
    }
    let longer = BlobReference(hash: blobs[1].hash, byteCount: 9)
    let other = Query<Photo>(in: spaces[0]).filter(\.original == longer)
    #expect(try store.fetch(other).isEmpty)
    let plan = try store.read { (reader) throws(StoreError) in
      let text = try QueryText.records(other, reader.layout)
      let statement = try reader.connection.prepare("EXPLAIN QUERY PLAN " + text.sql)
      defer { statement.finalize() }
      var lines: [String] = []
      while try statement.step() { lines.append(statement.text(3)) }
      return lines
    }
    #expect(plan.contains { $0.contains("reunion_blob_reference_hash") })
    #expect(!plan.contains { $0.hasPrefix("SCAN t1") } && !plan.isEmpty)
  }

  @Test func `goes on with a transfer that was broken off`() throws {
    let blob = BlobReference(hash: BlobHash(of: bytes), byteCount: 200_000)
    var store = try folder.open()
    try #require(store.blobs.receive(blob).transfer)
      .append(offset: 0, bytes: Array(bytes[..<100_000]))
    try store.close()
    store = try folder.open()
    let transfer = try #require(store.blobs.receive(blob).transfer)
    let held = try transfer.byteCount()
    #expect(held == 65_536)
    #expect(isCode(.wrongOffset) { try transfer.append(offset: 100_001, bytes: [1]) })
    #expect(isCode(.wrongOffset) { try transfer.complete(byteCount: 200_000) })
    #expect(try !store.blobs.contains(blob.hash))
    try transfer.append(offset: held, bytes: Array(bytes[Int(held)...]))
    try transfer.complete(byteCount: 200_000)
    #expect(transfer.isOver && isCode(.inUse) { try transfer.append(offset: 0, bytes: [1]) })
    #expect(try store.blobs.read(blob.hash, count: 200_000) == bytes)
    #expect(try store.blobs.receive(blob).transfer == nil)
    #expect(try left(in: "partial").isEmpty)
  }

  @Test func `forgets at an opening what a kill left of a blob, and no transfer`() throws {
    try folder.open().close()
    let partial = folder.path + "/partial"
    let broken = String(repeating: "0a", count: 16) + ".new"
    let kept = [
      BlobHash(of: bytes).description, "0a.new", String(repeating: "0g", count: 16) + ".new",
      String(repeating: "0a", count: 16) + ".jpg",
    ]
    for name in kept + [broken] { try Data([1]).write(to: URL(filePath: "\(partial)/\(name)")) }
    // Another program's attempt at the folder removes nothing of the one that has it open.
    let store = try folder.open()
    #expect(try Set(left(in: "partial")) == Set(kept))
    try Data([1]).write(to: URL(filePath: "\(partial)/\(broken)"))
    #expect(isCode(.inUse) { _ = try folder.open() })
    #expect(try left(in: "partial").contains(broken))
    try store.close()
  }

  @Test func `throws away a transfer of other bytes`() throws {
    let store = try folder.open()
    let hash = BlobHash(of: bytes)
    let blob = BlobReference(hash: hash, byteCount: 3)
    let transfer = try #require(store.blobs.receive(blob).transfer)
    try transfer.append(offset: 0, bytes: [1, 2, 3])
    #expect(isCode(.blobMismatch) { try transfer.complete(byteCount: 3) })
    #expect(try !store.blobs.contains(hash) && transfer.byteCount() == 0)
    #expect(try left(in: "partial").isEmpty)
  }

  @Test func `takes what a crash left at any point, and never names half a file`() throws {
    let hash = BlobHash(of: bytes)
    var store = try folder.open()
    let path = store.blobs.path(of: hash)
    try store.close()
    // While the temporary file was written.
    try Data(bytes.prefix(10)).write(to: URL(fileURLWithPath: folder.path + "/partial/1.new"))
    store = try folder.open()
    #expect(try !store.blobs.contains(hash))
    try store.close()
    // After the rename, before the row: an orphan.
    try FileManager.default.createDirectory(
      atPath: path.parentFolder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    store = try folder.open()
    #expect(try !store.blobs.contains(hash))
    try store.blobs.add(bytes)
    #expect(try store.blobs.read(hash, count: 3) == Array(bytes.prefix(3)))
  }

  @Test func `puts a damaged blob into quarantine and counts it as missing`() throws {
    var store = try folder.open()
    let blob = try store.blobs.add(bytes)
    var photo = Photo(id: store.newID())
    photo.original = blob
    try store.write(in: space) { try $0.create(photo) }
    #expect(try store.blobs.missing(in: space).isEmpty)
    #expect(try store.blobs.isReferenced(blob.hash, by: [(3, 9)]))
    #expect(try !store.blobs.isReferenced(blob.hash, by: [(3, 8), (4, 1)]))
    let path = store.blobs.path(of: blob.hash)
    try store.close()
    var damaged = try Data(contentsOf: URL(fileURLWithPath: path))
    damaged[5] ^= 1
    try damaged.write(to: URL(fileURLWithPath: path))
    store = try folder.open()
    #expect(isCode(.blobMissing) { _ = try store.blobs.read(blob.hash, count: 1) })
    #expect(try store.blobs.missing(in: space) == [blob])
    #expect(try left(in: "quarantine").count == 1)
    try store.blobs.add(bytes)
    #expect(try store.blobs.read(blob.hash, count: 2) == Array(bytes.prefix(2)))
    try store.write(in: space) { try $0.delete(Photo.self, photo.id) }
    #expect(try !store.blobs.isReferenced(blob.hash, by: [(3, 9)]))
  }
}
