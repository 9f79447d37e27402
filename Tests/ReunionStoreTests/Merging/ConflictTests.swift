import FoundationEssentials
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

@Suite struct ConflictTests {
  private let folders = [Folder(), Folder()]

  /// Two stores that have exchanged a photo, edited its caption apart and exchanged again; the first
  /// one's edit lost.
  private func disagreement() throws -> (a: Store, b: Store, id: RecordID) {
    let a = try folders[0].open { $0.wallMilliseconds = { 1000 } }
    let b = try folders[1].open { $0.wallMilliseconds = { 2000 } }
    let id = a.newID()
    try a.write(in: space) { try $0.create(Photo(id: id)) }
    try b.pull(from: a)
    try a.write(in: space) { try $0.set(\Photo.caption, of: id, to: "mine") }
    try b.write(in: space) { try $0.set(\Photo.caption, of: id, to: "yours") }
    try b.pull(from: a)
    try a.pull(from: b)
    return (a, b, id)
  }

  @Test func `tells what lost, who wrote it and when, and what stands`() throws {
    let (a, b, id) = try disagreement()
    for store in [a, b] {
      let conflict = try #require(try store.conflicts(in: space).first)
      #expect(try store.conflicts(in: space).count == 1)
      #expect(try store.conflicts(of: Photo.self, id, in: space) == [conflict])
      #expect(conflict.field == FieldID(entity: 3, record: id, field: 1))
      #expect("\(conflict)" == "\"mine\" lost to \"yours\" in photo.caption of \(id)")
      #expect(conflict.author == a.site && conflict.device == a.device)
      #expect(conflict.date.timeIntervalSince1970.rounded() == 1)
      let values = try #require(conflict.values(of: \Photo.caption))
      #expect(values.lost == "mine" && values.standing == "yours")
      #expect(conflict.values(of: \Photo.width) == nil)
      #expect(conflict.values(of: \Photo.note) == nil)
    }
    #expect(try a.conflicts(of: Photo.self, a.newID(), in: space).isEmpty)
    #expect(try a.conflicts(in: SpaceID(high: 1, low: 1)).isEmpty)
  }

  @Test func `a field tells the device that wrote it, and a record the one that made it`() throws {
    let (a, b, id) = try disagreement()
    for store in [a, b] {
      #expect(try store.creator(of: Photo.self, id, in: space) == a.device)
      #expect(try store.writer(of: \Photo.caption, id, in: space) == b.device)
      #expect(try store.writer(of: \Photo.width, id, in: space) == a.device)
      #expect(try store.creator(of: Photo.self, a.newID(), in: space) == nil)
      #expect(try store.writer(of: \Photo.caption, id, in: SpaceID(high: 1, low: 1)) == nil)
    }
    try b.write(in: space) { try $0.delete(Photo.self, id) }
    #expect(try b.writer(of: \Photo.caption, id, in: space) == b.device)
  }

  @Test func `restores what lost as a new write, which leaves every list`() throws {
    let (a, b, id) = try disagreement()
    let conflict = try #require(try b.conflicts(in: space).first)
    try b.write(in: space) { try $0.restore(conflict) }
    #expect(try b.fetch(Photo.self, id, in: space)?.caption == "mine")
    #expect(try b.conflicts(in: space).isEmpty)
    try a.pull(from: b)
    #expect(try a.fetch(Photo.self, id, in: space)?.caption == "mine")
    #expect(try a.conflicts(in: space).isEmpty)
    #expect(try a.digest(of: space) == b.digest(of: space))
    #expect(isCode(.notFound) { try b.write(in: space) { try $0.restore(conflict) } })
    #expect(try b.fetch(Photo.self, id, in: space)?.caption == "mine")
  }

  @Test func `restores nothing where the transaction throws`() throws {
    let (a, _, id) = try disagreement()
    let conflict = try #require(try a.conflicts(in: space).first)
    #expect(
      isCode(.alreadyExists) {
        try a.write(in: space) { transaction in
          try transaction.restore(conflict)
          try transaction.create(Photo(id: id))
        }
      })
    #expect(try a.conflicts(in: space) == [conflict])
    #expect(try a.fetch(Photo.self, id, in: space)?.caption == "yours")
  }

  @Test func `dismisses for good, on this device alone, and over a new opening`() throws {
    let (a, b, id) = try disagreement()
    let conflict = try #require(try a.conflicts(in: space).first)
    let vector = try a.vector(of: space)
    try a.write(in: space) { try $0.dismiss(conflict) }
    #expect(try a.conflicts(in: space).isEmpty)
    #expect(try a.vector(of: space) == vector)
    #expect(try a.fetch(Photo.self, id, in: space)?.caption == "yours")
    #expect(isCode(.notFound) { try a.write(in: space) { try $0.dismiss(conflict) } })
    #expect(try b.conflicts(in: space).count == 1)
    try a.close()
    let again = try folders[0].open()
    #expect(try again.conflicts(in: space).isEmpty)
  }

  @Test func `the list lives through commits`() throws {
    let (a, b, id) = try disagreement()
    let counts = Lock<[Int]>([])
    let observation = try a.liveConflicts(in: space).observe { conflicts in
      counts.withLock { $0.append(conflicts.count) }
    }
    try a.write(in: space) { try $0.set(\Photo.width, of: id, to: 1) }
    try b.write(in: space) { try $0.set(\Photo.width, of: id, to: 2) }
    try a.pull(from: b)
    let list = try a.conflicts(in: space)
    try a.write(in: space) { transaction in
      for conflict in list { try transaction.dismiss(conflict) }
    }
    #expect(counts.withLock { $0 } == [1, 2, 0])
    observation.cancel()
  }

  @Test func `keeps the last four of a field`() throws {
    let (a, b, id) = try disagreement()
    var losers: [String] = []
    for number in 1...6 {
      try a.write(in: space) { try $0.set(\Photo.caption, of: id, to: "a\(number)") }
      try b.write(in: space) { try $0.set(\Photo.caption, of: id, to: "b\(number)") }
      try a.pull(from: b)
      try b.pull(from: a)
      let stands = try a.fetch(Photo.self, id, in: space)?.caption
      losers.insert(stands == "a\(number)" ? "b\(number)" : "a\(number)", at: 0)
    }
    let lost = try a.conflicts(in: space).compactMap { $0.values(of: \Photo.caption)?.lost }
    #expect(lost == Array(losers.prefix(4)))
  }
}
