import ReunionCore
import Testing

@testable import ReunionStore

/// What was deleted goes for good, and who may lack such a delete is found (docs/protocol.md 2.25).
@Suite struct HorizonTests {
  private let folders = [Folder(), Folder()]

  private func photo(_ caption: String, at store: Store) throws -> RecordID {
    try store.write(in: space) { try $0.create(Photo.self) { $0.caption = caption } }.id
  }

  private func delete(_ id: RecordID, at store: Store) throws {
    try store.write(in: space) { try $0.delete(Photo.self, id) }
  }

  private func state(_ id: RecordID, at store: Store) throws -> RecordState? {
    try store.record(entity: Photo.schema.number, id, in: space)
  }

  private func captions(_ store: Store) throws -> [String] {
    try store.fetch(Query<Photo>(in: space)).map(\.caption).sorted()
  }

  /// What a peer is worth that holds what another store does.
  private func judge(
    _ store: Store, _ peer: Store, isBeyond: Bool = false
  ) throws -> Conversation.Resumption? {
    try store.isBehind(
      peer.position(of: store.site, in: space), peer.vector(of: space), isBeyond: isBeyond,
      in: space)
  }

  @Test func `what is deleted at or below the horizon goes, and nothing else`() throws {
    let store = try folders[0].open()
    let (old, kept) = (try photo("old", at: store), try photo("kept", at: store))
    try delete(old, at: store)
    let arrival = try store.arrival(of: space)
    let late = try photo("late", at: store)
    try delete(late, at: store)
    try store.raiseHorizon(of: space, to: arrival)
    #expect(try state(old, at: store) == nil)
    #expect(try state(kept, at: store) != nil)
    #expect(try state(late, at: store)?.isDeleted == true)
    #expect(try store.horizon(of: space) == arrival)
    // It never comes down, and stands through a restart.
    try store.raiseHorizon(of: space, to: 1)
    try store.close()
    let again = try folders[0].open()
    #expect(try again.horizon(of: space) == arrival)
    #expect(try captions(again) == ["kept"])
  }

  @Test func `five thousand deletes leave no page behind`() throws {
    let store = try folders[0].open()
    _ = try photo("kept", at: store)
    try store.close()
    let pages = { (store: Store) throws -> Int64 in
      try store.read { (reader) throws(StoreError) in
        (try reader.connection.number("PRAGMA page_count") ?? 0)
          - (try reader.connection.number("PRAGMA freelist_count") ?? 0)
      }
    }
    let open = try folders[0].open()
    let before = try pages(open)
    for _ in 0..<10 {
      let ids = try open.write(in: space) { transaction in
        try (0..<500).map { number in
          try transaction.create(Photo.self) { $0.caption = "photo \(number)" }.id
        }
      }
      try open.write(in: space) { transaction in
        for id in ids { try transaction.delete(Photo.self, id) }
      }
    }
    #expect(try pages(open) > before * 2)
    try open.raiseHorizon(of: space, to: open.arrival(of: space))
    try open.close()
    let swept = try folders[0].open()
    #expect(try pages(swept) <= before + before / 10 + 2)
  }

