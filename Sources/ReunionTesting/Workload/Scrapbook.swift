import ReunionCore
import ReunionStore

/// An app of registers alone, as the album and the map are: what the browser's core that they ship
/// can merge.
package enum Scrapbook {
  /// A photo, with a register of several kinds.
  struct Photo: Entity, Equatable {
    let id: RecordID
    var caption = ""
    var place = ""
    var width: Int64 = 0
    var brightness = 0.0
    var stack: RecordID?

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Photo>(
      1, "photo",
      [
        .field(1, "caption", \.caption), .field(2, "place", \.place), .field(3, "width", \.width),
        .field(4, "brightness", \.brightness), .field(5, "stack", \.stack),
      ])
  }

  /// A heart for a photo.
  struct Heart: Entity {
    let id: RecordID
    var photo: RecordID?

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Heart>(2, "heart", [.field(1, "photo", \.photo)])
  }

  /// The simulation of this app.
  package static func simulation(hazards: Hazards = .all) -> Simulation {
    var simulation = Simulation(
      models: [Model(Photo.schema, Heart.schema)],
      actions: [
        WorldAction("add", perform: add), WorldAction("edit", perform: edit),
        WorldAction("edit", perform: edit), WorldAction("edit two", perform: editTwo),
        WorldAction("delete", perform: delete), WorldAction("heart", perform: heart),
        WorldAction("add many", perform: addMany),
      ])
    simulation.hazards = hazards
    return simulation
  }

  private static func text(_ random: inout SeededRandom) -> String {
    let own = String(random.next() >> 40, radix: 36)
    return own
      + [
        "", "\u{0}end", "e\u{301}\u{212b}", String(repeating: "x", count: random.below(600)),
      ][random.below(4)]
  }

  private static func some(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws -> Photo? {
    let photos = try store.fetch(Query<Photo>(in: space)).sorted { $0.id < $1.id }
    return photos.isEmpty ? nil : photos[random.below(photos.count)]
  }

  private static func add(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    var photo = Photo(id: store.newID())
    photo.caption = text(&random)
    photo.width = [.max, .min, 0, 7][random.below(4)]
    photo.brightness = [-0.0, .nan, .infinity, 0.1][random.below(4)]
    try store.write(in: space) { try $0.create(photo) }
  }

  private static func edit(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let photo = try some(store, space, &random) else {
      return try add(store, space, &random)
    }
    let text = text(&random)
    let path = random.happens(0.5) ? \Photo.caption : \Photo.place
    try store.write(in: space) { try $0.set(path, of: photo.id, to: text) }
    guard try store.fetch(Photo.self, photo.id, in: space)?[keyPath: path] == text else {
      throw Violation(6, "a device does not read its own edit")
    }
  }

  /// One transaction over two records, of which nobody may ever see a half.
  private static func editTwo(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let one = try some(store, space, &random), let two = try some(store, space, &random)
    else { return try add(store, space, &random) }
    let text = text(&random)
    try store.write(in: space) {
      try $0.set(\Photo.place, of: one.id, to: text)
      try $0.set(\Photo.caption, of: two.id, to: text)
      try $0.set(\Photo.stack, of: one.id, to: two.id)
    }
  }

  private static func delete(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let photo = try some(store, space, &random) else { return }
    try store.write(in: space) { try $0.delete(Photo.self, photo.id) }
  }

  private static func heart(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    guard let photo = try some(store, space, &random) else { return }
    try store.write(in: space) { transaction in
      _ = try transaction.create(Heart.self) { $0.photo = photo.id }
      try transaction.set(\Photo.place, of: photo.id, to: "loved")
    }
  }

  /// One transaction of many parts, so that a push of it comes in many messages.
  private static func addMany(
    _ store: Store, _ space: SpaceID, _ random: inout SeededRandom
  ) throws {
    let texts = (0..<8).map { _ in text(&random) }
    try store.write(in: space) { transaction in
      for text in texts {
        _ = try transaction.create(Photo.self) {
          $0.caption = text
          $0.place = String(repeating: "y", count: 300)
        }
      }
    }
  }
}
