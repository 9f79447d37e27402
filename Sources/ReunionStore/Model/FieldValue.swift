// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The requirements are documented once, in the protocol.
public import FoundationEssentials
public import ReunionCore
public import ReunionDisk

/// A Swift type that a field can have.
///
/// ```swift
/// enum Rating: Int, FieldValue { case low, middle, high }
/// struct Meters: RawRepresentable, FieldValue, Equatable { var rawValue: Double }
///
/// struct Climb: Entity {
///   let id: RecordID
///   var rating = Rating.low
///   var height = Meters(rawValue: 0)
///   var guide: String?
///   init(id: RecordID) { self.id = id }
///   static let schema = EntitySchema<Climb>(
///     1, "climb",
///     [.field(1, "rating", \.rating), .field(2, "height", \.height), .field(3, "guide", \.guide)])
/// }
/// ```
/// The library's conformances are `Bool`, `Int`, `Int64`, `Double`, `String`, `Data`, `[UInt8]`,
/// `Date`, `UUID`, `RecordID`, `Reference`, `Blob`, `BlobReference`, optionals of these, `Counter`,
/// `Set` and `OrderedList`. Enums and structs with a raw value of one of these conform by name
/// alone, as above. For a value of several parts see `CodableValue`.
///
/// If a type cannot read a stored value, for example a newer app's enum case, the field has its
/// default. The stored value is never overwritten by it. A query compares what is stored.
public protocol FieldValue: Sendable {
  /// The kind that the field has in the model, for ever. A store refuses a model in which a field
  /// has another kind than before, except that an `int` may become a `double` and back.
  static var valueKind: ValueKind { get }
  /// Whether the type has a value for "none", which is stored as nothing. False unless you say
  /// otherwise.
  static var isOptional: Bool { get }
  /// The value as it is stored: of the kind `valueKind`, or null for "none", and with at most 512
  /// KiB. Two values are the same to the store if their bytes are.
  var storedValue: Value { get }
  /// Reads a stored value; nil where it is none of this type. Then the field has its default. It is
  /// called for each record that a query fetches, so that it should be quick and must not trap: the
  /// bytes may come from anywhere.
  init?(storedValue: Value)

  /// Reads a column of this kind, without a `Value` between; nil where it holds none of this type.
  /// A type that does not say how goes through `init(storedValue:)`.
  static func read(_ column: ColumnReader) throws(StoreError) -> Self?
  /// Writes into a column of this kind, without a `Value` between. A type that does not say how
  /// goes through `storedValue`, and both must write the same.
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

/// A truth. SQL has it as 0 or 1, and sorts false first. A query may use the path alone:
/// `filter(\.isHidden)`.
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

/// A whole number of 64 bits, exact at every device.
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

/// A whole number. The field has 64 bits everywhere; where `Int` has fewer, a larger number shows
/// as the default.
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

/// A floating-point number, kept bit for bit: the payload of a NaN and the sign of zero come back
/// as they were.
///
/// Queries take −0.0 for 0. NaN is neither less nor greater than anything, equals a NaN of the same
/// bits, and comes last in an order.
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

/// A text in UTF-8, at most 512 KiB, or what `bytesMax` of its field says. It is kept as it is, not
/// normalised, and a NUL is a character like any.
///
/// Queries compare texts byte by byte: "é" in one form differs from "é" in the other, and "Z" comes
/// before "a". `Query.matching(_:prefixes:)` finds words without regard to case and accents.
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

/// Bytes, at most 512 KiB, kept in the record. Larger ones belong in a `Blob`. A field of `Data`
/// may become one of `[UInt8]` and back.
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

/// Dates are kept in whole milliseconds since 1970, rounded to the nearest. A date that you read
/// back may differ from the one that you wrote by half of one, so that `==` in Swift is false. A
/// condition of a query rounds its date too. A date that 64 bits of milliseconds do not reach
/// becomes the last one that they do.
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

/// Sixteen bytes, ordered like them. For records of this store use `Reference` or `RecordID`, which
/// joins and delete rules know.
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

/// The id of a record, of whichever entity. `Reference` is the same with the type of the record: a
/// field of one may become one of the other.
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

/// The name of a blob that `BlobStore.add` has kept: always a file, never bytes in the record.
/// `Blob` holds both.
///
/// The type does not look whether the file is there. A record may name one that arrives later, or
/// never.
extension BlobReference: FieldValue {
  public static var valueKind: ValueKind { .blob }
  public var storedValue: Value { .blob(self) }
  public init?(storedValue: Value) {
    guard let blob = storedValue.blob else { return nil }
    self = blob
  }
}

/// Types with a raw value are stored as that. The raw value is what counts for ever: rename the
/// cases of an enum as you like, and leave their raw values.
extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
  public static var valueKind: ValueKind { RawValue.valueKind }
  public var storedValue: Value { rawValue.storedValue }
  public init?(storedValue: Value) {
    guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}

/// A value or none. "None" is stored as nothing, comes first in an order, and is left out of sums
/// and averages. A field may become optional later, and the other way round.
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
