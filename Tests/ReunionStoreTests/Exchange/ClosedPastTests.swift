import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// When a store closes its past (decision 118).
@Suite struct ClosedPastTests {
  private let folder = Folder()
  private let now = Lock<UInt64>(1_790_000_000_000)
  private static let day: UInt64 = 86_400_000

  private func open(_ bugs: SeededBugs = []) throws -> Store {
    let now = now
    return try folder.open {
      $0.wallMilliseconds = { now.withLock { $0 } }
      $0.seededBugs = bugs
    }
  }

  /// Lets days pass, each with what a server does once in it. `stable` nil: all have everything.
  private func pass(days: Int, _ store: Store, stable: UInt64? = nil) throws {
    for _ in 0..<days {
      now.withLock { $0 += Self.day }
      _ = try store.blobs.collect()
      try store.closePast(of: space, upTo: stable ?? store.arrival(of: space))
    }
  }

  private func deletedPhoto(at store: Store) throws -> RecordID {
    let id = try store.write(in: space) { try $0.create(Photo.self) { $0.caption = "old" } }.id
    try store.write(in: space) { try $0.delete(Photo.self, id) }
    return id
  }

  private func isHeld(_ id: RecordID, at store: Store) throws -> Bool {
    try store.record(entity: Photo.schema.number, id, in: space) != nil
  }

  @Test func `what is deleted goes after sixty days, and not before, through restarts`() throws {
    var store = try open()
    try pass(days: 3, store)
    let id = try deletedPhoto(at: store)
    try pass(days: 59, store)
    #expect(try isHeld(id, at: store))
    try store.close()
    store = try open()
    try pass(days: 3, store)
    #expect(try !isHeld(id, at: store))
    #expect(try store.horizon(of: space) > 0)
    let marks = try store.read { (reader) throws(StoreError) in
      try Horizon(of: space, reader.connection).marks
    }
    #expect(marks.count < 70)
  }

  @Test func `what somebody may lack stays, until everybody has it`() throws {
    let store = try open()
    try pass(days: 1, store)
    let before = try store.arrival(of: space)
    let id = try deletedPhoto(at: store)
    try pass(days: 100, store, stable: before)
    #expect(try isHeld(id, at: store))
    try pass(days: 1, store)
    #expect(try !isHeld(id, at: store))
  }

  @Test func `a clock that leaps closes nothing`() throws {
    let store = try open()
    try pass(days: 1, store)
    let id = try deletedPhoto(at: store)
    try pass(days: 1, store)
    now.withLock { $0 += 4_000 * Self.day }
    try pass(days: 6, store)
    now.withLock { $0 -= 4_000 * Self.day }
    try pass(days: 20, store)
    #expect(try isHeld(id, at: store))
  }

  @Test(arguments: [false, true])
  func `bytes go when their delete is stable and their grace is over`(isBugged: Bool) throws {
    let store = try open(isBugged ? [.bytesGoBeforeStable] : [])
    let blob = try store.blobs.add([UInt8](repeating: 7, count: 40_000), in: space)
    let id = try store.write(in: space) { try $0.create(Photo.self) { $0.original = blob } }.id
    try pass(days: 1, store)
    let before = try store.arrival(of: space)
    try store.write(in: space) { try $0.delete(Photo.self, id) }
    try pass(days: 40, store, stable: before)
    #expect(try store.blobs.contains(blob.hash) != isBugged)
    try pass(days: 2, store)
    #expect(try !store.blobs.contains(blob.hash))
  }

  @Test(arguments: [false, true])
  func `no word about others shows that somebody has what a store let go by itself`(
    isBugged: Bool
  ) throws {
    let store = try open(isBugged ? [.anyReachedBelieved] : [])
    _ = try deletedPhoto(at: store)
    try store.raiseHorizon(of: space, to: store.arrival(of: space))
    var told = VersionVector()
    told.raise(store.site, to: 1)
    let found = try store.isBehind(
      [], told, isBeyond: false,
      reached: [Reached(site: Site(device: 1, incarnation: 1), arrival: 99)], in: space)
    #expect((found == .behind) != isBugged)
  }

  @Test func `whoever has all of the server that is followed lacks none of its deletes`() {
    let (server, other) = (Site(device: 1, incarnation: 1), Site(device: 2, incarnation: 1))
    var horizon = Horizon()
    #expect(!horizon.isShown(by: [Reached(site: server, arrival: .max)]))
    horizon.add(Horizon.Mark(peer: server, there: 40, here: 9, seconds: 1))
    horizon.follow(server, to: 50)
    #expect(horizon.arrival == 9)
    #expect(!horizon.isShown(by: [Reached(site: server, arrival: 39)]))
    #expect(horizon.isShown(by: [Reached(site: server, arrival: 40)]))
    #expect(!horizon.isShown(by: [Reached(site: other, arrival: 40)]))
    #expect(horizon.reached == [Reached(site: server, arrival: 40)])
    // What is gone by its own decision nobody shows so.
    horizon.rise(to: 20)
    #expect(!horizon.isShown(by: [Reached(site: server, arrival: 40)]))
  }

  @Test func `what an earlier version kept is read, and what it followed is shown by nobody`()
    throws
  {
    var writer = ByteWriter()
    writer.integer(UInt64(0))
    for number in [9, 9, 9, 1] as [UInt64] { writer.varint(number) }
    writer.identifier(Site(device: 1, incarnation: 1))
    writer.varint(0)
    let horizon = try Horizon(decoding: writer.bytes, isEarlier: true)
    #expect(horizon.arrival == 9)
    #expect(horizon.followed == [Reached(site: Site(device: 1, incarnation: 1), arrival: .max)])
  }

  @Test func `of many that were followed, what the first had let go counts for ever`() {
    var horizon = Horizon()
    let sites = (1...9).map { Site(device: $0, incarnation: 1) }
    for (number, site) in sites.enumerated() {
      horizon.add(Horizon.Mark(peer: site, there: 5, here: UInt64(number + 1), seconds: 1))
      horizon.follow(site, to: 5)
    }
    #expect(horizon.followed.count == Horizon.followedMax)
    #expect(!horizon.isShown(by: sites.map { Reached(site: $0, arrival: 5) }))
  }
}
