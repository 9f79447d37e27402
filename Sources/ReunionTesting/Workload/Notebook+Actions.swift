import ReunionCore
import ReunionStore

extension Notebook {
  /// What the app does, each about as often as people do.
  package static let actions: [WorldAction] = [
    action("create", create), action("create", create), action("edit", edit),
    action("edit", edit), action("edit", edit), action("edit", edit),
    action("edit two", editTwo), action("edit two", editTwo), action("delete", delete),
    action("insert again", insertAgain), action("count", count), action("tag", tag),
    action("write a line", writeLine), action("write a line", writeLine),
    action("mark", mark), action("attach", attach), action("write much", writeMuch),
  ]

  /// The same with records that are erased for good: apart, since histories differ with each action.
  package static let actionsWithErasure = actions + [action("erase", erase)]

  /// An action of a device that knows the whole model; an earlier build edits titles instead.
  private static func action(
    _ name: String,
    _ perform: @escaping @Sendable (Store, SpaceID, inout SeededRandom) throws -> Void
  ) -> WorldAction {
    WorldAction(name) { store, space, random in
      switch store.model.entities.count {
      case 2: try perform(store, space, &random)
      case 1: try editEarly(store, space, &random)
      default: break
      }
    }
  }

  /// Texts and numbers that are easily changed on their way, each with something of its own.
  private static func text(_ random: inout SeededRandom) -> String {
    let own = String(random.next() >> 40, radix: 36)
    switch random.below(8) {
    case 0: return own + "\u{0}end"
    case 1: return own + "e\u{301}\u{212b}"
    case 2: return own + String(repeating: "x", count: random.below(700))
    default: return own + String(repeating: "x", count: random.below(20))
    }
  }

  private static let weights: [Double] = [
    -0.0, .nan, .infinity, .leastNonzeroMagnitude, Double(nan: 7, signaling: false), 0.1,
  ]

