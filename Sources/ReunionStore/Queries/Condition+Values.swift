import ReunionCore

extension Condition {
  /// The most values that one condition compares a field with.
  static var valuesMax: Int { 30_000 }

  /// A text begins with another, byte for byte.
  ///
  /// ```swift
  /// let found = Query<Photo>(in: space).filter(.hasPrefix(\.caption, "Harbour"))
  /// print(try store.count(found))
  /// ```
  /// Case counts, and so does the form of accents. An empty prefix is in each text. *Cost*: no
  /// index serves it; each record is looked at.
  public static func hasPrefix(
    _ path: any KeyPath<E, String> & Sendable, _ prefix: String
  ) -> Condition { Condition(.text(path, .prefix, Array(prefix.utf8))) }

  /// A text begins with another, byte for byte; "none" does not, even with nothing.
  public static func hasPrefix(
    _ path: any KeyPath<E, String?> & Sendable, _ prefix: String
  ) -> Condition { Condition(.text(path, .prefix, Array(prefix.utf8))) }

  /// A text contains another, byte for byte. For words, however they are written:
  /// `Query.matching(_:prefixes:)`. *Cost*: no index serves it; each record's text is looked
  /// through.
  public static func contains(
    _ path: any KeyPath<E, String> & Sendable, _ part: String
  ) -> Condition { Condition(.text(path, .part, Array(part.utf8))) }

  /// A text contains another, byte for byte; "none" does not, even nothing.
  public static func contains(
    _ path: any KeyPath<E, String?> & Sendable, _ part: String
  ) -> Condition { Condition(.text(path, .part, Array(part.utf8))) }
}

extension Sequence where Element: FieldValue {
  /// A field is one of these values, at most 30,000; with more, fetching throws `outOfRange`. With
  /// no values nothing is found.
  ///
  /// ```swift
  /// let found = Query<Photo>(in: space).filter([1, 5].contains(\.stars))
  /// print(try store.count(found))
  /// ```
  /// An index that begins with the field serves it.
  public func contains<E: Entity>(_ path: any KeyPath<E, Element> & Sendable) -> Condition<E> {
    Condition(.isOneOf(path, map(\.storedValue)))
  }

  /// A field is one of these values, at most 30,000; "none" is not.
  public func contains<E: Entity>(_ path: any KeyPath<E, Element?> & Sendable) -> Condition<E> {
    Condition(.isOneOf(path, map(\.storedValue)))
  }
}

/// A field is false.
///
/// ```swift
/// let shown = Query<Photo>(in: space).filter(!\.isHidden)
/// print(try store.count(shown))
/// ```
public prefix func ! <E: Entity>(path: any KeyPath<E, Bool> & Sendable) -> Condition<E> {
  path == false
}

/// A field names a record, by its id: whether the record is there does not count. For an id at
/// hand, compare with a `Reference`.
///
/// ```swift
/// let photos = Query<Photo>(in: space).filter(\.album == album)
/// print(try store.count(photos))
/// ```
public func == <E: Entity, R: TypedReferenceValue>(
  path: any KeyPath<E, R> & Sendable, record: R.Target
) -> Condition<E> { Condition(.comparison(path, .equal, .reference(record.id))) }

/// A field does not name a record: it names another one, or none.
public func != <E: Entity, R: TypedReferenceValue>(
  path: any KeyPath<E, R> & Sendable, record: R.Target
) -> Condition<E> { Condition(.comparison(path, .unequal, .reference(record.id))) }

extension Query {
  /// Those of which a field is true: `filter(\.isHidden)`.
  public func filter(_ path: any KeyPath<E, Bool> & Sendable) -> Query { filter(path == true) }
}

/// How a text is looked at, byte for byte.
enum TextComparison: Sendable {
  case prefix
  case part

  /// SQL that tells whether the comparison holds for a column and a value of `byteCount` bytes.
  ///
  /// As blobs, since the functions of texts end at a NUL.
  func sql(_ column: String, _ value: String, _ byteCount: Int) -> String {
    switch self {
    case .prefix: "(substr(CAST(\(column) AS BLOB), 1, \(byteCount)) = \(value))"
    case .part: "(instr(CAST(\(column) AS BLOB), \(value)) > 0)"
    }
  }

  /// Whether it holds of a text.
  func holds(_ text: [UInt8], _ bytes: [UInt8]) -> Bool {
    switch self {
    case .prefix: text.starts(with: bytes)
    case .part: text.contains(bytes)
    }
  }
}
