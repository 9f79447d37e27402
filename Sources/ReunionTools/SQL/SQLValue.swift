public import ReunionCore
import ReunionStore

/// An SQL value: what a column holds, and what takes the place of a `?`.
///
/// ```swift
/// let rows = try store.sql(
///   "SELECT caption FROM photo WHERE album = ? AND views > ?", [SQLValue(album.id), 10])
/// for row in rows { print(row.values[0].text ?? "no caption") }
/// ```
///
/// A literal is a value; a variable is wrapped, as `.text(name)`. Pass values like this, and put
/// none into the SQL.
public enum SQLValue: Hashable, Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number; SQL has no NaN.
  case real(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// The bytes of an id: of a record, a space or a site.
  public init(_ id: some Identifier) { self = .blob(id.bytes) }

  /// The whole number, if it is one; a truth value is 0 or 1.
  public var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, if it is one, whole or not.
  public var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  /// The text, if it is one.
  public var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The bytes, if it holds bytes.
  public var blob: [UInt8]? {
    if case .blob(let value) = self { value } else { nil }
  }

  var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .blob(let bytes): bytes.count
    default: 8
    }
  }
}

extension SQLValue: CustomStringConvertible {
  /// The value as a person reads it: bytes as hexadecimal digits, no value as nothing.
  public var description: String {
    switch self {
    case .null: ""
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value
    case .blob(let value): Hexadecimal.text(value)
    }
  }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  /// No value.
  public init(nilLiteral: ()) { self = .null }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A floating-point number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
}
