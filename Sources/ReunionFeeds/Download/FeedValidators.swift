/// What a server said by which it can tell whether a document has changed since; RFC 9110, 8.8.
///
/// Keep them with what was read of the document, or after it: a server that is shown them sends
/// nothing again.
public struct FeedValidators: Sendable, Hashable {
  /// The value of `ETag`, with its quotes.
  public var entityTag: String?
  /// The value of `Last-Modified`, as it was sent.
  public var lastModified: String?

  /// Creates validators; none by default, so that everything is sent.
  public init(entityTag: String? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }
}
