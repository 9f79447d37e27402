import ReunionCore
import Testing

@testable import ReunionStore

/// Positions: where a push goes on, and how a store finds that it went back (guarantee 4;
/// docs/protocol.md 2.1).
@Suite struct PositionTests {
  let folders = [Folder(), Folder(), Folder()]

  private func create(_ count: Int, at store: Store, _ caption: String = "photo") throws {
    for _ in 0..<count {
      try store.write(in: space) { try $0.create(Photo.self) { $0.caption = caption } }
    }
  }

  /// The position that a store tells now.
  private func position(of store: Store, in space: SpaceID = space) throws -> [UInt8] {
    let sending = Conversation.Reading(
      after: try store.arrival(of: space), vectorAfter: 0, held: VersionVector())
    return try #require(try store.window(in: space, sending, bytesMax: 1).end).position
  }

  private func captions(_ store: Store) throws -> [String] {
    try store.fetch(Query<Photo>(in: space)).map(\.caption).sorted()
  }

  @Test func `a push goes on where the one before has ended`() throws {
    let store = try folders[0].open()
    try create(3, at: store)
    let position = try position(of: store)
    #expect(position.count <= Pull.positionBytesMax)
    let own = try store.vector(of: space)[store.site]
    let arrival = try store.arrival(of: space)
    #expect(try store.resume(from: position, in: space) == .at(cursor: arrival, ownSeq: own))
    try create(5, at: store)
    #expect(try store.resume(from: position, in: space) == .at(cursor: arrival, ownSeq: own))
    try store.close()
    let again = try folders[0].open()
    #expect(try again.resume(from: position, in: space) == .at(cursor: arrival, ownSeq: own))
    // A peer that compares everything gives it back as a proof alone.
    let proof = PeerPosition.presented(PeerPosition.proof(PeerPosition.proof(position)))
    #expect(proof.count == position.count)
    #expect(try again.resume(from: proof, in: space) == .at(cursor: 0, ownSeq: 0))
    // One of a browser may begin with any byte.
    let other = [0] + [UInt8](repeating: 7, count: 63)
    #expect(PeerPosition.presented(other) == other && PeerPosition.proof([]).isEmpty)
    #expect(PeerPosition.presented(PeerPosition.proof(other)) == other.dropLast() + [~7])
  }

  @Test func `a position that is not this store's counts as none`() throws {
    let (store, other) = (try folders[0].open(), try folders[1].open())
    try create(3, at: store)
    try create(3, at: other)
    let position = try position(of: store)
    let nowhere = Conversation.Resumption.at(cursor: 0, ownSeq: 0)
    #expect(try store.resume(from: [], in: space) == nowhere)
    #expect(try other.resume(from: position, in: space) == nowhere)
    #expect(try store.resume(from: position, in: SpaceID(high: 1, low: 1)) == nowhere)
    for index in position.indices {
      var forged = position
      forged[index] ^= 1
      #expect(try store.resume(from: forged, in: space) == nowhere)
      #expect(try store.resume(from: Array(position.prefix(index)), in: space) == nowhere)
    }
  }

  @Test(arguments: [0, 1, 2, 7])
  func `a store that went back finds it, whatever it wrote since`(written: Int) throws {
    var store = try folders[0].open()
    try create(70, at: store, "kept")
    try store.close()
    let snapshot = try folders[0].snapshot()
    store = try folders[0].open()
    try create(2, at: store, "lost")
    let position = try position(of: store)
    try store.close()
    try folders[0].rollBack(to: snapshot)
    store = try folders[0].open()
    try create(written, at: store, "new")
    let own = try #require(try store.fetch(Query<Photo>(in: space)).first)
    #expect(own.caption == "kept")
    guard case .rolledBack(let ownSeq) = try store.resume(from: position, in: space) else {
      return #expect(Bool(false), "the position of a lost history was taken for one of this")
    }
    let proof = PeerPosition.presented(PeerPosition.proof(position))
    #expect(try store.resume(from: proof, in: space) == .rolledBack(ownSeq: ownSeq))
    // What both have is 70 commits; the position names the 68th.
    #expect(ownSeq == 68 * 13)
    // Under a new incarnation it is no news any more, and with it everything is compared.
    try store.mintIncarnation(
      after: store.site, keeping: ownSeq, in: space, found: Site(device: 1, incarnation: 1))
    #expect(try store.resume(from: position, in: space) == .at(cursor: 0, ownSeq: 0))
  }

