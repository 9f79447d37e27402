/// An address that an entry or a feed points to.
public struct FeedLink: Sendable, Hashable {
  /// The address, as the document has it.
  public var address: String
  /// What it is to the entry: `alternate`, `self`, `enclosure`, `related`, …
  public var relation: String
  /// The media type, such as `text/html`.
  public var mediaType: String?
  /// A title for people.
  public var title: String?
  /// The size that the feed promises, in bytes.
  public var byteCount: Int?

  /// Creates a link.
  public init(
    _ address: String, relation: String = "alternate", mediaType: String? = nil,
    title: String? = nil, byteCount: Int? = nil
  ) {
    self.address = address
    self.relation = relation
    self.mediaType = mediaType
    self.title = title
    self.byteCount = byteCount
  }
}
