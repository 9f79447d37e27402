/// What a server said, from which it can tell later whether a document has changed; RFC 9110, 8.8.
///
/// Keep them together with what you read of the document, or after it: a server that sees them
/// sends nothing again.
public struct FeedValidators: Sendable, Hashable {
  /// The value of `ETag`, with its quotes.
  public var entityTag: String?
  /// The value of `Last-Modified`, as the server sent it.
  public var lastModified: String?

  /// Creates validators; none by default, so that the server sends everything.
  public init(entityTag: String? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }
}
