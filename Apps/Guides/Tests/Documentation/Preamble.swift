import Foundation
import Reunion

// What the examples of doc comments take for granted, as the guide `data` has it. No target compiles this file:
// `DocumentationExampleTests` puts it beside the examples.

struct Album: Entity {
  let id: RecordID
  var name = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Album>(1, "album", [.field(1, "name", \.name)])
}

struct Photo: Entity {
  let id: RecordID
  var caption: String?
  var album: Reference<Album>?
  var views: Counter = 0
  var takenAt: Date?
  var tags: Set<String> = []
  var thumbnail: Blob?
  var steps: OrderedList<String> = []
  var stars = 0
  var isHidden = false
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Photo>(
    2, "photo",
    [
      .field(1, "caption", \.caption, .searchable),
      .field(2, "album", \.album, onDelete: .delete), .field(3, "views", \.views),
      .field(4, "takenAt", \.takenAt), .field(5, "tags", \.tags),
      .field(6, "thumbnail", \.thumbnail, inlineBelow: 32 * 1024),
      .field(7, "steps", \.steps), .field(8, "stars", \.stars),
      .field(9, "isHidden", \.isHidden),
    ],
    indexes: [[\.album, \.takenAt]])
}

let model = Model(Album.schema, Photo.schema)
