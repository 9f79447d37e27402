import Foundation
import Reunion

/// How the feed stands: one record, whose id is the space's.
struct FeedStatus: Entity, Equatable {
  let id: RecordID
  /// The feed's own title, empty before it was read.
  var title = ""
  /// Who serves it, or the name of its file.
  var source = ""
  /// When it was last read, or found to be as it was.
  var checkedAt: Date?
  /// What is wrong with it now, in a sentence; empty where all is well.
  var problem = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<FeedStatus>(
    1, "feed",
    [
      .field(1, "title", \.title), .field(2, "source", \.source),
      .field(3, "checkedAt", \.checkedAt), .field(4, "problem", \.problem),
    ])

  /// The id of the status in its space.
  static func id(in space: SpaceID) -> RecordID { RecordID(high: space.high, low: space.low) }
}
