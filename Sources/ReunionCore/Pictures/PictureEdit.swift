/// What a person did to a picture: a crop of the upright picture, and then quarter turns.
///
/// ```swift
/// func turnedLeft(_ kept: [UInt8]) -> [UInt8] {
///   let edit = PictureEdit(bytes: kept) ?? .original
///   return PictureEdit(crop: edit.crop, quarterTurns: Int(edit.quarterTurns) - 1).bytes
/// }
/// ```
///
/// It is kept beside the original, which stays as it is, as a field of nine bytes. So edits of
/// several people merge as any field does, and an edit can be taken back. Each copy of the picture,
/// however small, is shown alike.
///
/// A crop hides nothing: whoever may have the original can see what was cut off.
public struct PictureEdit: Hashable, Sendable {
  /// The picture as it was taken.
  public static let original = PictureEdit()

  /// The part of the upright picture that is shown.
  public var crop: PictureCrop
  /// Quarter turns clockwise of what is shown, 0 to 3.
  public let quarterTurns: UInt8

  /// Makes an edit; quarter turns count modulo 4, and fewer than 0 turn the other way.
  ///
  /// The crop is always of the upright picture before it is turned: who turns a picture further
  /// leaves the crop as it is.
  public init(crop: PictureCrop = .whole, quarterTurns: Int = 0) {
    self.crop = crop
    self.quarterTurns = UInt8(truncatingIfNeeded: quarterTurns & 3)
  }

  /// The edit in nine bytes: the quarter turns, then left, top, right and bottom, most significant
  /// byte first.
  public var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.byte(quarterTurns)
    writer.integer(crop.edges)
    return writer.bytes
  }

  /// Reads the nine bytes; nil for any others, such as those of a newer version. Show the original
  /// then.
  public init?(bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let edit = try? reader.pictureEdit(), reader.remaining == 0 else { return nil }
    self = edit
  }
}

extension ByteReader {
  /// Reads the nine bytes of an edit.
  mutating func pictureEdit() throws(WireError) -> PictureEdit {
    let turns = try byte()
    guard turns < 4, let crop = PictureCrop(edges: try integer(UInt64.self)) else {
      throw .malformed("This is not an edit of a picture.")
    }
    return PictureEdit(crop: crop, quarterTurns: Int(turns))
  }
}

#if !hasFeature(Embedded)
  extension PictureEdit: LosslessStringConvertible {
    /// The nine bytes as hexadecimal digits, for names of files and in URLs.
    public var description: String { Hexadecimal.text(bytes) }

    /// Reads what `description` gives, in lower case; nil for anything else.
    public init?(_ text: String) {
      guard let bytes = Hexadecimal.bytes(text), let edit = PictureEdit(bytes: bytes),
        edit.description == text
      else { return nil }
      self = edit
    }
  }
#endif
