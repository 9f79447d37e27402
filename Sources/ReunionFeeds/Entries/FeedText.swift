/// A text and the format that it is written in.
///
/// A feed's texts come from strangers: clean HTML before you show it in a page.
public struct FeedText: Sendable, Hashable {
  /// What a text is written in.
  public enum Kind: Sendable, Hashable {
    /// Words as they are.
    case plain
    /// HTML, as a fragment.
    case html
    /// XHTML: a well-formed fragment.
    case xhtml
    /// A media type, such as `image/svg+xml`; what is neither XML nor text is in base64.
    case media(String)
  }

  /// What it is written in.
  public var kind: Kind
  /// The text, without white space around it.
  public var text: String

  /// Creates a text.
  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}
