/// The strong tag of one exact content.
public struct EntityTag: Sendable, Equatable {
  /// The tag with its quotes, as it stands in a header field.
  let quoted: String

  /// Makes a tag from a text, such as the hash of the content. It leaves out characters that a tag
  /// cannot hold.
  public init(_ text: String) {
    let kept = text.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7f && $0 != "\"" }
    quoted = "\"" + String(String.UnicodeScalarView(kept)) + "\""
  }

  /// True where an If-None-Match field names this tag; weak ones count, as the RFC says.
  ///
  /// *Source*: RFC 9110 section 13.1.2.
  func isNamed(inIfNoneMatch field: String?) -> Bool {
    guard let field else { return false }
    return field.trimmed == "*"
      || field.split(separator: ",").contains { item in
        let tag = item.trimmed
        return (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == quoted
      }
  }

  /// True where a Range field holds although there is an If-Range field: that names this tag, as a
  /// strong one.
  func allowsRange(ifRange field: String?) -> Bool { field.map { $0.trimmed == quoted } ?? true }
}
