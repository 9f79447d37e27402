import ReunionCore
import ReunionStore
import ReunionTesting

/// A short story in a world that is directed by hand, for what random histories rarely meet.
struct Scene: Sendable {
  let name: String
  let play: @Sendable (WorldCoverage) throws -> Void

  init(_ name: String, play: @escaping @Sendable (WorldCoverage) throws -> Void) {
    self.name = name
    self.play = play
  }

  /// What the scenes write.
  struct Note: Entity {
    let id: RecordID
    var text = ""

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
  }

  static func world(
    _ coverage: WorldCoverage? = nil, bugs: SeededBugs = [], raisesHorizon: Bool = false
  ) -> World {
    World(
      seed: 1, model: Model(Note.schema), seededBugs: bugs, coverage: coverage,
      taps: WorldTaps(raisesHorizon: raisesHorizon))
  }
}

extension WorldReplica {
  /// Writes a note in a transaction of its own.
  func write(_ text: String, in world: World) throws {
    _ = try store.write(in: world.space) { try $0.create(Scene.Note.self) { $0.text = text } }
  }
}
