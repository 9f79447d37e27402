import ReunionCore
import ReunionServer
import ReunionStore

/// A note, perhaps with a file, that anybody in a space may add.
struct Note: Entity, Equatable {
  let id: RecordID
  var text = ""
  var file: BlobReference?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Note>(
    1, "note", [.field(1, "text", \.text), .field(2, "file", \.file)])
}

/// What the server alone may say.
struct Score: Entity {
  let id: RecordID
  var points: Int64 = 0

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Score>(2, "score", [.field(1, "points", \.points)])
}

/// The model of everybody in this world.
enum TenantModel {
  static let notes = Model(Note.schema, Score.schema)
  static let served = Model(entities: notes.entities + ServedSpaces.entities)
}
