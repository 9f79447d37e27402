import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

private struct Errand: Entity, Equatable {
  let id: RecordID
  var title = ""
  var done = false
  var due: Int?
  var starts: Counter = 0
  var tags: Set<String> = []
  var steps: OrderedList<String> = []
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Errand>(
    6, "task",
    [
      .field(1, "title", \.title), .field(2, "done", \.done), .field(3, "due", \.due),
      .field(4, "starts", \.starts), .field(5, "tags", \.tags), .field(6, "steps", \.steps),
    ])
}

/// A record without registers.
private struct Tally: Entity, Equatable {
  let id: RecordID
  var count: Counter = 0
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Tally>(7, "tally", [.field(1, "count", \.count)])
}

private let model = Model(Errand.schema, Tally.schema)

@Suite struct UndoTests {
  private let folders = [Folder(), Folder()]
  private let id = RecordID(high: 1, low: 1)

  private func pair() throws -> (Store, Store) {
    (try folders[0].open(model), try folders[1].open(model))
  }

  private func tasks(_ store: Store) throws -> [Errand] {
    try store.fetch(Query<Errand>(in: space))
  }

  @Test(arguments: 1...8)
  func `undo and redo walk through every state of random writes`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = Seeded(state: seed)
    var store = try folders[0].open(model)
    var past: [[Errand]] = []
    var future: [[Errand]] = []
    for round in 0..<150 {
      let now = try tasks(store)
      switch Int.random(in: 0..<10, using: &random) {
      case 0...4:
        let count = try steps(store, .undo)
        try store.write(in: space, undo: "round \(round)") { transaction in
          for _ in 0...Int.random(in: 0...2, using: &random) {
            try change(transaction, using: &random)
          }
        }
        if try steps(store, .undo) > count {
          past.append(now)
          future = []
        }
      case 5...7:
        guard let before = past.last else { continue }
        let report = try #require(try store.undo(in: space))
        #expect(report.isComplete)
        #expect(try tasks(store) == before)
        past.removeLast()
        future.append(now)
      case 8:
        guard let after = future.last else { continue }
        let report = try #require(try store.redo(in: space))
        #expect(report.isComplete)
        #expect(try tasks(store) == after)
        future.removeLast()
        past.append(now)
      default:
        try store.close()
        store = try folders[0].open(model)
      }
    }
    for before in past.reversed() {
      #expect(try store.undo(in: space)?.isComplete == true)
      #expect(try tasks(store) == before)
    }
    #expect(try store.undo(in: space) == nil)
    let other = try folders[1].open(model)
    try other.pull(from: store)
    #expect(try other.digest(of: space) == store.digest(of: space))
  }

  private func steps(_ store: Store, _ side: UndoLog.Side) throws -> Int64 {
    try store.read { (reader) throws(StoreError) in
      try reader.connection.number(
        "SELECT count(*) FROM reunion_undo WHERE side = \(side.rawValue)") ?? 0
    }
  }

  private func change(_ transaction: WriteTransaction, using random: inout Seeded) throws {
    let id = RecordID(high: 0, low: .random(in: 1...3, using: &random))
    guard var task = try transaction.fetch(Errand.self, id) else {
      var task = Errand(id: id)
      task.title = "new \(Int.random(in: 0..<100, using: &random))"
      task.steps = ["a", "b"]
      return try transaction.create(task)
    }
    let word = ["x", "y", "z"].randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<9, using: &random) {
    case 0: try transaction.delete(Errand.self, id)
    case 1: try transaction.add(.random(in: 1...5, using: &random), to: \Errand.starts, of: id)
    case 2: try transaction.insert(word, into: \Errand.tags, of: id)
    case 3: try transaction.remove(word, from: \Errand.tags, of: id)
    case 4:
      let place = Int.random(in: 0...task.steps.count, using: &random)
      try transaction.insert(word, into: \Errand.steps, at: place, of: id)
    case 5 where task.steps.count > 1:
      let last = task.steps.count - 1
      try transaction.move(
        in: \Errand.steps, from: .random(in: 0...last, using: &random),
        to: .random(in: 0...last, using: &random), of: id)
    case 6 where !task.steps.isEmpty:
      let place = Int.random(in: 0..<task.steps.count, using: &random)
      try transaction.remove(at: place, from: \Errand.steps, of: id)
    default:
      task.title = word
      task.due = Bool.random(using: &random) ? nil : 7
      try transaction.update(task)
    }
  }

  @Test func `keeps what somebody has written since, and says which fields`() throws {
    let (a, b) = try pair()
    try a.write(in: space) { try $0.create(Errand(id: id)) }
    try a.write(in: space, undo: "Edit") { transaction in
      try transaction.set(\Errand.title, of: id, to: "mine")
      try transaction.set(\Errand.done, of: id, to: true)
      try transaction.add(2, to: \Errand.starts, of: id)
      try transaction.insert("red", into: \Errand.tags, of: id)
    }
    try b.pull(from: a)
    try b.write(in: space) { transaction in
      try transaction.set(\Errand.title, of: id, to: "yours")
      try transaction.add(5, to: \Errand.starts, of: id)
      try transaction.insert("red", into: \Errand.tags, of: id)
    }
    try a.pull(from: b)
    let report = try #require(try a.undo(in: space))
    #expect(report.name == "Edit" && !report.isComplete)
    #expect(Set(report.kept.map(\.field)) == [1, 5])
    #expect(report.kept.contains { $0.isField(\Errand.title) && $0.record == id })
    let task = try #require(try a.fetch(Errand.self, id, in: space))
    #expect(task.title == "yours" && !task.done && task.starts == 5 && task.tags == ["red"])
    #expect(try a.redo(in: space)?.isComplete == true)
    let again = try #require(try a.fetch(Errand.self, id, in: space))
    #expect(again.title == "yours" && again.done && again.starts == 7)
    try b.pull(from: a)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test func `deletes no record that others have edited, and revives none that others deleted`()
    throws
  {
    let (a, b) = try pair()
    try a.write(in: space, undo: "Add") { try $0.create(Errand(id: id)) }
    try b.pull(from: a)
    try b.write(in: space) { try $0.set(\Errand.due, of: id, to: 3) }
    try a.pull(from: b)
    let report = try #require(try a.undo(in: space))
    #expect(report.kept == [FieldID(entity: 6, record: id, field: 3)])
    #expect(try a.fetch(Errand.self, id, in: space) != nil)
    #expect(try a.redo(in: space) == nil)

    try a.write(in: space, undo: "Rename") { try $0.set(\Errand.title, of: id, to: "new") }
    try b.pull(from: a)
    try b.write(in: space) { try $0.delete(Errand.self, id) }
    try a.pull(from: b)
    #expect(try a.undo(in: space)?.kept == [FieldID(entity: 6, record: id, field: 0)])
    #expect(try a.fetch(Errand.self, id, in: space) == nil)

    let other = RecordID(high: 1, low: 2)
    try a.write(in: space) { try $0.create(Errand(id: other)) }
    try b.pull(from: a)
    try a.write(in: space, undo: "Delete") { try $0.delete(Errand.self, other) }
    try b.pull(from: a)
    try b.write(in: space) { try $0.create(Errand(id: other)) }
    try b.write(in: space) { try $0.delete(Errand.self, other) }
    try a.pull(from: b)
    #expect(try a.undo(in: space)?.isComplete == false)
    #expect(try a.fetch(Errand.self, other, in: space) == nil)
  }

  @Test func `a deleted record comes back whole, also one without registers`() throws {
    let (a, b) = try pair()
    var task = Errand(id: id)
    task.title = "kept"
    task.tags = ["red"]
    task.steps = ["one", "two"]
    var tally = Tally(id: id)
    tally.count = 4
    try a.write(in: space, undo: "Add") { transaction in
      try transaction.create(task)
      try transaction.create(tally)
    }
    try a.write(in: space, undo: "Delete") { transaction in
      try transaction.delete(Errand.self, id)
      try transaction.delete(Tally.self, id)
    }
    for _ in 0..<3 {
      #expect(try a.undo(in: space)?.isComplete == true)
      #expect(try a.fetch(Errand.self, id, in: space) == task)
      #expect(try a.fetch(Tally.self, id, in: space) == tally)
      #expect(try a.undo(in: space)?.isComplete == true)
      #expect(try a.fetch(Errand.self, id, in: space) == nil)
      #expect(try a.redo(in: space)?.isComplete == true)
      #expect(try a.fetch(Errand.self, id, in: space) == task)
      #expect(try a.fetch(Tally.self, id, in: space) == tally)
      #expect(try a.redo(in: space)?.isComplete == true)
      #expect(try a.fetch(Errand.self, id, in: space) == nil)
    }
    try b.pull(from: a)
    #expect(try a.digest(of: space) == b.digest(of: space))
  }

  @Test func `a new write empties the redo side; programs' writes are in nobody's way`() throws {
    let (a, _) = try pair()
    try a.write(in: space, undo: "Add") { try $0.create(Errand(id: id)) }
    try a.write(in: space, undo: "Rename") { try $0.set(\Errand.title, of: id, to: "one") }
    try a.undo(in: space)
    try a.annotate(in: space) { try $0.set(\Errand.due, of: id, to: 1) }
    try a.write(in: space) { try $0.set(\Errand.done, of: id, to: true) }
    let status = try a.undoStatus(in: space)
    #expect(status.value == UndoStatus(undoName: "Add", redoName: "Rename"))
    try a.write(in: space, undo: "Nothing") { _ in }
    #expect(status.value.canUndo && status.value.canRedo)
    #expect(
      isCode(.notFound) {
        try a.write(in: space, undo: "Fails") { transaction in
          try transaction.set(\Errand.title, of: id, to: "two")
          try transaction.set(\Errand.title, of: RecordID(high: 9, low: 9), to: "two")
        }
      })
    #expect(status.value == UndoStatus(undoName: "Add", redoName: "Rename"))
    try a.write(in: space, undo: "Other") { try $0.set(\Errand.title, of: id, to: "two") }
    #expect(status.value == UndoStatus(undoName: "Other", redoName: nil))
    #expect(try a.redo(in: space) == nil)
    let empty = SpaceID(high: 3, low: 3)
    #expect(try a.undo(in: empty) == nil)
    #expect(try a.undoStatus(in: empty).value == UndoStatus())
  }

  @Test func `the status lives through commits and a new opening`() throws {
    var store = try folders[0].open(model)
    let seen = Lock<[String]>([])
    let observation = try store.undoStatus(in: space).observe { status in
      seen.withLock { $0.append("\(status.undoName ?? "-")/\(status.redoName ?? "-")") }
    }
    try store.write(in: space, undo: "A") { try $0.create(Errand(id: id)) }
    try store.write(in: space, undo: "B") { try $0.set(\Errand.title, of: id, to: "b") }
    try store.undo(in: space)
    try store.redo(in: space)
    #expect(seen.withLock { $0 } == ["-/-", "A/-", "B/-", "A/B", "B/-"])
    observation.cancel()
    try store.close()
    store = try folders[0].open(model)
    #expect(try store.undoStatus(in: space).value.undoName == "B")
    #expect(try store.undo(in: space)?.isComplete == true)
    #expect(try store.fetch(Errand.self, id, in: space)?.title == "")
  }

  @Test func `what can be undone, conflicts and queries change in one turn`() throws {
    let (a, b) = try pair()
    let seen = Lock<[String]>([])
    let observation = combineLatest(
      try a.live(Query<Errand>(in: space)), try a.undoStatus(in: space),
      try a.liveConflicts(in: space)
    ).observe { errands, status, conflicts in
      seen.withLock {
        $0.append("\(errands.first?.title ?? "-") \(status.undoName ?? "-") \(conflicts.count)")
      }
    }
    try a.write(in: space, undo: "Add") { try $0.create(Errand(id: id)) }
    try b.pull(from: a)
    try a.write(in: space, undo: "Name") { try $0.set(\Errand.title, of: id, to: "ours") }
    try b.write(in: space) { try $0.set(\Errand.title, of: id, to: "theirs") }
    try a.pull(from: b)
    // Both were written within a millisecond, so that either may be the later one.
    let title = try #require(try a.fetch(Errand.self, id, in: space)?.title)
    #expect(seen.withLock { $0 } == ["- - 0", " Add 0", "ours Name 0", "\(title) Name 1"])
    observation.cancel()
  }

  @Test func `keeps a hundred writes and four megabytes a side`() throws {
    let (a, _) = try pair()
    try a.write(in: space) { try $0.create(Errand(id: id)) }
    for number in 0..<110 {
      try a.write(in: space, undo: "\(number)") { try $0.set(\Errand.due, of: id, to: number) }
    }
    var count = 0
    while try a.undo(in: space) != nil { count += 1 }
    #expect(count == UndoLog.stepsMax)
    #expect(try a.fetch(Errand.self, id, in: space)?.due == 9)
    let long = String(repeating: "x", count: 500_000)
    for number in 0..<12 {
      try a.write(in: space, undo: "long") {
        try $0.set(\Errand.title, of: id, to: long + "\(number)")
      }
    }
    count = 0
    while try a.undo(in: space) != nil { count += 1 }
    #expect(count == 8)
  }

  @Test func `a field stays where the dot alone is another (negative control of the check)`() throws
  {
    let (a, b) = try pair()
    try a.write(in: space) { try $0.create(Errand(id: id)) }
    try a.write(in: space, undo: "Edit") { try $0.set(\Errand.title, of: id, to: "same") }
    try b.pull(from: a)
    try b.write(in: space) { try $0.set(\Errand.title, of: id, to: "same") }
    try a.pull(from: b)
    #expect(try a.undo(in: space)?.kept.map(\.field) == [1])
    #expect(try a.fetch(Errand.self, id, in: space)?.title == "same")
  }

  @Test func `a step is read as it was written, and other bytes are none`() throws {
    let site = Site(device: 1, incarnation: 2)
    let dot = Dot(site: site, seq: 300)
    var random = Seeded(state: 1)
    let place = try #require(Position.between(nil, nil, using: &random))
    var record = UndoStep.Record(key: RecordKey(entity: 9, id: id))
    var seen = VersionVector()
    seen.raise(site, to: 3)
    record.existence = .appeared(seen)
    record.parts = [
      .register(1, old: .text("x"), oldDot: nil, written: dot),
      .register(2, old: .null, oldDot: dot, written: dot), .counted(3, -5), .added(4, .int(1)),
      .removed(4, .int(2)), .inserted(5, item: dot),
      .taken(5, item: dot, .text("y"), place, oldDot: dot),
      .taken(5, item: dot, .text("y"), nil, oldDot: nil),
      .moved(5, item: dot, from: place, oldDot: dot, written: dot),
    ]
    var step = UndoStep(name: "n")
    step.records = [
      record, UndoStep.Record(key: record.key, existence: .vanished(seen)),
      UndoStep.Record(key: record.key, existence: .absent),
    ]
    let bytes = step.encoded()
    #expect(UndoStep(name: "n", decoding: bytes) == step)
    for count in 0..<bytes.count {
      #expect(UndoStep(name: "n", decoding: Array(bytes[..<count])) == nil)
    }
  }
}
