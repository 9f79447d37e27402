// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The requirements are documented once, in the protocol.
public import FoundationEssentials
public import ReunionCore
public import ReunionDisk

/// A Swift type that a field can have.
///
/// Enums with raw values conform by name alone: `enum Rating: Int, FieldValue { … }`. If a type cannot
/// read a value, for example a newer app's enum case, the field has its default, and the stored value
/// is never overwritten by it.
public protocol FieldValue: Sendable {
  /// The kind that the field has in the model, for ever.
  static var valueKind: ValueKind { get }
  /// Whether the type has a value for "none".
  static var isOptional: Bool { get }
  /// The value as it is stored.
  var storedValue: Value { get }
  /// Reads a stored value; nil where it is none of this type.
  init?(storedValue: Value)

  /// Reads a column of this kind, without a `Value` between; nil where it holds none of this type.
  /// A type that does not say how goes through `init(storedValue:)`.
  static func read(_ column: ColumnReader) throws(StoreError) -> Self?
  /// Writes into a column of this kind, without a `Value` between.
  func write(to column: inout ColumnWriter) throws(StoreError)
}

extension FieldValue {
  public static var isOptional: Bool { false }
  public static func read(_ column: ColumnReader) throws(StoreError) -> Self? {
    try column.value(kind: valueKind).flatMap { Self(storedValue: $0) }
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(value: storedValue)
  }
}

extension Bool: FieldValue {
  public static var valueKind: ValueKind { .bool }
  public var storedValue: Value { .bool(self) }
  public init?(storedValue: Value) {
    guard let bool = storedValue.bool else { return nil }
    self = bool
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> Bool? {
    try column.int().map { $0 != 0 }
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(Int64(self ? 1 : 0))
  }
}

extension Int64: FieldValue {
  public static var valueKind: ValueKind { .int }
  public var storedValue: Value { .int(self) }
  public init?(storedValue: Value) {
    guard storedValue.kind == .int, let int = storedValue.int else { return nil }
    self = int
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> Int64? { try column.int() }
  public func write(to column: inout ColumnWriter) throws(StoreError) { try column.write(self) }
}

extension Int: FieldValue {
  public static var valueKind: ValueKind { .int }
  public var storedValue: Value { .int(Int64(self)) }
  public init?(storedValue: Value) {
    guard let int = Int64(storedValue: storedValue) else { return nil }
    self.init(exactly: int)
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> Int? {
    try column.int().flatMap { Int(exactly: $0) }
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(Int64(self))
  }
}

extension Double: FieldValue {
  public static var valueKind: ValueKind { .double }
  public var storedValue: Value { .double(self) }
  public init?(storedValue: Value) {
    guard let double = storedValue.double else { return nil }
    self = double
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> Double? {
    try column.double()
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) { try column.write(self) }
}

extension String: FieldValue {
  public static var valueKind: ValueKind { .text }
  public var storedValue: Value { .text(self) }
  public init?(storedValue: Value) {
    guard let text = storedValue.text else { return nil }
    self = text
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> String? {
    try column.text()
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) { try column.write(self) }
}

extension Data: FieldValue {
  public static var valueKind: ValueKind { .bytes }
  public var storedValue: Value { .bytes([UInt8](self)) }
  public init?(storedValue: Value) {
    guard storedValue.kind == .bytes else { return nil }
    self = Data(storedValue.bytes)
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> Data? {
    try column.withBytes { Data($0) }
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(bytes: self.span.bytes)
  }
}

/// Dates are kept in whole milliseconds, rounded to the nearest.
extension Date: FieldValue {
  public static var valueKind: ValueKind { .date }
  public var storedValue: Value { .date(milliseconds: milliseconds) }
  public init?(storedValue: Value) {
    guard storedValue.kind == .date, let milliseconds = storedValue.int else { return nil }
    self.init(milliseconds: milliseconds)
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> Date? {
    try column.int().map { Date(milliseconds: $0) }
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(milliseconds)
  }

  private var milliseconds: Int64 {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }
  private init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}

extension UUID: FieldValue {
  public static var valueKind: ValueKind { .uuid }
  public var storedValue: Value {
    Value(kind: .uuid, bytes: withUnsafeBytes(of: uuid) { Array($0) })
  }
  public init?(storedValue: Value) {
    guard storedValue.kind == .uuid, storedValue.bytes.count == 16 else { return nil }
    self.init(uuid: storedValue.bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> UUID? {
    try column.withBytes { bytes in
      bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
    } ?? nil
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(sixteen: uuid)
  }
}

extension RecordID: FieldValue {
  public static var valueKind: ValueKind { .reference }
  public var storedValue: Value { .reference(self) }
  public init?(storedValue: Value) {
    guard let id = storedValue.reference else { return nil }
    self = id
  }
  public static func read(_ column: ColumnReader) throws(StoreError) -> RecordID? {
    try column.withBytes { bytes in
      guard bytes.count == 16 else { return nil }
      let halves = bytes.loadUnaligned(as: (UInt64, UInt64).self)
      return RecordID(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    } ?? nil
  }
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(sixteen: (high.bigEndian, low.bigEndian))
  }
}

extension BlobReference: FieldValue {
  public static var valueKind: ValueKind { .blob }
  public var storedValue: Value { .blob(self) }
  public init?(storedValue: Value) {
    guard let blob = storedValue.blob else { return nil }
    self = blob
  }
}

extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
  public static var valueKind: ValueKind { RawValue.valueKind }
  public var storedValue: Value { rawValue.storedValue }
  public init?(storedValue: Value) {
    guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  public static var valueKind: ValueKind { Wrapped.valueKind }
  public static var isOptional: Bool { true }
  public var storedValue: Value { self?.storedValue ?? .null }
  public init?(storedValue: Value) {
    if storedValue.kind == .null {
      self = .none
    } else {
      guard let wrapped = Wrapped(storedValue: storedValue) else { return nil }
      self = .some(wrapped)
    }
  }
  @inlinable public static func read(_ column: ColumnReader) throws(StoreError) -> Wrapped?? {
    if column.isNull { return .some(.none) }
    return try Wrapped.read(column).map { .some($0) }
  }
  @inlinable public func write(to column: inout ColumnWriter) throws(StoreError) {
    if let self { try self.write(to: &column) } else { try column.writeNull() }
  }
}

/// A type of fields that hold many values of one kind.
protocol GatheredElements {
  static var elementKind: ValueKind { get }
}
