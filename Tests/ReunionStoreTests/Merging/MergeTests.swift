import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct MergeTests {
  /// Three stores write and exchange at random; in the end each record is what `RecordState` makes
  /// of all changes ever made, in any order.
  @Test(arguments: 1...6)
  func `merges random histories as the record state does, in whatever order`(
    seed: UInt64
  ) throws {
    print("seed \(seed)")
    var random = Seeded(state: seed)
    let folders = [Folder(), Folder(), Folder()]
    let stores = try folders.map { folder in try folder.open { $0.wallMilliseconds = { 1000 } } }
    let ids = (1...4).map { RecordID(high: 0, low: $0) }
    var all: [RecordID: [Cell]] = [:]
    for _ in 0..<60 {
      let store = try #require(stores.randomElement(using: &random))
      let id = try #require(ids.randomElement(using: &random))
      let number = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let from = try #require(stores.randomElement(using: &random))
        if from !== store { try store.pull(from: from) }
      case 1: try store.write(in: space) { try $0.delete(Photo.self, id) }
      default:
        let isThere = try store.record(entity: 3, id, in: space) != nil
        try store.write(in: space) { transaction in
          if isThere {
            try transaction.set(\Photo.width, of: id, to: number)
          } else {
            var photo = Photo(id: id)
            photo.width = number
            try transaction.create(photo)
          }
        }
      }
      for cell in try store.record(entity: 3, id, in: space)?.cells ?? [] {
        all[id, default: []].append(cell)
      }
    }
    for store in stores + stores {
      for other in stores where other !== store { try store.pull(from: other) }
    }
    for id in ids {
      var oracle = RecordState()
      for cell in (all[id] ?? []).shuffled(using: &random) { _ = oracle.merge(cell) }
      for store in stores {
        let state = try store.record(entity: 3, id, in: space) ?? RecordState()
        #expect(state == oracle)
        #expect(try (store.fetch(Photo.self, id, in: space) != nil) == oracle.isAlive)
      }
    }
    #expect(Set(try stores.map { try $0.digest(of: space) }).count == 1)
    #expect(Set(try stores.map { try $0.vector(of: space) }).count == 1)
  }

  @Test func `keeps the register that lost without having been seen as a conflict`() throws {
    let folders = [Folder(), Folder()]
    let (a, b) = (try folders[0].open(), try folders[1].open())
    let id = a.newID()
    try a.write(in: space) { try $0.create(Photo(id: id)) }
    try b.pull(from: a)
    try a.write(in: space) { try $0.set(\Photo.caption, of: id, to: "mine") }
    try b.write(in: space) { try $0.set(\Photo.caption, of: id, to: "yours") }
    try a.pull(from: b)
    try b.pull(from: a)
    let lost = try a.conflicts(entity: 3, id, in: space)
    let stands = try #require(try a.fetch(Photo.self, id, in: space)).caption
    #expect(lost.compactMap(\.value.text) == [stands == "mine" ? "yours" : "mine"])
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test func `brings a deleted record back whole by an edit that had not seen the delete`() throws {
    let folders = [Folder(), Folder()]
    let (a, b) = (try folders[0].open(), try folders[1].open())
    var photo = Photo(id: a.newID())
    photo.caption = "kept"
    try a.write(in: space) { try $0.create(photo) }
    try b.pull(from: a)
    try a.write(in: space) { try $0.delete(Photo.self, photo.id) }
    try b.write(in: space) { try $0.set(\Photo.width, of: photo.id, to: 9) }
    #expect(try a.fetch(Photo.self, photo.id, in: space) == nil)
    try a.pull(from: b)
    try b.pull(from: a)
    photo.width = 9
    #expect(try a.fetch(Photo.self, photo.id, in: space) == photo)
    #expect(try b.fetch(Photo.self, photo.id, in: space) == photo)
  }

  @Test func `what a program notes meanwhile brings no deleted record back`() throws {
    let folders = [Folder(), Folder()]
    let (a, b) = (try folders[0].open(), try folders[1].open())
    let photo = Photo(id: a.newID())
    try a.write(in: space) { try $0.create(photo) }
    try b.pull(from: a)
    try a.write(in: space) { try $0.delete(Photo.self, photo.id) }
    try b.annotate(in: space) { try $0.set(\Photo.width, of: photo.id, to: 9) }
    #expect(try b.fetch(Photo.self, photo.id, in: space)?.width == 9)
    try a.pull(from: b)
    try b.pull(from: a)
    #expect(try a.fetch(Photo.self, photo.id, in: space) == nil)
    #expect(try b.fetch(Photo.self, photo.id, in: space) == nil)
    try b.annotate(in: space) { transaction in
      try transaction.set(\Photo.width, of: photo.id, to: 10)
      #expect(try transaction.fetch(Photo.self, photo.id) == nil)
    }
    try b.write(in: space) { try $0.create(photo) }
    try a.pull(from: b)
    #expect(try a.fetch(Photo.self, photo.id, in: space) == photo)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test func `deletes and creates again under the same id`() throws {
    let folder = Folder()
    let store = try folder.open()
    var photo = Photo(id: store.newID())
    try store.write(in: space) { try $0.create(photo) }
    try store.write(in: space) { try $0.delete(Photo.self, photo.id) }
    #expect(try store.fetch(Query<Photo>(in: space)).isEmpty)
    photo.caption = "again"
    try store.write(in: space) { try $0.create(photo) }
    #expect(try store.fetch(Photo.self, photo.id, in: space) == photo)
  }

  @Test(arguments: [SeededBug.tieBreakMissing, .arrivalNotRaisedOnMerge, .vectorRisesWithFirstPart])
  func `a seeded bug breaks convergence, as a control`(bug: SeededBug) throws {
    let folders = [Folder(), Folder(), Folder()]
    let stores = try folders.map { folder in
      try folder.open {
        $0.wallMilliseconds = { 1000 }
        $0.seededBugs = [bug]
      }
    }
    let (a, b, c) = (stores[0], stores[1], stores[2])
    let id = a.newID()
    try a.write(in: space) { try $0.create(Photo(id: id)) }
    try b.pull(from: a)
    try c.pull(from: b)
    if bug == .vectorRisesWithFirstPart {
      // Of another's change: those of the sender itself go until they are proved to be there.
      try c.write(in: space) { try $0.set(\Photo.width, of: id, to: 5) }
      try a.pull(from: c)
      let sending = Conversation.Reading(after: 0, vectorAfter: 0, held: try b.vector(of: space))
      try b.stage(a.push(in: space, sending).changes, [], from: a.site, in: space)
      try b.discardStaged(from: a.site, in: space)
      for _ in 0..<3 {
        try b.pull(from: a)
        try a.pull(from: b)
      }
      return #expect(try a.digest(of: space) != b.digest(of: space))
    } else {
      try a.write(in: space) { try $0.set(\Photo.width, of: id, to: 5) }
      guard bug == .tieBreakMissing else {
        try b.pull(from: a)
        try c.pull(from: b)
        return #expect(try c.digest(of: space) != a.digest(of: space))
      }
      try b.write(in: space) { try $0.set(\Photo.width, of: id, to: 6) }
    }
    for _ in 0..<3 {
      try b.pull(from: a)
      try a.pull(from: b)
      try c.pull(from: b)
      try b.pull(from: c)
    }
    let digests = Set(try stores.map { try $0.digest(of: space) })
    #expect(digests.count > 1)
  }
}
