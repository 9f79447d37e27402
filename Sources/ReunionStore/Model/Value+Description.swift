import FoundationEssentials
public import ReunionCore

extension Value: CustomStringConvertible {
  /// The value as a person reads it: a text in quotes, a number in digits, a date in ISO 8601, the
  /// first digits of a blob's hash, how many bytes. It is for logs and lists of conflicts; nothing
  /// reads it back.
  public var description: String {
    switch kind {
    case .null: return "none"
    case .bool: return bool.map { "\($0)" } ?? unread
    case .int, .counter: return int.map { "\($0)" } ?? unread
    case .double: return double.map { "\($0)" } ?? unread
    case .text: return "\"\(text ?? "")\""
    case .date:
      return int.map { Date(timeIntervalSince1970: Double($0) / 1000).ISO8601Format() } ?? unread
    case .uuid: return UUID(storedValue: self)?.uuidString ?? unread
    case .reference: return reference?.description ?? unread
    case .blob:
      if let inlineBlob { return "blob of \(inlineBlob.count) bytes" }
      return blob.map { "blob \($0.hash.description.prefix(8)) of \($0.byteCount) bytes" } ?? unread
    case .set, .list:
      guard let elements else { return unread }
      return "[\(elements.map(\.description).joined(separator: ", "))]"
    case .bytes: return "\(bytes.count) bytes"
    default: return unread
    }
  }

  private var unread: String { "\(bytes.count) bytes of kind \(kind.rawValue)" }
}

extension Reference: CustomStringConvertible {
  /// The id of the record.
  public var description: String { id.description }
}