  @Test func `a server that had only relayed what it lost sends its peers what is new`() throws {
    try relayStory(bugs: []) { captions in
      #expect(captions.clone == captions.server)
      #expect(captions.clone.count == 9)
    }
  }

  @Test func `with positions unchecked the peers lack it (negative control)`() throws {
    try relayStory(bugs: [.positionUnchecked]) { captions in
      #expect(captions.clone.count < 9)
    }
  }

  /// A server that relays a phone's photos goes back, and relays others under the same numbers.
  private func relayStory(
    bugs: SeededBugs, _ check: ((server: [String], clone: [String])) throws -> Void
  ) throws {
    let (phone, clone) = (try folders[1].open(), try folders[2].open())
    func open() throws -> Store { try folders[0].open { $0.seededBugs = bugs } }
    func exchange(_ one: Store, _ two: Store) throws {
      var exchange = Exchange(one, two)
      _ = try exchange.run()
    }
    var server = try open()
    try create(3, at: phone, "early")
    try exchange(phone, server)
    try exchange(clone, server)
    try server.close()
    let snapshot = try folders[0].snapshot()
    server = try open()
    try create(3, at: phone, "lost")
    try exchange(phone, server)
    try exchange(clone, server)
    try server.close()
    try folders[0].rollBack(to: snapshot)
    server = try open()
    // Somebody else writes through the server before the clone and the phone are back.
    let folder = Folder()
    let other = try folder.open()
    try create(3, at: other, "late")
    try exchange(other, server)
    try exchange(clone, server)
    try exchange(phone, server)
    try exchange(clone, server)
    try check((try captions(server), try captions(clone)))
  }

  @Test func `an old position is compared from the last mark that is kept`() throws {
    let store = try folders[0].open()
    let id = store.newID()
    try store.write(in: space) { try $0.create(Photo(id: id)) }
    func rise(to arrival: UInt64) throws {
      while try store.arrival(of: space) < arrival {
        try store.write(in: space) { transaction in
          // Several arrivals a commit, so that marks fall within one.
          for _ in 0..<7 { try transaction.create(Heart.self) { _ in } }
        }
      }
    }
    try rise(to: 4000)
    let early = try position(of: store)
    try rise(to: 5000)
    let late = try position(of: store)
    let lateArrival = try store.arrival(of: space)
    try rise(to: 8000)
    guard case .at(lateArrival, _) = try store.resume(from: late, in: space) else {
      return #expect(Bool(false), "a position of the last two blocks is known exactly")
    }
    try rise(to: 21_000)
    guard case .at(let cursor, let ownSeq) = try store.resume(from: late, in: space) else {
      return #expect(Bool(false), "an old position is no rollback")
    }
    #expect(cursor > 4000 && cursor <= 4096 && ownSeq ?? 0 > 0)
    #expect(try store.resume(from: early, in: space) == .at(cursor: 0, ownSeq: 0))
    let rows = try store.read { (reader) throws(StoreError) in
      try reader.connection.number("SELECT count(*) FROM reunion_tag") ?? 0
    }
    #expect(rows <= 128 + 21_000 / 4096 + 1)
  }

  @Test func `every rise of the vector is an arrival, and is told once`() throws {
    let (store, peer) = (try folders[0].open(), try folders[1].open())
    try create(1, at: store)
    let before = try store.arrival(of: space)
    let site = Site(device: 8, incarnation: 8)
    var vector = VersionVector()
    vector.raise(site, to: 5)
    try store.take([], vector, from: site)
    #expect(try store.arrival(of: space) == before + 1)
    try store.take([], vector, from: site)
    #expect(try store.arrival(of: space) == before + 1)
    func raised(after arrival: UInt64) throws -> [Site] {
      let sending = Conversation.Reading(after: arrival, vectorAfter: arrival)
      let window = try store.window(in: space, sending, bytesMax: 1 << 20)
      return try #require(window.end).raised.map(\.site)
    }
    #expect(try Set(raised(after: 0)) == [store.site, site])
    #expect(try raised(after: before) == [site])
    #expect(try raised(after: before + 1) == [])
    try create(1, at: store)
    #expect(try raised(after: before + 1) == [store.site])
    try create(1, at: peer)
    try store.pull(from: peer)
    #expect(try raised(after: before + 2) == [peer.site])
    try create(1, at: store)
    #expect(try Set(raised(after: before + 2)) == [peer.site, store.site])
  }
}
