// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The requirements are documented in FieldValue.
public import ReunionCore

/// A field of elements, each once. Add wins: an element that is added on one device while it is
/// removed on another stays.
///
/// ```swift
/// try store.write(in: space) { try $0.insert("sea", into: \Photo.tags, of: photo.id) }
/// let found = try store.fetch(Query<Photo>(in: space).filter(.contains(\.tags, "sea")))
/// print(found.map(\.tags))
/// ```
/// Elements are the same if their stored bytes are. An update with another set inserts and removes
/// what differs; what others insert meanwhile stays. A set has no conflicts.
///
/// Elements of a kind that the type cannot read, as of a newer app, are not seen and not removed.
extension Set: FieldValue where Element: FieldValue {
  public static var valueKind: ValueKind { .set }
  public var storedValue: Value {
    let elements = Set<Value>(map(\.storedValue))
    return Value(gathering: elements.sorted(by: Value.isOrdered), as: .set)
  }
  public init?(storedValue: Value) {
    guard storedValue.kind == .set, let elements = storedValue.elements else { return nil }
    self = Set(elements.compactMap(Element.init(storedValue:)))
  }
}

extension Set: GatheredElements where Element: FieldValue {
  static var elementKind: ValueKind { Element.valueKind }
}
