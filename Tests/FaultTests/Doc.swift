import ReunionCore
import ReunionStore

/// The record of the fault tests.
struct Doc: Entity, Hashable {
  let id: RecordID
  var text = ""
  var number = 0
  var bytes: [UInt8] = []
  var file: BlobReference?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Doc>(
    1, "doc",
    [
      .field(1, "text", \.text), .field(2, "number", \.number), .field(3, "bytes", \.bytes),
      .field(4, "file", \.file),
    ])
}

let space = SpaceID(high: 7, low: 7)
let model = Model(Doc.schema)
