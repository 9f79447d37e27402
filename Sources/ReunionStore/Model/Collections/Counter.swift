// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The requirements are documented in FieldValue.
public import ReunionCore

/// A field that counts: additions made on devices that are apart add up.
///
/// ```swift
/// try store.write(in: space) { try $0.add(1, to: \Photo.views, of: id) }
/// ```
/// The sum wraps at 64 bits.
public struct Counter: FieldValue, Hashable, ExpressibleByIntegerLiteral {
  /// What it counts.
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
