/// A person who wrote an entry.
public struct FeedPerson: Sendable, Hashable {
  /// The name; empty if the feed has only an address.
  public var name: String
  /// The e-mail address.
  public var email: String?
  /// The address of a page about them.
  public var address: String?

  /// Creates a person.
  public init(name: String, email: String? = nil, address: String? = nil) {
    self.name = name
    self.email = email
    self.address = address
  }
}
