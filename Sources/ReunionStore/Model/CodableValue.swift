import FoundationEssentials
public import ReunionCore

/// A value of your own as a field, by its `Codable`.
///
/// ```swift
/// struct Address: CodableValue {
///   var street = ""
///   var city = ""
/// }
/// struct Guest: Entity {
///   let id: RecordID
///   var address = Address()
///   var numbers: [Int] = []
///   init(id: RecordID) { self.id = id }
///   static let schema = EntitySchema<Guest>(
///     1, "guest", [.field(1, "address", \.address), .field(2, "numbers", \.numbers)])
/// }
/// ```
/// It merges whole: if one person changes the street while another changes the city, one of the two
/// addresses wins and the other is kept as a conflict. If the parts should merge, use fields of a
/// record, a `Set` or an `OrderedList`. A query can compare it with a whole value, and not look
/// into it.
///
/// It is stored as JSON with sorted keys, which SQL reads; equal values must encode equally, or
/// each update writes them anew. If this app cannot decode what a newer one wrote, the field has
/// its default here, and the stored value is never overwritten by it. So give a new property a
/// default in `init(from:)`, and keep the names of keys.
///
/// *Limits*: as a text, 512 KiB of JSON. *Errors*: a write throws `notEncodable` for what
/// `encode(to:)` refuses.
public protocol CodableValue: FieldValue, ArrayFieldElement, Codable {}

extension CodableValue {
  /// JSON is a text.
  public static var valueKind: ValueKind { .text }
  /// The JSON of the value.
  public var storedValue: Value { JSONValueCoding.value(self) }
  /// Reads JSON.
  public init?(storedValue: Value) {
    guard let value = JSONValueCoding.read(Self.self, storedValue) else { return nil }
    self = value
  }
  /// Writes the JSON of the value.
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(value: JSONValueCoding.checked(storedValue))
  }
}

/// A type whose arrays can be a field: `UInt8`, `Int`, `Double`, `Bool`, `String` and each
/// `CodableValue`.
///
/// ```swift
/// struct Recipe: Entity {
///   let id: RecordID
///   var steps: [String] = []
///   init(id: RecordID) { self.id = id }
///   static let schema = EntitySchema<Recipe>(1, "recipe", [.field(1, "steps", \.steps)])
/// }
/// ```
/// Such a field merges whole, as one value: of two people who add a step while apart, one loses. If
/// items should merge one by one, use an `OrderedList`. An array of `UInt8` is bytes, and all
/// others are JSON.
public protocol ArrayFieldElement: Sendable {
  /// The kind of a field of such an array.
  static var arrayKind: ValueKind { get }
  /// An array as it is stored.
  static func storedValue(of array: [Self]) -> Value
  /// Reads a stored array; nil where the value is none.
  static func array(of storedValue: Value) -> [Self]?
}

extension ArrayFieldElement where Self: Codable {
  /// JSON is a text.
  public static var arrayKind: ValueKind { .text }
  /// The JSON of the array.
  public static func storedValue(of array: [Self]) -> Value { JSONValueCoding.value(array) }
  /// Reads JSON.
  public static func array(of storedValue: Value) -> [Self]? {
    JSONValueCoding.read([Self].self, storedValue)
  }
}

extension String: ArrayFieldElement {}
extension Int: ArrayFieldElement {}
extension Double: ArrayFieldElement {}
extension Bool: ArrayFieldElement {}

extension UInt8: ArrayFieldElement {
  /// An array of them is bytes.
  public static var arrayKind: ValueKind { .bytes }
  /// The bytes.
  public static func storedValue(of array: [UInt8]) -> Value { .bytes(array) }
  /// Reads bytes.
  public static func array(of storedValue: Value) -> [UInt8]? {
    storedValue.kind == .bytes ? storedValue.bytes : nil
  }
}

/// An array as one value, of at most 512 KiB: see `ArrayFieldElement`.
extension Array: FieldValue where Element: ArrayFieldElement {
  /// The kind of such an array.
  public static var valueKind: ValueKind { Element.arrayKind }
  /// The array as it is stored.
  public var storedValue: Value { Element.storedValue(of: self) }
  /// Reads a stored array.
  public init?(storedValue: Value) {
    guard let array = Element.array(of: storedValue) else { return nil }
    self = array
  }
  /// Writes the array.
  public func write(to column: inout ColumnWriter) throws(StoreError) {
    try column.write(value: JSONValueCoding.checked(storedValue))
  }
}

/// Values as JSON, the same bytes each time.
private enum JSONValueCoding {
  static func value(_ value: some Encodable) -> Value {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
    guard let data = try? encoder.encode(value) else {
      return Value(kind: .notEncodable, bytes: [])
    }
    return Value(kind: .text, bytes: [UInt8](data))
  }

  static func read<Read: Decodable>(_ type: Read.Type, _ value: Value) -> Read? {
    guard value.kind == .text else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
    return try? decoder.decode(type, from: Data(value.bytes))
  }

  static func checked(_ value: Value) throws(StoreError) -> Value {
    guard value.kind != .notEncodable else { throw StoreError.notEncodable("a field") }
    return value
  }
}

extension ValueKind {
  /// What stands for a value that could not be encoded. No write takes it.
  static let notEncodable = ValueKind(rawValue: 255)
}

extension StoreError {
  static func notEncodable(_ field: String) -> StoreError {
    StoreError(
      .notEncodable,
      "The value of \(field) could not be encoded as JSON: see"
        + " what encode(to:) of its type throws. Nothing was written.")
  }
}
