import ReunionCore
import ReunionStore

extension Logbook {
  /// What people do, in the words of the version that they have.
  static let actions: [WorldAction] = [
    WorldAction("write", perform: write), WorldAction("write", perform: write),
    WorldAction("edit", perform: edit), WorldAction("edit", perform: edit),
    WorldAction("edit", perform: edit), WorldAction("edit", perform: edit),
    WorldAction("delete", perform: delete), WorldAction("attach", perform: attach),
    WorldAction("gather", perform: gather),
  ]

  /// The version of a store, from 1 on.
  private static func version(_ store: Store) -> Int {
    models.count - (models.firstIndex { $0.entities == store.model.entities } ?? 0)
  }

  private static func text(_ random: inout SeededRandom) -> String {
    String(random.next() >> 40, radix: 36)
      + ["", ", Sea", "\u{0}", String(repeating: "x", count: random.below(400))][random.below(4)]
  }

  private static func some<E: Entity>(
    _: E.Type, _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws -> E? {
    let found = try store.fetch(Query<E>(in: space)).sorted { $0.id < $1.id }
    return found.isEmpty ? nil : found[random.below(found.count)]
  }

  private static func write(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    let (text, other) = (text(&random), text(&random))
    let number = random.below(100)
    try store.write(in: space) { transaction in
      switch version(store) {
      case 1:
        try transaction.create(Entry1.self) {
          ($0.title, $0.place, $0.miles) = (text, other, Int64(number))
        }
      case 2:
        let entry = try transaction.create(Entry2.self) {
          ($0.heading, $0.place, $0.miles, $0.mood) = (text, other, Int64(number), "rough")
        }
        try transaction.create(Sailor.self) { ($0.name, $0.entry) = (other, entry.id) }
      case 3:
        try transaction.create(Entry3.self) {
          ($0.heading, $0.place, $0.metres, $0.tags) = (text, other, Int64(number), ["new"])
        }
      default:
        try transaction.create(Entry4.self) {
          ($0.heading, $0.town, $0.sea, $0.lines) = (text, other, "North", [text])
        }
        try transaction.create(Port.self) { $0.name = other }
      }
    }
  }

  private static func edit(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    let (text, number) = (text(&random), random.below(100))
    let isFirst = random.happens(0.5)
    switch version(store) {
    case 1:
      guard let entry = try some(Entry1.self, store, space, &random) else { return }
      if isFirst {
        try set(\Entry1.title, of: entry.id, to: text, store, space)
      } else {
        try set(\Entry1.miles, of: entry.id, to: Int64(number), store, space)
      }
    case 2:
      guard let entry = try some(Entry2.self, store, space, &random) else { return }
      if isFirst {
        try set(\Entry2.place, of: entry.id, to: text, store, space)
      } else {
        try set(\Entry2.stars, of: entry.id, to: number, store, space)
      }
    case 3:
      guard let entry = try some(Entry3.self, store, space, &random) else { return }
      if isFirst {
        try set(\Entry3.heading, of: entry.id, to: text, store, space)
      } else {
        // What is no whole number of miles does not go back to older devices.
        let metres = Int64(number) * (random.happens(0.7) ? 1852 : 1)
        try set(\Entry3.metres, of: entry.id, to: metres, store, space)
      }
    default:
      guard let entry = try some(Entry4.self, store, space, &random) else { return }
      switch random.below(4) {
      case 0: try set(\Entry4.town, of: entry.id, to: text, store, space)
      case 1: try set(\Entry4.initial, of: entry.id, to: text, store, space)
      case 2: try set(\Entry4.metres, of: entry.id, to: Int64(number), store, space)
      default: try set(\Entry4.stars, of: entry.id, to: Double(number) / 2, store, space)
      }
    }
  }

  /// Writes a field, and reads it (guarantee 6).
  private static func set<E: Entity, V: FieldValue & Equatable>(
    _ path: any WritableKeyPath<E, V> & Sendable, of id: RecordID, to value: V, _ store: Store,
    _ space: SpaceID
  ) throws {
    try store.write(in: space) { try $0.set(path, of: id, to: value) }
    guard let read = try store.fetch(E.self, id, in: space), read[keyPath: path] == value else {
      throw Violation(6, "a device of version \(version(store)) does not read its own edit")
    }
  }

  private static func delete(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    let id =
      switch version(store) {
      case 1: try some(Entry1.self, store, space, &random)?.id
      case 2: try some(Entry2.self, store, space, &random)?.id
      case 3: try some(Entry3.self, store, space, &random)?.id
      default: try some(Entry4.self, store, space, &random)?.id
      }
    guard let id else { return }
    try store.write(in: space) { try $0.delete(Entry1.self, id) }
  }

  private static func attach(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard version(store) == 2, let entry = try some(Entry2.self, store, space, &random) else {
      return
    }
    let size = [0, 1, 900, 16 * 1024, 64 * 1024 + 1][random.below(5)]
    let file = try store.blobs.add([UInt8](repeating: UInt8(random.below(256)), count: size))
    try set(\Entry2.photo, of: entry.id, to: file, store, space)
  }

  private static func gather(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    switch version(store) {
    case 3:
      guard let entry = try some(Entry3.self, store, space, &random) else { return }
      try store.write(in: space) { transaction in
        try transaction.add(1, to: \Entry3.reads, of: entry.id)
        try transaction.insert("seen", into: \Entry3.tags, of: entry.id)
      }
    case 4:
      guard let entry = try some(Entry4.self, store, space, &random) else { return }
      let text = text(&random)
      try store.write(in: space) { try $0.insert(text, into: \Entry4.lines, of: entry.id) }
    default: break
    }
  }

  /// What the newest version shows: every field of every record.
  @Sendable static func shown(_ store: Store, _ space: SpaceID) throws -> [String] {
    guard version(store) == models.count else { return [] }
    let entries = try store.fetch(Query<Entry4>(in: space)).sorted { $0.id < $1.id }
    let ports = try store.fetch(Query<Port>(in: space)).sorted { $0.id < $1.id }
    return entries.map { entry in
      "\(entry.id) \(entry.heading) \(entry.metres) \(entry.town)|\(entry.sea)|\(entry.initial) "
        + "\(entry.mood) \(entry.stars) "
        + "\(entry.photo.map { "\($0.hash)" } ?? "-") \(entry.reads) \(entry.tags.sorted()) "
        + "\(Array(entry.lines))"
    } + ports.map { "\($0.id) \($0.name)" }
  }
}
