/// What an entry is about.
public struct FeedCategory: Sendable, Hashable {
  /// The word for programs.
  public var term: String
  /// The address of the list that the term comes from.
  public var scheme: String?
  /// The word for people.
  public var label: String?

  /// Creates a category.
  public init(_ term: String, scheme: String? = nil, label: String? = nil) {
    self.term = term
    self.scheme = scheme
    self.label = label
  }
}
