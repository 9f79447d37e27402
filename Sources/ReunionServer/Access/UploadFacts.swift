import ReunionCore

/// What the application found out about an upload.
public struct UploadFacts: Sendable {
  /// The width of the upright picture in pixels; 0 if it is no picture.
  public var width: Int
  /// Its height.
  public var height: Int
  /// Its media type, by its bytes and not by its name.
  public var contentType: String
  /// When it was taken, in milliseconds since 1970, if it says so.
  public var takenMilliseconds: Int64?
  /// Its average colour as 0xRRGGBB.
  public var color: Int
  /// Why no picture can be made of a file that is kept, in a sentence for its sender; nil where one can.
  public var unshown: String?

  /// Takes the facts.
  public init(
    width: Int, height: Int, contentType: String, takenMilliseconds: Int64? = nil, color: Int = 0
  ) {
    self.width = width
    self.height = height
    self.contentType = contentType
    self.takenMilliseconds = takenMilliseconds
    self.color = color
  }

  func json(_ reference: BlobReference) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "hash": .text(reference.hash.description), "bytes": .number(Int64(reference.byteCount)),
      "width": .number(Int64(width)), "height": .number(Int64(height)),
      "contentType": .text(contentType), "color": .number(Int64(color)),
    ]
    if let unshown { fields["unshown"] = .text(unshown) }
    if let takenMilliseconds { fields["takenAt"] = .number(takenMilliseconds) }
    return fields
  }
}
