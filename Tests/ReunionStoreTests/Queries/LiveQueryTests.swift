import Dispatch
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// A commit is one turn: every commit here leaves as many hearts as the one photo is wide.
@Suite struct LiveQueryTests {
  let folder = Folder()

  /// Adds a heart and a pixel of width in one commit.
  private static func add(_ photo: RecordID, in store: Store) throws {
    try store.write(in: space) { transaction in
      let width = try transaction.fetch(Query<Photo>(in: space)).first?.width ?? 0
      try transaction.create(Heart(id: transaction.newID()))
      try transaction.set(\Photo.width, of: photo, to: width + 1)
    }
  }

  private func openWithPhoto() throws -> (Store, RecordID) {
    let store = try folder.open()
    let photo = store.newID()
    try store.write(in: space) { try $0.create(Photo(id: photo)) }
    return (store, photo)
  }

  @Test func `combined live queries show each commit once and whole`() throws {
    let (store, photo) = try openWithPhoto()
    let both = combineLatest(
      try store.live(Query<Photo>(in: space)).map { $0.first?.width ?? -1 },
      try store.live(Query<Heart>(in: space)).map(\.count))
    let seen = Lock<[[Int]]>([])
    let subscription = both.observe { pair in seen.withLock { $0.append([pair.0, pair.1]) } }
    for _ in 1...20 { try Self.add(photo, in: store) }
    #expect(seen.withLock { $0 } == (0...20).map { [$0, $0] })
    subscription.cancel()
  }

  @Test func `a commit that keeps the arrival number is read after it took place`() throws {
    let (store, photo) = try openWithPhoto()
    let width = try store.live(Query<Photo>(in: space).sum(of: \.width))
    let arrival = try store.readTransaction { (reader) throws(StoreError) in
      try reader.arrival(of: space)
    }
    var touches = Touches()
    touches.add(RecordKey(entity: Photo.schema.number, id: photo), .all)
    var commit = Commit(space: space, arrival: arrival, touches: touches)
    commit.keepsArrival = true
    let write = { (value: Int) in
      try store.commit { (_, records) throws(StoreError) in
        try records.reader.connection.execute("UPDATE reunion_record_3 SET f2 = \(value)")
        return ((), nil)
      }
    }
    // Another query's round comes between the mark and the commit.
    store.liveQueries.mark(commit)
    let count = try store.live(Query<Photo>(in: space).count())
    try write(7)
    store.liveQueries.follow([commit], in: store)
    #expect(width.value == 7)
    // A query whose snapshot is older than such a commit is added after it.
    let query = Query<Photo>(in: space).sum(of: \.width)
    let late = Variable(QueryAnswer(try store.fetch(query)))
    try write(8)
    store.liveQueries.follow([commit], in: store)
    let reads = try query.text(store.layout).reads
    let added = store.follow(
      LiveValue(query: query, reads: reads, variable: late), shows: arrival, late)
    #expect(added.value.value == 8)
    #expect(width.value == 8)
    withExtendedLifetime(count) {}
  }

  @Test func `live queries that follow commits one by one are caught (negative control)`() throws {
    let (store, photo) = try openWithPhoto()
    let width = Variable(0)
    let count = Variable(0)
    let watches = [
      store.observeCommits { _ in
        width.value = (try? store.fetch(Query<Photo>(in: space)))?.first?.width ?? -1
      },
      store.observeCommits { _ in
        count.value = (try? store.fetch(Query<Heart>(in: space)))?.count ?? -1
      },
    ]
    let torn = Lock(0)
    let subscription = combineLatest(width.signal, count.signal).observe { pair in
      if pair.0 != pair.1 { torn.withLock { $0 += 1 } }
    }
    for _ in 1...20 { try Self.add(photo, in: store) }
    #expect(torn.withLock { $0 } == 20)
    subscription.cancel()
    watches.forEach { $0.cancel() }
  }

  @Test func `commits of four threads are never shown in half, and the last one is shown`() throws {
    let (store, photo) = try openWithPhoto()
    let width = try store.live(Query<Photo>(in: space)).map { $0.first?.width ?? -1 }
    let count = try store.live(Query<Heart>(in: space)).map(\.count)
    let both = combineLatest(width, count)
    let torn = Lock<[[Int]]>([])
    let last = Lock(0)
    let subscription = both.observe { pair in
      if pair.0 != pair.1 { torn.withLock { $0.append([pair.0, pair.1]) } }
      let before = last.withLock { last in
        defer { last = pair.0 }
        return last
      }
      // Time never goes back either.
      if pair.0 < before { torn.withLock { $0.append([before, pair.0]) } }
    }
    let failures = Lock<[any Error]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<25 {
        do { try Self.add(photo, in: store) } catch { failures.withLock { $0.append(error) } }
      }
    }
    #expect(failures.withLock { $0.isEmpty })
    #expect(torn.withLock { $0 } == [])
    #expect(both.value == (100, 100))
    subscription.cancel()
  }

  @Test func `a write from an observer of a live query is shown in its own turn`() throws {
    let (store, photo) = try openWithPhoto()
    let width = try store.live(Query<Photo>(in: space)).map { $0.first?.width ?? -1 }
    let seen = Lock<[Int]>([])
    let subscription = width.observe { value in
      seen.withLock { $0.append(value) }
      if (1..<4).contains(value) { try? Self.add(photo, in: store) }
    }
    try Self.add(photo, in: store)
    #expect(seen.withLock { $0 } == [0, 1, 2, 3, 4])
    subscription.cancel()
  }

  @Test func `a live query that is released is fetched no more`() throws {
    let (store, photo) = try openWithPhoto()
    let calls = Lock(0)
    do {
      let live = try store.live(Query<Photo>(in: space)).map { photos in
        calls.withLock { $0 += 1 }
        return photos.count
      }
      try Self.add(photo, in: store)
      #expect(live.value == 1)
    }
    let before = calls.withLock { $0 }
    #expect(before > 1)
    try Self.add(photo, in: store)
    #expect(calls.withLock { $0 } == before)
  }
}