  @Test func `whoever may lack a delete is behind, and nobody else`() throws {
    let (server, phone) = (try folders[0].open(), try folders[1].open())
    let id = try photo("old", at: server)
    try phone.pull(from: server, in: space)
    #expect(try judge(server, phone) == nil)
    try delete(id, at: server)
    // Nothing is gone yet.
    #expect(try judge(server, phone) == nil)
    try server.raiseHorizon(of: space, to: server.arrival(of: space))
    #expect(try judge(server, phone) == .behind)
    #expect(try judge(server, phone, isBeyond: true) == .incomparable)
    // A peer that holds nothing known there lacks nothing.
    #expect(try server.isBehind([], VersionVector(), isBeyond: false, in: space) == nil)
    // One that counts its own alone has a position, and holds more than it says.
    let position = try phone.position(of: server.site, in: space)
    #expect(
      try server.isBehind(position, VersionVector(), isBeyond: false, in: space) == .behind)
    try phone.pull(from: server, in: space)
    #expect(try judge(server, phone) == nil)
    #expect(try captions(phone) == [])
  }

  @Test func `who comes back lets go what was deleted, and brings what is new`() throws {
    let (server, phone) = (try folders[0].open(), try folders[1].open())
    let (gone, edited) = (try photo("gone", at: server), try photo("edited", at: server))
    try phone.pull(from: server, in: space)
    for id in [gone, edited] { try delete(id, at: server) }
    try server.raiseHorizon(of: space, to: server.arrival(of: space))
    try phone.write(in: space) { transaction in
      try transaction.set(\Photo.caption, of: edited, to: "edited later")
      try transaction.create(Photo.self) { $0.caption = "new" }
    }
    try phone.exchange(with: server, in: space)
    for store in [server, phone] {
      #expect(try captions(store) == ["edited later", "new"])
      #expect(try state(gone, at: store) == nil)
      // It is whole, with what it was before, and its delete with it.
      #expect(try state(edited, at: store)?.creation != nil)
      #expect(try state(edited, at: store)?.cameBack == true)
    }
    #expect(try server.digest(of: space) == phone.digest(of: space))
    // What it let go others may hold that met it alone.
    #expect(try phone.horizon(of: space) > 0)
  }

  @Test func `two that were both away too long exchange nothing`() throws {
    let (one, two) = (try folders[0].open(), try folders[1].open())
    let id = try photo("shared", at: one)
    try two.pull(from: one, in: space)
    for store in [one, two] {
      _ = try photo("own", at: store)
      try delete(id, at: store)
      try store.raiseHorizon(of: space, to: store.arrival(of: space))
    }
    let error = #expect(throws: StoreError.self) { try one.exchange(with: two, in: space) }
    #expect(error?.code == .apart)
    #expect(try captions(one) == ["own"])
  }

  @Test(arguments: [false, true])
  func `a record that is made again where it was let go is the same everywhere`(
    isBugged: Bool
  ) throws {
    let (server, phone) = (
      try folders[0].open(),
      try folders[1].open { if isBugged { $0.seededBugs = [.oldRemainsStay] } }
    )
    let id = try photo("old", at: server)
    try phone.pull(from: server, in: space)
    try delete(id, at: server)
    try phone.pull(from: server, in: space)
    try server.raiseHorizon(of: space, to: server.arrival(of: space))
    try server.write(in: space) { transaction in
      var again = Photo(id: id)
      again.caption = "again"
      try transaction.create(again)
    }
    try phone.pull(from: server, in: space)
    #expect(try captions(phone) == ["again"])
    #expect((try state(id, at: phone) == state(id, at: server)) != isBugged)
  }

  @Test func `a creation that is issued anew takes no delete away`() throws {
    let (server, phone) = (try folders[0].open(), try folders[1].open())
    let id = try photo("old", at: server)
    try phone.pull(from: server, in: space)
    try delete(id, at: phone)
    // Its author was put back to before the delete, and has another incarnation now.
    let site = server.site(in: space)
    let anew = Site(device: site.device, incarnation: site.incarnation | 1 << 63)
    let cells = try #require(try state(id, at: server)).cells
    var vector = try phone.vector(of: space)
    vector.raise(anew, to: UInt64(cells.count))
    let changes = cells.enumerated().map { index, cell in
      var cell = cell
      cell.dot = Dot(site: anew, seq: UInt64(index + 1))
      return Change(entity: Photo.schema.number, record: id, cell: cell)
    }
    let push = IncomingPush(
      peer: anew, helloSeq: 0, changes: changes, raised: vector, vector: vector, position: [1])
    _ = try phone.apply(push, in: space, authority: .all)
    let held = try #require(try state(id, at: phone))
    #expect(held.cells.contains { $0.merge == .deletion && $0.dot.site == phone.site(in: space) })
  }

  @Test(arguments: [false, true])
  func `what may be under way to the peer is kept whole beside what comes of it`(
    isBugged: Bool
  ) throws {
    let (server, phone) = (
      try folders[0].open(),
      try folders[1].open { if isBugged { $0.seededBugs = [.underWayReplaced] } }
    )
    let id = try photo("old", at: server)
    try server.write(in: space) { try $0.set(\Photo.width, of: id, to: 7) }
    try phone.pull(from: server, in: space)
    try phone.write(in: space) { try $0.set(\Photo.caption, of: id, to: "meanwhile") }
    let cells = try #require(try state(id, at: server)).cells
    let width = try #require(cells.first { $0.value == .int(7) })
    // Somebody else brought the record back where its width was gone.
    var mark = try #require(cells.first { $0.merge == .creation })
    let other = Site(device: 55, incarnation: 1)
    (mark.merge, mark.dot) = (.deletion, Dot(site: other, seq: 1))
    mark.value = Cell.deletionValue(seen: VersionVector())
    var vector = try server.vector(of: space)
    vector.raise(other, to: 1)
    let changes = (cells.filter { $0 != width } + [mark]).map {
      Change(entity: Photo.schema.number, record: id, cell: $0)
    }
    var push = IncomingPush(
      peer: server.site, helloSeq: 0, changes: changes, raised: vector, vector: vector,
      position: [])
    push.whole = [RecordName(entity: Photo.schema.number, record: id)]
    _ = try phone.apply(push, in: space, authority: .all)
    let after = try #require(try state(id, at: phone))
    #expect(after.isAlive && after.cameBack)
    #expect(after.cells.contains(width) != isBugged)
    // It goes whole once more, by a delete of its own.
    let isMarked = after.cells.contains { $0.merge == .deletion && $0.dot.site == phone.site }
    #expect(isMarked != isBugged)
  }

  /// The delete that marks a record as back has a later number than the edit that brought it back.
  @Test func `a second mark takes no edit away that the first one left`() throws {
    let server = try folders[0].open()
    let cells = try #require(try state(photo("old", at: server), at: server)).cells
    var (edit, mark) = (try #require(cells.first { $0.merge == .register }), cells[0])
    let other = Site(device: 55, incarnation: 1)
    edit.dot = Dot(site: other, seq: 5)
    edit.stamp = Stamp(milliseconds: edit.stamp.milliseconds + 1)
    (mark.merge, mark.dot) = (.deletion, Dot(site: other, seq: 6))
    mark.value = Cell.deletionValue(seen: RecordState(cells).seen)
    let sight = [edit, mark].filter { $0.merge == .deletion }.sight
    #expect(!sight.covers(edit.dot))
    #expect(cells.allSatisfy { sight.covers($0.dot) })
  }

  @Test(arguments: [false, true])
  func `what a page brings back of a record that was let go goes whole from then on`(
    isBugged: Bool
  ) throws {
    let server = try folders[0].open { if isBugged { $0.seededBugs = [.begunNotMarked] } }
    let id = try photo("old", at: server)
    let cells = try #require(try state(id, at: server)).cells
    try delete(id, at: server)
    try server.raiseHorizon(of: space, to: server.arrival(of: space))
    let page = Site(device: 77, incarnation: 1)
    var edit = try #require(cells.first { $0.merge == .register })
    edit.dot = Dot(site: page, seq: 1)
    edit.stamp = Stamp(milliseconds: edit.stamp.milliseconds + 1)
    var vector = VersionVector()
    vector.raise(page, to: 1)
    let changes = (cells + [edit]).map {
      Change(entity: Photo.schema.number, record: id, cell: $0)
    }
    _ = try server.apply(
      IncomingPush(
        peer: page, isLeaf: true, helloSeq: 1, changes: changes, raised: vector, vector: vector,
        position: []), in: space, authority: .all)
    #expect(try state(id, at: server)?.isAlive == true)
    #expect(try state(id, at: server)?.cameBack != isBugged)
  }

  /// A push of a peer that holds all that arrived here up to a number, and ends at a number of its own.
  private func push(
    from peer: Store, to store: Store, cursor: UInt64, heldUpTo: UInt64
  ) throws {
    var push = IncomingPush(
      peer: peer.site, helloSeq: 0, changes: [], raised: VersionVector(),
      vector: VersionVector(), position: [1])
    push.heldUpTo = heldUpTo
    push.markedCursor = cursor
    _ = try store.apply(push, in: space, authority: .all)
  }

  @Test(arguments: [false, true])
  func `what stood at the peer by its horizon goes here, and nothing that came later`(
    isBugged: Bool
  ) throws {
    let (server, phone) = (
      try folders[0].open(),
      try folders[1].open { if isBugged { $0.seededBugs = [.followedBlindly] } }
    )
    let (early, late) = (try photo("early", at: phone), try photo("late", at: phone))
    try delete(early, at: phone)
    let held = try phone.arrival(of: space)
    try delete(late, at: phone)
    try push(from: server, to: phone, cursor: 9, heldUpTo: held)
    // A horizon below the mark says nothing.
    try phone.follow(server.site, to: 8, in: space)
    #expect(try phone.horizon(of: space) == 0)
    try phone.follow(server.site, to: 9, in: space)
    #expect(try state(early, at: phone) == nil)
    #expect((try state(late, at: phone) == nil) == isBugged)
    #expect(try phone.follows(server.site, in: space))
  }

  @Test func `another incarnation of a peer that is followed brings all anew`() throws {
    let (server, phone) = (try folders[0].open(), try folders[1].open())
    let id = try photo("early", at: phone)
    try delete(id, at: phone)
    try push(from: server, to: phone, cursor: 9, heldUpTo: try phone.arrival(of: space))
    try phone.follow(server.site, to: 9, in: space)
    #expect(try !phone.mustRelearn(from: server.site, in: space))
    let other = Site(device: server.site.device, incarnation: server.site.incarnation &+ 1)
    #expect(try phone.mustRelearn(from: other, in: space))
    try phone.relearn(from: other, in: space)
    // Nothing of what others wrote is claimed until then.
    #expect(
      try phone.vector(of: space).entries.allSatisfy { $0.site.device == phone.site.device })
    #expect(try phone.mustRelearn(from: other, in: space))
  }

  @Test func `a mark is made once a day, and there are never too many`() {
    var horizon = Horizon()
    let peer = Site(device: 1, incarnation: 1)
    #expect(horizon.isDue(at: 100, of: peer))
    for day in 0..<1000 as Range<UInt64> {
      horizon.add(
        Horizon.Mark(peer: peer, there: day, here: day, seconds: day * 86_400))
      #expect(horizon.marks.count <= Horizon.marksMax)
    }
    #expect(!horizon.isDue(at: 999 * 86_400 + 10, of: peer))
    #expect(horizon.isDue(at: 1000 * 86_400, of: peer))
    // A clock that went back makes one at once.
    #expect(horizon.isDue(at: 5, of: peer))
    #expect(horizon.marks.first?.there == 0)
    #expect(horizon.marks.map(\.there) == horizon.marks.map(\.there).sorted())
  }
}
