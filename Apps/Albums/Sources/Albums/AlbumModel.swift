import Foundation
import Reunion
import ReunionMedia

/// The album itself: one record, whose id is the space's.
struct Album: Entity {
  let id: RecordID
  var name = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Album>(1, "album", [.field(1, "name", \.name, bytesMax: 1024)])

  /// The id of the album's record in its space.
  static func id(in space: SpaceID) -> RecordID { RecordID(high: space.high, low: space.low) }
}

/// Somebody with a device in the album; whoever made this record is it.
struct Guest: Entity {
  let id: RecordID
  var name = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Guest>(2, "guest", [.field(1, "name", \.name, bytesMax: 1024)])
}

/// A photo: its bytes as they were taken, a small preview, and what is known of it.
struct Photo: Entity {
  let id: RecordID
  var original: BlobReference?
  var preview: BlobReference?
  var caption = ""
  /// The upright picture's size in pixels.
  var width = 0
  var height = 0
  var takenAt: Date?
  var fileName = ""
  var contentType = ""
  /// The average colour as 0xRRGGBB, shown until the preview is there.
  var color = 0
  /// When the server had checked the original and had it on disk.
  var storedAt: Date?
  /// Crop and turns, beside the original; nil for the photo as it was taken.
  var edit: PictureEdit?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Photo>(
    3, "photo",
    [
      .field(1, "original", \.original), .field(2, "preview", \.preview),
      .field(3, "caption", \.caption, bytesMax: 4096), .field(4, "width", \.width),
      .field(5, "height", \.height), .field(6, "takenAt", \.takenAt),
      .field(7, "fileName", \.fileName, bytesMax: 1024),
      .field(8, "contentType", \.contentType, bytesMax: 256),
      .field(9, "color", \.color), .field(10, "storedAt", \.storedAt),
      .field(11, "edit", \.edit, bytesMax: 64),
    ])
}

/// An edit is one value: of two that were made apart the later one stands as a whole.
extension PictureEdit: @retroactive FieldValue {
  /// The nine bytes.
  public static var valueKind: ValueKind { .bytes }
  /// The nine bytes.
  public var storedValue: Value { .bytes(bytes) }
  /// Reads them; an edit of a newer version is none here, and stays as it is.
  public init?(storedValue: Value) {
    guard storedValue.kind == .bytes else { return nil }
    self.init(bytes: storedValue.bytes)
  }
}

/// A heart that somebody put on a photo.
struct Heart: Entity {
  let id: RecordID
  var photo: RecordID?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Heart>(4, "heart", [.field(1, "photo", \.photo)])
}
