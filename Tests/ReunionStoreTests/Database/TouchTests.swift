import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// A commit tells which fields of which records it touched: what live queries go by.
@Suite struct TouchTests {
  let folder = Folder()
  let other = Folder()

  /// The commits that a closure makes.
  private func commits(of store: Store, _ body: () throws -> Void) rethrows -> [Commit] {
    let commits = Lock<[Commit]>([])
    let subscription = store.observeCommits { commit in commits.withLock { $0.append(commit) } }
    try body()
    subscription.cancel()
    return commits.withLock { $0 }
  }

  private func fields(_ commit: Commit?, _ entity: UInt32 = Photo.schema.number) -> FieldSet? {
    commit?.touches.byEntity[entity]?.fields
  }

  @Test func `a commit names the records and fields that it touched`() throws {
    let store = try folder.open()
    let id = store.newID()
    let made = try commits(of: store) {
      try store.write(in: space) { try $0.create(Photo(id: id)) }
    }
    #expect(made.map { fields($0) } == [.all])
    let edited = try commits(of: store) {
      try store.write(in: space) { try $0.set(\Photo.width, of: id, to: 4) }
      try store.write(in: space) { try $0.create(Heart(id: $0.newID())) }
    }
    #expect(edited.map { fields($0) } == [FieldSet(2), nil])
    #expect(edited.first?.touches.byEntity[Photo.schema.number]?.records == [id])
    #expect(edited.map(\.entities) == [[3], [4]])
    let deleted = try commits(of: store) {
      try store.write(in: space) { try $0.delete(Photo.self, id) }
      // This brings it back.
      try store.write(in: space) { try $0.set(\Photo.width, of: id, to: 5) }
    }
    #expect(deleted.map { fields($0) } == [.all, .all])
  }

  @Test func `merges from peers name them as well, and what they bring back`() throws {
    let (a, b) = (try folder.open(), try other.open())
    let id = a.newID()
    try a.write(in: space) { try $0.create(Photo(id: id)) }
    let came = try commits(of: b) { try b.pull(from: a) }
    #expect(came.map { fields($0) } == [.all])
    try a.write(in: space) { try $0.set(\Photo.caption, of: id, to: "Harbour") }
    let edited = try commits(of: b) { try b.pull(from: a) }
    #expect(edited.map { fields($0) } == [FieldSet(1)])
    #expect(edited.first?.touches.byEntity[3]?.records == [id])
    try b.write(in: space) { try $0.delete(Photo.self, id) }
    try a.write(in: space) { try $0.set(\Photo.width, of: id, to: 9) }
    let back = try commits(of: b) { try b.pull(from: a) }
    #expect(back.map { fields($0) } == [.all])
    #expect(try b.fetch(Photo.self, id, in: space)?.width == 9)
  }

  @Test func `fields above the 62nd share a bit, and too many records are not named`() {
    #expect(FieldSet(62).intersects(FieldSet(63)) == false)
    #expect(FieldSet(63).intersects(FieldSet(1 << 24)))
    #expect(FieldSet(Cell.existence) == .all)
    var touches = Touches()
    for low in 0..<UInt64(Touches.recordsMax) {
      touches.add(RecordKey(entity: 3, id: RecordID(high: 0, low: low)), FieldSet(1))
    }
    #expect(touches.byEntity[3]?.records?.count == Touches.recordsMax)
    touches.add(RecordKey(entity: 3, id: RecordID(high: 1, low: 0)), FieldSet(2))
    #expect(touches.byEntity[3]?.records == nil)
    #expect(touches.byEntity[3]?.fields.intersects(FieldSet(2)) == true)
  }
}
