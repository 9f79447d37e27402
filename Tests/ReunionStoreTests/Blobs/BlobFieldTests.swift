import FoundationEssentials
import ReunionCore
import Testing

@testable import ReunionStore

private struct Picture: Entity, Equatable {
  let id: RecordID
  var thumbnail = Blob([])
  var original: Blob?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Picture>(
    5, "picture",
    [.field(1, "thumbnail", \.thumbnail, inlineBelow: 100), .field(2, "original", \.original)])
}

/// The same numbers as an app has them that knows references alone.
private struct OldPicture: Entity {
  let id: RecordID
  var thumbnail: BlobReference?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<OldPicture>(5, "picture", [.field(1, "thumbnail", \.thumbnail)])
}

private let model = Model(Picture.schema)

@Suite struct BlobFieldTests {
  private func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = Seeded(state: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test(arguments: [0, 1, 31, 32, 33, 41, 42, 99, 100, 101, 1 << 20, 8 << 20])
  func `keeps bytes in the record below the threshold, else in a file`(count: Int) throws {
    let folders = [Folder(), Folder()]
    let content = bytes(count)
    let id = RecordID(high: 1, low: 1)
    do {
      let store = try folders[0].open(model)
      try store.write(in: space) { transaction in
        var picture = Picture(id: id)
        picture.thumbnail = Blob(content)
        try transaction.create(picture)
      }
      try store.close()
    }
    let store = try folders[0].open(model)
    let picture = try #require(try store.fetch(Picture.self, id, in: space))
    #expect(picture.thumbnail.byteCount == UInt64(count))
    #expect(try store.read(picture.thumbnail) == content)
    #expect(try store.read(picture.original) == nil)
    let reference = BlobReference(hash: BlobHash(of: content), byteCount: UInt64(count))
    #expect(picture.thumbnail == (count < 100 ? .bytes(content) : .file(reference)))
    #expect(try store.blobs.contains(reference.hash) == (count >= 100))
    let other = try folders[1].open(model)
    let applied = try other.pull(from: store)
    #expect(applied.wanted == (count < 100 ? [] : [reference]))
    #expect(try other.digest(of: space) == store.digest(of: space))
    let received = try #require(try other.fetch(Picture.self, id, in: space))
    if count < 100 {
      #expect(try other.read(received.thumbnail) == content)
    } else {
      #expect(isCode(.blobMissing) { _ = try other.read(received.thumbnail) })
      try other.blobs.add(content)
      #expect(try other.read(received.thumbnail) == content)
    }
  }

  /// A blob's own bytes are told from a SHA-256 and a size by the byte at their end (docs/protocol.md 1.3).
  @Test(arguments: [0xff, 0x00, 0x7f, 0x80])
  func `takes no bytes in a record for a reference, whatever they end with`(last: Int) throws {
    for count in 1...64 {
      let content = bytes(count - 1) + [UInt8(last)]
      let value = Value.inlineBlob(content)
      #expect(value.blob == nil)
      #expect(Blob(storedValue: value) == .bytes(content))
    }
  }

  @Test func `an app that knows references alone passes such bytes on and overwrites nothing`()
    throws
  {
    let folders = [Folder(), Folder(), Folder()]
    let a = try folders[0].open(model)
    let old = try folders[1].open(Model(OldPicture.schema))
    let c = try folders[2].open(model)
    var picture = Picture(id: a.newID())
    picture.thumbnail = Blob(bytes(50))
    try a.write(in: space) { try $0.create(picture) }
    try old.pull(from: a)
    let seen = try #require(try old.fetch(OldPicture.self, picture.id, in: space))
    #expect(seen.thumbnail == nil)
    try old.write(in: space) { try $0.update(seen) }
    #expect(try old.blobs.missing(in: space).isEmpty)
    try c.pull(from: old)
    #expect(try c.fetch(Picture.self, picture.id, in: space) == picture)
    #expect(try c.digest(of: space) == a.digest(of: space))
  }

  @Test(arguments: [(50, 5000), (5000, 50), (5000, 6000)])
  func `merges bytes in a record with a file as any two values`(sizes: (Int, Int)) throws {
    let folders = [Folder(), Folder()]
    let (a, b) = (try folders[0].open(model), try folders[1].open(model))
    let id = a.newID()
    try a.write(in: space) { try $0.create(Picture(id: id)) }
    try b.pull(from: a)
    let (first, second) = (bytes(sizes.0), bytes(sizes.1, seed: 2))
    try a.write(in: space) { try $0.set(\Picture.thumbnail, of: id, to: Blob(first)) }
    try b.write(in: space) { try $0.set(\Picture.thumbnail, of: id, to: Blob(second)) }
    try b.pull(from: a)
    try a.pull(from: b)
    for content in [first, second] where content.count >= 100 {
      for store in [a, b] { try store.blobs.add(content) }
    }
    #expect(try a.digest(of: space) == b.digest(of: space))
    let stands = try #require(try a.fetch(Picture.self, id, in: space)).thumbnail
    let conflict = try #require(try b.conflicts(in: space).first)
    let values = try #require(conflict.values(of: \Picture.thumbnail))
    #expect(values.standing == stands)
    let both = [try b.read(values.standing), try b.read(values.lost)]
    #expect(both == [first, second] || both == [second, first])
    try b.write(in: space) { try $0.restore(conflict) }
    #expect(try b.fetch(Picture.self, id, in: space)?.thumbnail == values.lost)
    let named: Set<BlobHash> = [BlobHash(of: both[1])]
    for content in [first, second] {
      let hash = BlobHash(of: content)
      let isNamed = try b.blobs.isReferenced(hash, by: [(entity: 5, field: 1)], in: space)
      #expect(isNamed == (named.contains(hash) && content.count >= 100))
    }
  }

  @Test func `an update writes a blob only where its bytes are others`() throws {
    let folder = Folder()
    let store = try folder.open(model)
    var picture = Picture(id: store.newID())
    picture.thumbnail = Blob(bytes(5000))
    picture.original = Blob(bytes(20000))
    try store.write(in: space) { try $0.create(picture) }
    let vector = try store.vector(of: space)
    try store.write(in: space) { try $0.update(picture) }
    let held = try #require(try store.fetch(Picture.self, picture.id, in: space))
    try store.write(in: space) { try $0.update(held) }
    #expect(try store.vector(of: space) == vector)
    picture.thumbnail = Blob(bytes(5000, seed: 3))
    try store.write(in: space) { try $0.update(picture) }
    #expect(try store.vector(of: space)[store.site] == vector[store.site] + 1)
    #expect(
      try store.read(store.fetch(Picture.self, picture.id, in: space)?.original)?.count == 20000)
  }

  @Test func `a write that fails leaves no row, and one without a file leaves no record`() throws {
    let folder = Folder()
    let store = try folder.open(model)
    let content = bytes(5000)
    var picture = Picture(id: store.newID())
    picture.thumbnail = Blob(content)
    #expect(
      isCode(.alreadyExists) {
        try store.write(in: space) { transaction in
          try transaction.create(picture)
          try transaction.create(picture)
        }
      })
    #expect(try store.fetch(Query<Picture>(in: space)).isEmpty)
    #expect(try !store.blobs.contains(BlobHash(of: content)))
    try FileManager.default.removeItem(atPath: folder.path + "/partial")
    picture.thumbnail = Blob(bytes(5000, seed: 9))
    #expect(throws: StoreError.self) { try store.write(in: space) { try $0.create(picture) } }
    #expect(try store.fetch(Query<Picture>(in: space)).isEmpty)
    picture.thumbnail = Blob(bytes(99))
    try store.write(in: space) { try $0.create(picture) }
    #expect(try store.fetch(Query<Picture>(in: space)) == [picture])
  }
}
