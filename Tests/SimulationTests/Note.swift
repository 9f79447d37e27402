import Reunion

/// The record of the simulations.
struct Note: Entity {
  let id: RecordID
  var title = ""
  var body = ""
  var place = ""

  init(id: RecordID) { self.id = id }

  static let schema = Schema<Note>(
    1, "note",
    [.field(1, "title", \.title), .field(2, "body", \.body), .field(3, "place", \.place)])

  static let fields: [UInt32] = [1, 2, 3]
}
