import FoundationEssentials
import ReunionCore
import Testing

@testable import ReunionStore

/// Issuing anew with everything in play that a store can hold: several spaces, deletes, conflicts,
/// blobs, annotations, collections and what no model here knows, own and others'.
@Suite struct ReissueTests {
  let folders = [Folder(), Folder(), Folder()]

  /// Merges changes of the store's own site, as its earlier writes may have been.
  private func write(
    _ count: Int, at store: Store, in space: SpaceID, _ random: inout Seeded
  ) throws {
    let ids = try store.allChanges(in: space).map { ($0.entity, $0.record) }
    var changes: [Change] = []
    var seq = try store.vector(of: space)[store.site]
    for _ in 0..<count {
      seq += 1
      let (entity, id) = ids.randomElement(using: &random) ?? (3, store.newID())
      let blob = BlobReference(hash: BlobHash(of: [UInt8(seq & 7)]), byteCount: 1)
      let cell = RandomStore.cell(Dot(site: store.site, seq: seq), [blob], &random)
      changes.append(Change(entity: entity, record: id, cell: cell))
    }
    try store.commit { (writer, records) throws(StoreError) in
      let old = try writer.space(space, records)
      var new = old
      var merge = Merge(
        records: records, space: old.number, held: old.vector, sender: .nobody(records),
        isLeaf: false, bugs: [])
      try merge.run(changes, arrival: &new.arrival)
      new.vector.raise(store.site, to: seq)
      try records.write(&new, over: old, store.mark(writer.clock.last, in: space))
      writer.spaces[space] = new
      return ((), nil)
    }
  }

  private func exchange(_ one: Store, _ two: Store) throws {
    for space in RandomStore.spaces {
      var exchange = Exchange(one, two, in: space)
      _ = try exchange.run()
    }
  }

