import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct WindowTests {
  let folders = [Folder(), Folder()]

  private let all = Conversation.Reading(after: 0)

  /// The end comes from the transaction in which nothing was left (docs/protocol.md 2.5).
  @Test func `a push is read in windows, and no record is split`() throws {
    let store = try folders[0].open()
    for _ in 0..<40 {
      try store.write(in: space) { transaction in
        for _ in 0..<5 { try transaction.create(Photo.self) { $0.bytes = [1, 2, 3] } }
      }
    }
    var sending = all
    var records: Set<RecordID> = []
    var windowCount = 0
    while true {
      let window = try store.window(in: space, sending, bytesMax: 4096)
      windowCount += 1
      #expect(window.changes.count < 100)
      let found = Set(window.changes.map(\.record))
      #expect(found.isDisjoint(with: records))
      records.formUnion(found)
      sending.after = window.cursor
      if window.end != nil { break }
      // What is written between two windows comes with a later one.
      if windowCount == 3 { try store.write(in: space) { try $0.create(Photo.self) { _ in } } }
    }
    #expect(records.count == 201)
    #expect(windowCount > 20)
    #expect(try store.window(in: space, sending, bytesMax: 4096).changes.isEmpty)
  }

  /// What rose since is told, in whichever order sites took the place of the one that rose last
  /// (docs/protocol.md 2.5).
  @Test func `an entry of the vector that rose beside another is told`() throws {
    let store = try folders[0].open()
    let sites = (1...3 as ClosedRange<UInt64>).map { Site(device: $0, incarnation: 7) }
    var told: UInt64 = 0
    for (number, entries) in [[(0, 1)], [(0, 2), (1, 1)], [(2, 1)]].enumerated() {
      var raised = VersionVector()
      for (index, seq) in entries { raised.raise(sites[index], to: UInt64(seq)) }
      let push = IncomingPush(
        peer: sites[0], helloSeq: 9, changes: [], raised: raised, vector: raised, position: [])
      _ = try store.apply(push, in: space, authority: .all)
      if number == 0 { told = try store.arrival(of: space) }
    }
    let reading = Conversation.Reading(after: told, vectorAfter: told)
    let end = try #require(try store.window(in: space, reading, bytesMax: 4096).end)
    #expect(Set(end.raised) == Set(zip(sites, [2, 1, 1]).map { Dot(site: $0, seq: $1) }))
  }

  /// docs/protocol.md 2.8.
  @Test func `a leaf sends what its own device wrote, and speaks for it alone`() throws {
    let (store, peer) = (try folders[0].open(), try folders[1].open())
    try store.write(in: space) { try $0.create(Photo.self) { _ in } }
    try peer.write(in: space) { try $0.create(Photo.self) { _ in } }
    try store.pull(from: peer)
    let window = try store.window(
      in: space, all, ofDevice: store.site.device, bytesMax: 1 << 20)
    #expect(Set(window.changes.map(\.cell.dot.site)) == [store.site])
    #expect(window.end?.raised.map(\.site) == [store.site])
  }

  /// What a leaf gets of deleted records (docs/protocol.md 2.8).
  @Test func `a leaf gets a deleted record without values, and all of one that came back`() throws {
    let store = try folders[0].open()
    let photo = try store.write(in: space) { try $0.create(Photo.self) { $0.caption = "the sea" } }
    try store.write(in: space) { try $0.delete(Photo.self, photo.id) }
    let whole = try store.window(in: space, all, bytesMax: 1 << 20).changes
    let changes = try store.window(in: space, all, toLeaf: 7, bytesMax: 1 << 20).changes
    #expect(whole.contains { $0.cell.value.text == "the sea" })
    #expect(changes.map(\.cell.dot) == whole.map(\.cell.dot))
    #expect(changes.allSatisfy { !$0.cell.merge.isRegister || $0.cell.value == .null })
    // What the leaf's own device wrote it may have to bring back.
    let own = store.site.device
    #expect(try store.window(in: space, all, toLeaf: own, bytesMax: 1 << 20).changes == whole)

    let leaf = try folders[1].open()
    try leaf.take(changes, try store.vector(of: space), from: store.site)
    #expect(try leaf.digest(of: space) == store.digest(of: space))
    let arrival = try store.arrival(of: space)
    try store.write(in: space) { try $0.set(\Photo.width, of: photo.id, to: 5) }
    let later = Conversation.Reading(
      after: arrival, vectorAfter: arrival, held: try leaf.vector(of: space))
    let back = try store.window(in: space, later, toLeaf: 7, bytesMax: 1 << 20)
    try leaf.take(back.changes, try store.vector(of: space), from: store.site)
    #expect(try leaf.fetch(Photo.self, photo.id, in: space)?.caption == "the sea")
    #expect(try leaf.conflicts(in: space).isEmpty)
  }

  @Test func `own changes that were not proved to be there go again, whatever is claimed`() throws {
    let store = try folders[0].open()
    try store.write(in: space) { try $0.create(Photo.self) { _ in } }
    let own = try store.vector(of: space)[store.site]
    var claimed = VersionVector()
    claimed.raise(store.site, to: own + 1000)
    var sending = Conversation.Reading(after: 0, vectorAfter: 0, held: claimed)
    #expect(try store.window(in: space, sending, bytesMax: 1 << 20).changes.isEmpty)
    sending.ownSeq = 3
    let changes = try store.window(in: space, sending, bytesMax: 1 << 20).changes
    #expect(changes.map(\.cell.dot.seq).sorted() == Array(4...own))
  }

  @Test func `in a space of ten thousand sites a push names those that rose`() throws {
    let store = try folders[0].open()
    let peer = Site(device: 1, incarnation: 1)
    var vector = VersionVector()
    for number in 0..<10_000 {
      vector.raise(Site(device: UInt64(number) << 8, incarnation: 1), to: 3)
    }
    try store.take([], vector, from: peer)
    let arrival = try store.arrival(of: space)
    try store.write(in: space) { try $0.create(Photo.self) { _ in } }
    let sending = Conversation.Reading(after: arrival, vectorAfter: arrival, held: VersionVector())
    let end = try #require(try store.window(in: space, sending, bytesMax: 1 << 20).end)
    #expect(end.raised.map(\.site) == [store.site])
    #expect(end.position.count <= 64)
  }
}
