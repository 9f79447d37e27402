import Reunion
import ReunionCore
import ReunionTesting
import Testing

@testable import ReunionStore

/// Blobs between replicas: what is damaged comes again, what was erased never does.
@Suite struct BlobKeepingTests {
  struct File: Entity {
    let id: RecordID
    var bytes: BlobReference?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<File>(1, "file", [.field(1, "bytes", \.bytes)])
  }

  private let content = [UInt8](repeating: 7, count: 200_000)

  private func shared() throws -> (World, WorldReplica, WorldReplica, BlobReference) {
    let world = World(seed: 4, model: Model(File.schema))
    let (one, two) = (try world.makeReplica("one"), try world.makeReplica("two"))
    let blob = try one.store.blobs.add(content)
    try one.store.write(in: world.space) { try $0.create(File.self) { $0.bytes = blob } }
    world.connect(one, to: two)
    world.run(for: .seconds(30))
    #expect(try two.store.blobs.contains(blob.hash))
    return (world, one, two, blob)
  }

  @Test func `a blob that a scrub finds damaged comes again over an open session`() throws {
    let (world, _, two, blob) = try shared()
    defer { world.remove() }
    let path = two.store.blobs.path(of: blob.hash)
    #expect(two.disk.flipBit(100, of: path))
    #expect(try two.store.blobs.scrub() == [blob.hash])
    #expect(try !two.store.blobs.contains(blob.hash))
    world.run(for: .seconds(30))
    #expect(try two.store.blobs.read(blob.hash, count: content.count) == content)
  }

  @Test func `an erasure reaches the other replica, and no session brings the bytes back`() throws {
    let (world, one, two, blob) = try shared()
    defer { world.remove() }
    try two.store.erase(blob.hash)
    world.run(for: .seconds(30))
    for replica in [one, two] {
      #expect(try !replica.store.blobs.contains(blob.hash))
      #expect(!replica.disk.paths.contains(replica.store.blobs.path(of: blob.hash)))
      #expect(try replica.store.fetch(Query<File>(in: world.space)).map(\.bytes) == [blob])
    }
    // A third that had the bytes, and knows nothing of it, joins.
    let third = try world.makeReplica("third")
    try third.store.blobs.add(content)
    try third.store.write(in: world.space) { try $0.create(File.self) { $0.bytes = blob } }
    world.connect(third, to: one)
    world.run(for: .seconds(60))
    for replica in [one, two, third] {
      #expect(try !replica.store.blobs.contains(blob.hash))
      #expect(try replica.store.digest(of: world.space) == one.store.digest(of: world.space))
    }
  }
}