  /// The cells that one of two stores has and the other has not.
  private func differences(
    _ one: Store, _ two: Store, in space: SpaceID
  ) throws -> [String] {
    let cells = try (Set(one.allChanges(in: space)), Set(two.allChanges(in: space)))
    return cells.0.symmetricDifference(cells.1).map { change in
      let cell = change.cell
      return "\(cells.0.contains(change) ? "one" : "two") \(change.entity) \(change.record)"
        + " field \(cell.field) merge \(cell.merge.rawValue) \(cell.dot) \(cell.stamp.rawValue)"
        + " \(cell.value.kind.rawValue) \(cell.value.bytes)"
    }.sorted()
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `a rolled-back store and its peers end equal, whatever they hold`(seed: UInt64) throws {
    var random = Seeded(state: seed)
    var store = try RandomStore.make(in: folders[0], &random)
    let (clone, phone) = (try folders[1].open(), try folders[2].open())
    func rounds() throws {
      for _ in 0..<2 {
        try exchange(store, clone)
        try exchange(store, phone)
      }
    }
    for space in RandomStore.spaces { try write(80, at: store, in: space, &random) }
    try rounds()
    try store.close()
    let snapshot = try folders[0].snapshot()
    store = try folders[0].open()
    for space in RandomStore.spaces { try write(40, at: store, in: space, &random) }
    try phone.write(in: space) { try $0.create(Photo.self) { $0.caption = "by the phone" } }
    try rounds()
    try store.close()
    try folders[0].rollBack(to: snapshot)
    store = try folders[0].open()
    let site = store.site
    for space in RandomStore.spaces { try write(25, at: store, in: space, &random) }
    try store.annotate(in: space) { transaction in
      for photo in try transaction.fetch(Query<Photo>(in: space)) {
        try transaction.set(\Photo.width, of: photo.id, to: 640)
      }
    }
    try rounds()
    #expect(store.site != site)
    try rounds()
    for space in RandomStore.spaces {
      for peer in [clone, phone] {
        let found = try differences(store, peer, in: space)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
      }
      let digest = try store.digest(of: space)
      #expect(try clone.digest(of: space) == digest)
      #expect(try phone.digest(of: space) == digest)
      // What is said about it can be read by everyone.
      for change in try store.allChanges(in: space) {
        _ = try Message(decoding: Message.changes([change]).encoded())
      }
    }
    let captions = try store.fetch(Query<Photo>(in: space)).map(\.caption)
    #expect(captions.contains("by the phone"))
  }

  @Test func `a removed item that is named again keeps its place among the new numbers`() throws {
    let store = try folders[0].open()
    let id = store.newID()
    try store.write(in: space) { try $0.create(Photo(id: id)) }
    let own = try store.vector(of: space)[store.site]
    let gone = Dot(site: store.site, seq: own + 1)
    let cell = Cell(
      field: 22, merge: .itemRemoval, dot: Dot(site: store.site, seq: own + 2),
      stamp: Stamp(milliseconds: 9), value: Cell.itemRemovalValue(of: gone))
    try store.commit { (writer, records) throws(StoreError) in
      let old = try writer.space(space, records)
      var new = old
      var merge = Merge(
        records: records, space: old.number, held: old.vector, sender: .nobody(records),
        isLeaf: false, bugs: [])
      try merge.run([Change(entity: 3, record: id, cell: cell)], arrival: &new.arrival)
      new.vector.raise(store.site, to: own + 2)
      try records.write(&new, over: old, store.mark(writer.clock.last, in: space))
      writer.spaces[space] = new
      return ((), nil)
    }
    try store.mintIncarnation(
      after: store.site, keeping: own, in: space, found: Site(device: 1, incarnation: 1))
    let state = try #require(try store.record(entity: 3, id, in: space))
    let removal = try #require(state.cells.first { $0.merge == .itemRemoval })
    let named = try #require(removal.namedItem)
    #expect(named.site == store.site && named.seq > 0 && named.seq < removal.dot.seq)
    for change in try store.allChanges() {
      _ = try Message(decoding: Message.changes([change]).encoded())
    }
  }

  private struct Bag: Entity {
    let id: RecordID
    var tags: Set<String> = []
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Bag>(9, "bag", [.field(1, "tags", \.tags)])
  }

  @Test func `elements that two histories added to a set under one number are all there`() throws {
    func open(_ folder: Folder) throws -> Store { try folder.open(Model(Bag.schema)) }
    func insert(_ tags: String..., at store: Store) throws {
      for tag in tags {
        try store.write(in: space) { try $0.insert(tag, into: \Bag.tags, of: id) }
      }
    }
    func exchange(_ one: Store, _ two: Store) throws {
      for _ in 0..<2 {
        var exchange = Exchange(one, two)
        _ = try exchange.run()
      }
    }
    let id = RecordID(high: 1, low: 9)
    var store = try open(folders[0])
    let (clone, phone) = (try open(folders[1]), try open(folders[2]))
    try store.write(in: space) { try $0.create(Bag(id: id)) }
    try insert("kept", at: store)
    try exchange(store, clone)
    try store.close()
    let snapshot = try folders[0].snapshot()
    store = try open(folders[0])
    try insert("lost", at: store)
    try exchange(store, clone)
    try store.close()
    try folders[0].rollBack(to: snapshot)
    store = try open(folders[0])
    // Under the number of "lost", and what was there already under one more.
    try insert("new", "kept", at: store)
    try exchange(store, clone)
    try exchange(clone, phone)
    try exchange(store, phone)
    for each in [store, clone, phone] {
      #expect(try each.fetch(Bag.self, id, in: space)?.tags == ["kept", "lost", "new"])
      #expect(try each.digest(of: space) == store.digest(of: space))
    }
    try store.write(in: space) { try $0.remove("kept", from: \Bag.tags, of: id) }
    try exchange(store, clone)
    #expect(try clone.fetch(Bag.self, id, in: space)?.tags == ["lost", "new"])
  }

  /// A site that is given up goes to every peer anew, above its floor (docs/protocol.md 2.14).
  @Test func `what was lost and what is new under one number reach everybody`() throws {
    try triangle(bugs: []) { held in #expect(Set(held) == [["kept", "lost", "more", "new"]]) }
  }

  @Test func `a site that is given up unsaid leaves them different (negative control)`() throws {
    try triangle(bugs: [.retirementUnsaid]) { #expect(Set($0).count > 1) }
  }

  /// One peer holds what was lost, another what was written in its place.
  private func triangle(
    bugs: SeededBugs, _ check: ([[String]]) throws -> Void
  ) throws {
    let (one, two) = (try folders[1].open(), try folders[2].open())
    func open() throws -> Store { try folders[0].open { $0.seededBugs = bugs } }
    func create(_ captions: String...) throws {
      for caption in captions {
        try store.write(in: space) { try $0.create(Photo.self) { $0.caption = caption } }
      }
    }
    func meet(_ peer: Store) throws {
      var exchange = Exchange(store, peer)
      _ = try exchange.run()
    }
    var store = try open()
    try create("kept")
    for peer in [one, two] { try meet(peer) }
    try store.close()
    let snapshot = try folders[0].snapshot()
    store = try open()
    try create("lost", "more")
    try meet(one)
    try store.close()
    try folders[0].rollBack(to: snapshot)
    store = try open()
    try create("new")
    try meet(two)
    for _ in 0..<2 { for peer in [one, two] { try meet(peer) } }
    try check(
      try [store, one, two].map { try $0.fetch(Query<Photo>(in: space)).map(\.caption).sorted() })
    guard bugs.isEmpty else { return }
    #expect(try store.digest(of: space) == one.digest(of: space))
    #expect(try store.digest(of: space) == two.digest(of: space))
  }

  @Test func `what a peer only claims to hold of this store is issued anew all the same`() throws {
    try claimStory(bugs: []) { #expect($0 == $1) }
  }

  @Test func `a claim that counts as proof loses it (negative control)`() throws {
    try claimStory(bugs: [.claimTakenAsProof]) { #expect($0 != $1) }
  }

  /// A peer holds changes of a lost history, and claims them before the store knows that it went back.
  private func claimStory(
    bugs: SeededBugs, _ check: ([String], [String]) throws -> Void
  ) throws {
    let peer = try folders[1].open()
    var store = try folders[0].open { $0.seededBugs = bugs }
    func create(_ caption: String) throws {
      try store.write(in: space) { try $0.create(Photo.self) { $0.caption = caption } }
    }
    try create("kept")
    try store.close()
    let snapshot = try folders[0].snapshot()
    store = try folders[0].open { $0.seededBugs = bugs }
    try create("lost")
    try peer.pull(from: store)
    try store.close()
    try folders[0].rollBack(to: snapshot)
    store = try folders[0].open { $0.seededBugs = bugs }
    try create("new")
    try create("newer")
    // The peer's push says what it holds of the store, and breaks off before the store's own.
    try store.pull(from: peer, lacking: VersionVector())
    let position = try peer.position(of: store.site, in: space)
    guard case .rolledBack(let kept) = try store.resume(from: position, in: space) else {
      return #expect(Bool(false), "the roll-back was not found")
    }
    try store.mintIncarnation(
      after: store.site, keeping: kept, in: space, found: peer.site)
    var exchange = Exchange(store, peer)
    _ = try exchange.run()
    try check(
      try peer.fetch(Query<Photo>(in: space)).map(\.caption).sorted(),
      ["kept", "lost", "new", "newer"])
  }
}

extension Merge.Sender {
  /// Somebody who holds nothing.
  fileprivate static func nobody(_ records: RecordWriter) -> Merge.Sender {
    Merge.Sender(
      told: VersionVector(), past: PastVector(records.reader, space: 0, at: 0, Rises(), []),
      device: nil,
      cacheOf: nil)
  }
}