  /// One of the living notes; nil if there is none.
  private static func someNote(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws -> Note? {
    let notes = try store.fetch(Query<Note>(in: space)).sorted { $0.id < $1.id }
    return notes.isEmpty ? nil : notes[random.below(notes.count)]
  }

  private static func create(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    var note = Note(id: store.newID())
    note.title = text(&random)
    note.body = text(&random)
    note.weight = weights[random.below(weights.count)]
    note.size = [.max, .min, 0, 7][random.below(4)]
    note.bytes = Array(note.title.utf8.prefix(9))
    note.lines = ["one", "two"]
    note.tags = ["new"]
    try store.write(in: space) { try $0.create(note) }
    try expect(store, space, note.id, "its own creation") { $0.title == note.title }
  }

  private static func edit(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else {
      return try create(store, space, &random)
    }
    let text = text(&random)
    let path = random.happens(0.5) ? \Note.title : \Note.body
    try store.write(in: space) { try $0.set(path, of: note.id, to: text) }
    try expect(store, space, note.id, "its own edit") { $0[keyPath: path] == text }
  }

  /// One transaction over two records, of which nobody may ever see a half.
  private static func editTwo(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let one = try someNote(store, space, &random),
      let two = try someNote(store, space, &random)
    else { return try create(store, space, &random) }
    let text = text(&random)
    try store.write(in: space) {
      try $0.set(\Note.body, of: one.id, to: text)
      try $0.set(\Note.title, of: two.id, to: text)
      try $0.set(\Note.next, of: one.id, to: two.id)
    }
    try expect(store, space, two.id, "its own edit of two") { $0.title == text }
  }

  private static func delete(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else { return }
    try store.write(in: space) { try $0.delete(Note.self, note.id) }
    guard try store.fetch(Note.self, note.id, in: space) == nil else {
      throw Violation(6, "a device sees a note that it has deleted")
    }
  }

  private static func erase(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else { return }
    try store.write(in: space) { try $0.erase(Note.self, note.id) }
    guard try store.fetch(Note.self, note.id, in: space) == nil,
      try store.record(entity: Note.schema.number, note.id, in: space) == nil
    else { throw Violation(8, "a device holds a note that it has erased") }
  }

  /// Deletes a note and makes it again under its id.
  private static func insertAgain(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard var note = try someNote(store, space, &random) else { return }
    try store.write(in: space) { try $0.delete(Note.self, note.id) }
    note.title = text(&random)
    try store.write(in: space) { try $0.create(note) }
    try expect(store, space, note.id, "what it made again") { $0.title == note.title }
  }

  private static func count(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else { return }
    let step = random.below(9) - 3
    try store.write(in: space) { try $0.add(step, to: \Note.reads, of: note.id) }
  }

  private static func tag(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else { return }
    let tag = ["new", "old", "far", "near"][random.below(4)]
    try store.write(in: space) { transaction in
      if note.tags.contains(tag) {
        try transaction.remove(tag, from: \Note.tags, of: note.id)
      } else {
        try transaction.insert(tag, into: \Note.tags, of: note.id)
      }
    }
  }

  private static func writeLine(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else { return }
    let (text, count) = (text(&random), note.lines.count)
    let kind = random.below(3)
    let (from, to) = (random.below(max(count, 1)), random.below(max(count, 1)))
    try store.write(in: space) { transaction in
      switch kind {
      case 1 where count > 0: try transaction.remove(at: from, from: \Note.lines, of: note.id)
      case 2 where count > 0:
        try transaction.move(in: \Note.lines, from: from, to: to, of: note.id)
      default: try transaction.insert(text, into: \Note.lines, of: note.id)
      }
    }
  }

  private static func mark(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else { return }
    try store.write(in: space) { transaction in
      try transaction.create(Mark.self) {
        $0.note = note.id
        $0.isDone = true
      }
      try transaction.set(\Note.title, of: note.id, to: "marked")
    }
  }

  /// A blob of a size at which something may go wrong, on a note.
  private static func attach(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let note = try someNote(store, space, &random) else { return }
    let piece = 64 * 1024
    let size = [0, 1, piece - 1, piece, piece + 1, 2 * piece, 900][random.below(7)]
    var bytes = [UInt8](repeating: UInt8(random.below(256)), count: size)
    if size > 0 { bytes[size / 2] = UInt8(random.below(256)) }
    let file = try store.blobs.add(bytes)
    try store.write(in: space) { try $0.set(\Note.file, of: note.id, to: file) }
  }

  /// One transaction of many parts, so that a push of it comes in many messages.
  private static func writeMuch(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    let texts = (0..<8).map { _ in text(&random) }
    try store.write(in: space) { transaction in
      for text in texts {
        try transaction.create(Note.self) {
          $0.title = text
          $0.body = String(repeating: "y", count: 300)
        }
      }
    }
  }

  private static func editEarly(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    let notes = try store.fetch(Query<EarlyNote>(in: space)).sorted { $0.id < $1.id }
    let text = text(&random)
    guard !notes.isEmpty, random.happens(0.8) else {
      _ = try store.write(in: space) { try $0.create(EarlyNote.self) { $0.title = text } }
      return
    }
    let note = notes[random.below(notes.count)]
    try store.write(in: space) { transaction in
      if text.utf8.count % 7 == 0 {
        try transaction.delete(EarlyNote.self, note.id)
      } else {
        try transaction.set(\EarlyNote.title, of: note.id, to: text)
      }
    }
  }

  /// A device reads what it has just written (guarantee 6).
  private static func expect(
    _ store: Store, _ space: SpaceID, _ id: RecordID, _ what: String,
    _ isSo: (Note) -> Bool
  ) throws {
    guard let note = try store.fetch(Note.self, id, in: space), isSo(note) else {
      throw Violation(6, "a device does not read \(what)")
    }
  }
}
