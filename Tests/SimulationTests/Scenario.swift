import Reunion
import ReunionCore
import ReunionTesting
import Testing

/// Three replicas and a server, writing while links fail, clocks err and processes die.
struct Scenario {
  /// A broken promise, with the number of the guarantee.
  struct Violation: Error, CustomStringConvertible {
    let guarantee: Int
    let description: String
  }

  let world: World
  let server: WorldReplica
  let phones: [WorldReplica]
  let connections: [WorldConnection]
  var oracle = Oracle()
  var notes: [RecordID] = []
  var counter = 0

  init(seed: UInt64, seededBugs: Set<SeededBug> = []) throws {
    world = try World(seed: seed, model: Model(Note.schema), seededBugs: seededBugs)
    server = try world.makeReplica("server")
    let errors: [Int64] = [0, 90_000, -40_000]
    var phones: [WorldReplica] = []
    for (number, error) in errors.enumerated() {
      phones.append(try world.makeReplica("phone\(number)", clockErrorMilliseconds: error))
    }
    self.phones = phones
    let faults = LinkFaults(
      delayMilliseconds: 1...400, dropChance: 0.01, duplicateChance: 0.01, cutChance: 0.02)
    connections = phones.map { [world, server] in world.connect($0, to: server, faults: faults) }
  }

  var replicas: [WorldReplica] { phones + [server] }

  /// Runs the whole story; throws the first broken promise.
  mutating func run(steps: Int) throws {
    defer { world.remove() }
    for _ in 0..<steps {
      try step()
      let pause = world.random.draw { Int.random(in: 1...3_000, using: &$0) }
      world.run(for: .milliseconds(pause))
      if world.random.draw({ $0.happens(0.2) }) { try checkVectorsAndAtomicity() }
    }
    for connection in connections {
      connection.setFaults(.none)
      connection.connect()
    }
    world.run(for: .seconds(180))
    try checkVectorsAndAtomicity()
    try checkConvergence()
    try checkNothingIsLost()
  }

  private mutating func step() throws {
    let replica = world.random.draw { replicas.randomElement(using: &$0) ?? server }
    switch world.random.draw({ Int.random(in: 0..<20, using: &$0) }) {
    case 0..<4: try create(at: replica)
    case 4..<13: try edit(at: replica)
    case 13..<15: try editTwo(at: replica)
    case 15: try delete(at: replica)
    case 16: try crash(replica)
    case 17: connection(of: replica)?.disconnect()
    default: connection(of: replica)?.connect()
    }
  }

  private func connection(of replica: WorldReplica) -> WorldConnection? {
    phones.firstIndex { $0 === replica }.map { connections[$0] }
  }

  // MARK: What happens

  /// A value that no other write has, so that each can be told apart.
  private mutating func value() -> String {
    counter += 1
    let length = world.random.draw { Int.random(in: 0...300, using: &$0) }
    return "\(counter) " + String(repeating: "x", count: length)
  }

  private mutating func create(at replica: WorldReplica) throws {
    let (title, body) = (value(), value())
    var id: RecordID?
    try replica.store.write(in: world.space) { transaction in
      var note = Note(id: transaction.newID())
      note.title = title
      note.body = body
      try transaction.create(note)
      id = note.id
    }
    guard let id else { return }
    notes.append(id)
    oracle.note([(id, RecordState(), try state(id, at: replica))])
    let held = try replica.store.fetch(Note.self, id, in: world.space)
    guard held?.title == title, held?.body == body else {
      throw Violation(guarantee: 6, description: "\(replica.name) does not read its own creation")
    }
  }

  private mutating func edit(at replica: WorldReplica) throws {
    guard let id = try known(at: replica) else { return }
    let text = value()
    let before = try state(id, at: replica)
    let field = world.random.draw { Int.random(in: 0..<3, using: &$0) }
    let path = [\Note.title, \Note.body, \Note.place][field]
    try replica.store.write(in: world.space) { try $0.set(path, of: id, to: text) }
    oracle.note([(id, before, try state(id, at: replica))])
    guard try replica.store.fetch(Note.self, id, in: world.space)?[keyPath: path] == text else {
      throw Violation(guarantee: 6, description: "\(replica.name) does not read its own write")
    }
  }

  /// One transaction over two records, of which nobody may ever see a half.
  private mutating func editTwo(at replica: WorldReplica) throws {
    guard let one = try known(at: replica), let two = try known(at: replica), one != two else {
      return
    }
    let text = value()
    let before = (try state(one, at: replica), try state(two, at: replica))
    try replica.store.write(in: world.space) {
      try $0.set(\Note.place, of: one, to: text)
      try $0.set(\Note.place, of: two, to: text)
    }
    oracle.note([
      (one, before.0, try state(one, at: replica)), (two, before.1, try state(two, at: replica)),
    ])
  }

  private mutating func delete(at replica: WorldReplica) throws {
    guard let id = try known(at: replica) else { return }
    let before = try state(id, at: replica)
    try replica.store.write(in: world.space) { try $0.delete(Note.self, id) }
    oracle.note([(id, before, try state(id, at: replica))])
  }

