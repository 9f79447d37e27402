public import Reunion
import ReunionMedia

// The entities are made of Album.reunionmodel.

extension Album {
  /// The id of the album's record in its space.
  static func id(in space: SpaceID) -> RecordID { RecordID(high: space.high, low: space.low) }
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
