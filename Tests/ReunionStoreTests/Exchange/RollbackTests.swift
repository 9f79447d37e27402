import FoundationEssentials
import ReunionCore
import Testing

@testable import ReunionStore

/// A store that finds out late that it was rolled back: it has used numbers again that its peer
/// holds (guarantee 4). It issues them anew (docs/protocol.md 2.4).
@Suite struct RollbackTests {
  let folders = [Folder(), Folder()]

  /// A store and its peer, equal until the store is rolled back; then both go on, and it is found.
  private func story(
    bugs: SeededBugs = [], before: (Store) throws -> Void = { _ in },
    lost: (Store) throws -> Void, after: (Store) throws -> Void,
    atPeer: (Store) throws -> Void = { _ in }
  ) throws -> (store: Store, peer: Store) {
    let peer = try folders[1].open()
    var store = try folders[0].open { $0.seededBugs = bugs }
    let site = store.site
    try before(store)
    try peer.pull(from: store)
    try store.pull(from: peer)
    try store.close()
    let snapshot = try folders[0].snapshot()
    store = try folders[0].open { $0.seededBugs = bugs }
    try lost(store)
    try peer.pull(from: store)
    try store.close()
    try folders[0].rollBack(to: snapshot)
    store = try folders[0].open { $0.seededBugs = bugs }
    try #require(store.site == site, "the roll-back showed on the disk")
    try after(store)
    try atPeer(peer)
    try #require(try peer.vector(of: space)[site] > store.vector(of: space)[site])
    // What the peer gives back tells how far both have the same history.
    let position = try peer.position(of: site, in: space)
    let kept =
      switch try store.resume(from: position, in: space) {
      case .rolledBack(let ownSeq): ownSeq
      case .at(_, let ownSeq): ownSeq ?? 0
      case .incomparable, .behind: UInt64(0)
      }
    try store.mintIncarnation(after: site, keeping: kept, in: space, found: peer.site)
    for _ in 0..<2 {
      try peer.pull(from: store)
      try store.pull(from: peer)
    }
    return (store, peer)
  }

  private func captions(_ store: Store) throws -> [String] {
    try store.fetch(Query<Photo>(in: space)).map(\.caption).sorted()
  }

  private func create(_ captions: String..., at store: Store) throws {
    for caption in captions {
      try store.write(in: space) { try $0.create(Photo.self) { $0.caption = caption } }
    }
  }

  @Test func `both what was lost in the rollback and what was written after it are there`() throws {
    let (store, peer) = try story(
      before: { try create("old", at: $0) }, lost: { try create("lost", "more", at: $0) },
      after: { try create("new", at: $0) })
    #expect(try captions(peer) == ["lost", "more", "new", "old"])
    #expect(try captions(store) == captions(peer))
    #expect(try store.digest(of: space) == peer.digest(of: space))
    #expect(try store.vector(of: space) == peer.vector(of: space))
  }

  @Test func `without issuing anew, what was written after it is lost (negative control)`() throws {
    let (store, peer) = try story(
      bugs: [.rolledBackWritesStay], before: { try create("old", at: $0) },
      lost: { try create("lost", "more", at: $0) }, after: { try create("new", at: $0) })
    #expect(try !captions(peer).contains("new"))
    #expect(try !captions(store).contains("lost"))
  }

  @Test func `a delete names what it saw by the new numbers, and nothing of the old ones`() throws {
    let (kept, gone) = (RecordID(high: 5, low: 1), RecordID(high: 5, low: 2))
    let (store, peer) = try story(
      before: { store in
        try store.write(in: space) { transaction in
          for id in [kept, gone] { try transaction.create(Photo(id: id)) }
        }
      },
      lost: { store in
        // Edits of what is deleted below, which its delete has not seen, although its own
        // numbers are as high.
        try store.write(in: space) { try $0.set(\Photo.caption, of: kept, to: "lost") }
      },
      after: { store in
        try store.write(in: space) { try $0.set(\Photo.width, of: gone, to: 7) }
        try store.write(in: space) { try $0.set(\Photo.width, of: kept, to: 7) }
        try store.write(in: space) { transaction in
          for id in [kept, gone] { try transaction.delete(Photo.self, id) }
        }
      },
      atPeer: { peer in
        // So that the peer holds more of the site than it wrote after the rollback.
        var end = VersionVector()
        for dot in try peer.vector(of: space).entries { end.raise(dot.site, to: dot.seq + 10) }
        let site = try #require(end.entries.first { $0.site != peer.site }?.site)
        let position = try peer.position(of: site, in: space)
        try peer.take([], end, from: site, position: position)
      })
    for each in [store, peer] {
      let photos = try each.fetch(Query<Photo>(in: space))
      #expect(photos.map(\.id) == [kept])
      #expect(photos.first?.caption == "lost")
      #expect(photos.first?.width == 7)
    }
    #expect(try store.digest(of: space) == peer.digest(of: space))
  }

  @Test func `what the peer deleted meanwhile stays deleted: it held that, and said so`() throws {
    let id = RecordID(high: 5, low: 1)
    let (store, peer) = try story(
      before: { store in try store.write(in: space) { try $0.create(Photo(id: id)) } },
      lost: { try create("lost", "more", at: $0) }, after: { try create("new", at: $0) },
      atPeer: { peer in try peer.write(in: space) { try $0.delete(Photo.self, id) } })
    #expect(try captions(peer) == ["lost", "more", "new"])
    #expect(try store.digest(of: space) == peer.digest(of: space))
  }

  @Test func `two values under one number of the same field: one stands, the other is kept`() throws
  {
    let id = RecordID(high: 5, low: 1)
    let (store, peer) = try story(
      before: { store in try store.write(in: space) { try $0.create(Photo(id: id)) } },
      lost: { store in
        try store.write(in: space) { try $0.set(\Photo.caption, of: id, to: "lost") }
        try create("more", at: store)
      },
      after: { store in
        try store.write(in: space) { try $0.set(\Photo.caption, of: id, to: "new") }
      })
    for each in [store, peer] {
      #expect(try each.fetch(Photo.self, id, in: space)?.caption == "new")
    }
    // Where the two met.
    #expect(try peer.conflicts(entity: 3, id, in: space).compactMap(\.value.text) == ["lost"])
  }

  @Test func `a session that had said hello under an earlier site mints nothing`() throws {
    let store = try folders[0].open()
    try create("one", at: store)
    let site = store.site
    try store.mintIncarnation(after: site, keeping: nil, found: Site(device: 1, incarnation: 1))
    let minted = store.site
    try store.mintIncarnation(after: site, keeping: nil, found: Site(device: 1, incarnation: 1))
    #expect(store.site == minted)
  }
}