  /// A crash forgets nothing that a commit or an acknowledgement has reported.
  private func crash(_ replica: WorldReplica) throws {
    let before = try replica.store.vector(of: world.space)
    for (phone, connection) in zip(phones, connections)
    where phone === replica || replica === server {
      connection.disconnect()
    }
    try replica.crash()
    guard try replica.store.vector(of: world.space).covers(before) else {
      throw Violation(guarantee: 5, description: "\(replica.name) forgot what it had on disk")
    }
    for (phone, connection) in zip(phones, connections)
    where phone === replica || replica === server {
      connection.connect()
    }
  }

  private func known(at replica: WorldReplica) throws -> RecordID? {
    for _ in 0..<6 {
      guard let id = world.random.draw({ notes.randomElement(using: &$0) }) else { return nil }
      if try replica.store.fetch(Note.self, id, in: world.space) != nil { return id }
    }
    return nil
  }

  private func state(_ id: RecordID, at replica: WorldReplica) throws -> RecordState {
    try replica.store.record(entity: Note.schema.number, id, in: world.space) ?? RecordState()
  }

  // MARK: What must hold

  private func checkVectorsAndAtomicity() throws {
    for replica in replicas {
      let vector = try replica.store.vector(of: world.space)
      var states: [RecordID: RecordState] = [:]
      for id in notes { states[id] = try state(id, at: replica) }
      for write in oracle.writes.values where vector.covers(write.cell.dot) {
        guard let held = states[write.place.record]?.register(write.place.field),
          Oracle.wins(held, over: write.cell)
        else {
          throw Violation(
            guarantee: 3,
            description: "\(replica.name) covers \(write.cell.dot) and does not hold its effect")
        }
      }
      for dots in oracle.transactions where dots.count > 1 {
        let shown = dots.compactMap { oracle.writes[$0] }.map {
          write -> (isOwn: Bool, holds: Bool) in
          let held = states[write.place.record]?.register(write.place.field)
          return (
            held?.dot == write.cell.dot, held.map { Oracle.wins($0, over: write.cell) } ?? false
          )
        }
        guard !shown.contains(where: \.isOwn) || shown.allSatisfy(\.holds) else {
          throw Violation(guarantee: 7, description: "\(replica.name) shows half a transaction")
        }
      }
    }
  }

  private func checkConvergence() throws {
    let digests = try replicas.map { try $0.store.digest(of: world.space) }
    guard Set(digests).count == 1 else {
      throw Violation(guarantee: 1, description: "the replicas have not converged")
    }
    let notes = try replicas.map { replica in
      try replica.store.fetch(Query<Note>(in: world.space)).map { "\($0)" }.sorted()
    }
    guard Set(notes).count == 1 else {
      throw Violation(guarantee: 1, description: "equal cells show different records")
    }
  }

  /// All writes of a cell by stamp, for a report.
  private func history(of place: Oracle.Place) -> String {
    oracle.writes.values.filter { $0.place == place }.sorted { $0.cell.stamp < $1.cell.stamp }
      .map { write in
        let cell = write.cell
        return "\n  \(name(of: cell.dot)) stamp \(cell.stamp.rawValue & 0xffff_ffff) replaced "
          + "\(cell.replaced.rawValue & 0xffff_ffff) parent \(write.parent.map(name) ?? "none")"
      }.joined()
  }

  private func name(of dot: Dot) -> String {
    let writer = replicas.first { $0.store.site == dot.site }
    return "\(writer?.name ?? "earlier") \(dot.seq)"
  }

  private func checkNothingIsLost() throws {
    var kept = Set<Dot>()
    var conflictCounts: [Oracle.Place: Int] = [:]
    for replica in replicas {
      for id in notes {
        let conflicts = try replica.store.conflicts(
          entity: Note.schema.number, id, in: world.space)
        for cell in conflicts {
          kept.insert(cell.dot)
          conflictCounts[Oracle.Place(record: id, field: cell.field), default: 0] += 1
        }
      }
    }
    let superseded = Set(oracle.writes.values.compactMap(\.parent))
    for (dot, write) in oracle.writes {
      let held = try state(write.place.record, at: server).register(write.place.field)
      if held?.dot == dot {
        guard !superseded.contains(dot) else {
          throw Violation(guarantee: 6, description: "\(dot) beats an edit whose author saw it")
        }
        continue
      }
      let isDeleted = oracle.deletions.contains {
        $0.record == write.place.record && $0.seen.covers(dot)
      }
      // The table keeps the last four of a cell at each replica.
      let isBeyondBound = conflictCounts[write.place, default: 0] >= 4
      guard superseded.contains(dot) || kept.contains(dot) || isDeleted || isBeyondBound else {
        throw Violation(
          guarantee: 2, description: "the write \(dot) is lost among \(history(of: write.place))")
      }
    }
  }
}
