// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The requirements are documented in FieldValue.
public import ReunionCore

/// A field that counts: additions made on devices that are apart add up.
///
/// ```swift
/// try store.write(in: space) { try $0.add(1, to: \Photo.views, of: photo.id) }
/// let seen = try store.fetch(Photo.self, photo.id, in: space)?.views.value ?? 0
/// let popular = try store.fetch(Query<Photo>(in: space).filter(\.views > 100))
/// print(seen, popular.count)
/// ```
/// What is written is the addition, never the sum, so that nobody's count is lost and none counts
/// twice. Assigning a value in an update adds the difference to what is stored; it sets nothing
/// back for additions that arrive later. A counter has no conflicts.
///
/// The sum wraps at 64 bits. Queries compare and sort by it as a number.
public struct Counter: FieldValue, Hashable, ExpressibleByIntegerLiteral {
  /// What it counts, as far as this device knows. Changing it in a fetched record changes nothing
  /// before a write.
  public var value: Int

  /// Makes a counter; creating a record adds its value.
  public init(_ value: Int = 0) { self.value = value }
  public init(integerLiteral value: Int) { self.value = value }

  public static var valueKind: ValueKind { .counter }
  public var storedValue: Value { .counter(Int64(value)) }
  public init?(storedValue: Value) {
    guard storedValue.kind == .counter, let value = storedValue.int else { return nil }
    self.value = Int(value)
  }
}

extension Counter: CustomStringConvertible {
  /// The number.
  public var description: String { "\(value)" }
}
