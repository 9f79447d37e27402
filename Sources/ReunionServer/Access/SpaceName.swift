import ReunionCore
import ReunionStore

/// The name of a space that a server made, in the space of its members: a clone or a backup of the one
/// brings the other.
struct SpaceName: Entity {
  let id: RecordID
  var name = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<SpaceName>(
    16_777_206, "reunion_spaceName", [.field(1, "name", \.name, bytesMax: 256)])

  /// The id of the record is the space's.
  static func id(of space: SpaceID) -> RecordID { RecordID(high: space.high, low: space.low) }

  /// The space that it names.
  var space: SpaceID { SpaceID(high: id.high, low: id.low) }
}
