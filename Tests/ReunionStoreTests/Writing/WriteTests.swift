import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

private struct Stop: Error {}

@Suite struct WriteTests {
  let folder = Folder()

  @Test func `does nothing when the closure throws`() throws {
    let store = try folder.open()
    let id = store.newID()
    try store.write(in: space) { try $0.create(Photo(id: id)) }
    let before = try (store.digest(of: space), store.vector(of: space), store.arrival(of: space))
    #expect(throws: Stop.self) {
      try store.write(in: space) { transaction in
        try transaction.set(\Photo.width, of: id, to: 4)
        try transaction.create(Photo(id: transaction.newID()))
        #expect(try transaction.fetch(Query<Photo>(in: space)).count == 2)
        throw Stop()
      }
    }
    #expect(try store.digest(of: space) == before.0)
    #expect(try store.vector(of: space) == before.1)
    #expect(try store.arrival(of: space) == before.2)
    try store.write(in: space) { try $0.set(\Photo.width, of: id, to: 4) }
    #expect(try store.vector(of: space)[store.site] == before.1[store.site] + 1)
  }

  @Test func `reads its own writes and gives one stamp and numbers once`() throws {
    let store = try folder.open()
    let ids = [store.newID(), store.newID()]
    try store.write(in: space) { transaction in
      for id in ids { try transaction.create(Photo(id: id)) }
      try transaction.set(\Photo.width, of: ids[0], to: 3)
      #expect(try transaction.fetch(Query<Photo>(in: space).filter(\.width > 2)).count == 1)
      try transaction.set(\Photo.width, of: ids[0], to: 4)
      var photo = try #require(try transaction.fetch(Photo.self, ids[1]))
      photo.caption = "b"
      try transaction.update(photo)
    }
    let cells = try ids.flatMap { try #require(try store.record(entity: 3, $0, in: space)).cells }
    #expect(Set(cells.map(\.stamp)).count == 1)
    let held = try store.vector(of: space)[store.site]
    #expect(cells.count == 26 && Set(cells.map(\.dot.seq)).count == 26)
    #expect(cells.allSatisfy { (1...held).contains($0.dot.seq) })
    #expect(try store.fetch(Photo.self, ids[0], in: space)?.width == 4)
    try store.write(in: space) { transaction in
      try transaction.update(try #require(try transaction.fetch(Photo.self, ids[1])))
    }
    #expect(try store.vector(of: space)[store.site] == held)
  }

  @Test func `a snapshot shows one commit, whatever is written meanwhile`() throws {
    struct Refusal: Error {}
    let store = try folder.open()
    let id = store.newID()
    try store.write(in: space) { try $0.create(Photo(id: id)) }
    try store.snapshot { snapshot in
      #expect(try snapshot.fetch(Photo.self, id, in: space)?.width == 0)
      try store.write(in: space) { transaction in
        try transaction.set(\Photo.width, of: id, to: 5)
        try transaction.create(Photo(id: store.newID()))
      }
      #expect(try store.fetch(Photo.self, id, in: space)?.width == 5)
      #expect(try snapshot.fetch(Photo.self, id, in: space)?.width == 0)
      #expect(try snapshot.fetch(Query<Photo>(in: space)).count == 1)
      #expect(try snapshot.fetch(Query<Photo>(in: space).count()) == 1)
    }
    #expect(throws: Refusal.self) { try store.snapshot { _ in throw Refusal() } }
    #expect(try store.snapshot { try $0.fetch(Query<Photo>(in: space).count()) } == 2)
  }

  @Test func `filters, sorts, limits and counts`() throws {
    let store = try folder.open()
    try store.write(in: space) { transaction in
      for width in 0..<10 {
        var photo = Photo(id: transaction.newID())
        photo.width = width
        photo.score = width == 9 ? .nan : Double(width)
        photo.note = width % 2 == 0 ? nil : "odd"
        try transaction.create(photo)
      }
    }
    let all = Query<Photo>(in: space)
    let found = try store.fetch(
      all.filter(\.width > 3 && \.note == nil).sorted(by: \.width, descending: true).limit(2))
    #expect(found.map(\.width) == [8, 6])
    #expect(try store.count(all.filter(\.score > 6)) == 2)
    #expect(try store.count(all.filter(!(\.score > 6))) == 8)
    #expect(try store.count(all.filter(\.note != nil || \.width == 0)) == 6)
    #expect(try store.count(Query<Heart>(in: space)) == 0)
  }

  @Test func `refuses what cannot be written`() throws {
    let store = try folder.open()
    let id = store.newID()
    #expect(
      isCode(.notFound) { try store.write(in: space) { try $0.set(\Photo.width, of: id, to: 1) } })
    try store.write(in: space) { try $0.create(Photo(id: id)) }
    #expect(isCode(.alreadyExists) { try store.write(in: space) { try $0.create(Photo(id: id)) } })
    let bytes = [UInt8](repeating: 1, count: Value.bytesMax + 1)
    #expect(
      isCode(.valueTooLarge) {
        try store.write(in: space) { try $0.set(\Photo.bytes, of: id, to: bytes) }
      })
    #expect(
      isCode(.nestedWrite) {
        try store.write(in: space) { _ in try store.write(in: space) { _ in } }
      })
    try store.close()
    #expect(isCode(.closed) { try store.write(in: space) { _ in } })
  }

  @Test func `what a closure catches has done nothing`() throws {
    let store = try folder.open()
    let photo = try store.write(in: space) { try $0.create(Photo.self) { $0.caption = "Harbour" } }
    var large = Photo(id: store.newID())
    large.caption = "Half"
    large.bytes = [UInt8](repeating: 1, count: Value.bytesMax + 1)
    var changed = photo
    changed.caption = "Half"
    changed.bytes = large.bytes
    try store.write(in: space) { transaction in
      #expect(isCode(.valueTooLarge) { try transaction.create(large) })
      #expect(try transaction.fetch(Photo.self, large.id) == nil)
      try transaction.set(\Photo.width, of: photo.id, to: 7)
      #expect(isCode(.valueTooLarge) { try transaction.update(changed) })
      #expect(try transaction.fetch(Photo.self, photo.id)?.caption == "Harbour")
    }
    let photos = try store.fetch(Query<Photo>(in: space))
    #expect(photos.map(\.caption) == ["Harbour"] && photos.map(\.width) == [7])
  }

  @Test func `a live query follows commits and tells observers of them`() throws {
    let store = try folder.open()
    let commits = Lock<[Commit]>([])
    let watch = store.observeCommits { commit in commits.withLock { $0.append(commit) } }
    let live = try store.live(Query<Photo>(in: space).filter(\.width > 1))
    let counts = Lock<[Int]>([])
    let subscription = live.observe { photos in counts.withLock { $0.append(photos.count) } }
    let id = store.newID()
    try store.write(in: space) { try $0.create(Photo(id: id)) }
    try store.write(in: space) { try $0.set(\Photo.width, of: id, to: 2) }
    #expect(live.value.count == 1)
    #expect(counts.withLock { $0 } == [0, 1])
    #expect(commits.withLock { $0.map(\.arrival) } == [1, 2])
    #expect(commits.withLock { $0.map(\.entities) } == [[3], [3]])
    #expect(commits.withLock { $0.map { $0.changed(Photo.self) } } == [[id], [id]])
    #expect(commits.withLock { $0.map { $0.changed(Heart.self) } } == [[], []])
    subscription.cancel()
    watch.cancel()
  }
}
