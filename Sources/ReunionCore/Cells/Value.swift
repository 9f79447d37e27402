/// What the bytes of a value mean.
///
/// ```swift
/// struct Degrees: FieldValue {
///   static let valueKind = ValueKind.double
///   var degrees = 0.0
///   var storedValue: Value { .double(degrees) }
///   init?(storedValue: Value) {
///     guard let number = storedValue.double else { return nil }
///     degrees = number
///   }
/// }
/// ```
///
/// A field keeps its kind for ever, except that `int` and `double` may become each other. A model
/// that gives it another one is refused when the store opens. Kinds that a build does not know are
/// kept and forwarded as they are.
public struct ValueKind: RawRepresentable, Hashable, Sendable {
  /// The number on the wire and in the database; it never changes its meaning.
  public let rawValue: UInt8

  /// Takes any number: one that no build knows is a kind, too.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No value; it has no bytes. A field that was never written, or was set to nil.
  public static let null = ValueKind(rawValue: 0)
  /// One byte, 0 or 1.
  public static let bool = ValueKind(rawValue: 1)
  /// Eight bytes, two's complement, most significant first.
  public static let int = ValueKind(rawValue: 2)
  /// Eight bytes, IEEE 754, most significant first; every bit pattern is kept.
  public static let double = ValueKind(rawValue: 3)
  /// UTF-8, not normalised: "é" in one scalar and in two are two texts.
  public static let text = ValueKind(rawValue: 4)
  /// Any bytes, kept in the record: a large number of them belongs in a `blob`.
  public static let bytes = ValueKind(rawValue: 5)
  /// Milliseconds since 1970, as `int`; what is finer than a millisecond is not kept.
  public static let date = ValueKind(rawValue: 6)
  /// Sixteen bytes.
  public static let uuid = ValueKind(rawValue: 7)
  /// The id of another record, sixteen bytes; of which entity, the model says.
  public static let reference = ValueKind(rawValue: 8)
  /// The SHA-256 of a blob and its size as a varint; or the bytes themselves and then 0xFF. No
  /// varint ends with that, so that a build that knows references alone takes them for none.
  public static let blob = ValueKind(rawValue: 9)

  // Kinds of fields that are made of many cells; no cell's value is of them.

  /// A number that every site adds to: eight bytes, as `int`.
  public static let counter = ValueKind(rawValue: 10)
  /// Elements, each once: kind, length as a varint and bytes of each, in the order of their bytes.
  public static let set = ValueKind(rawValue: 11)
  /// Items in an order: kind, length as a varint and bytes of each.
  public static let list = ValueKind(rawValue: 12)
}

/// A value of a field: a kind and bytes, exact to the bit.
///
/// ```swift
/// for conflict in try await replica.conflicts(in: space) {
///   switch conflict.lost.kind {
///   case .text: print(conflict.lost.text ?? "")
///   case .int, .date: print(conflict.lost.int ?? 0)
///   default: print(conflict.lost.bytes.count, "bytes")
///   }
/// }
/// ```
///
/// An app meets it where it knows no type: in a `Conflict`, and in a type of field of its own. Two
/// values are equal if all their bits are: NaN equals itself, and −0 is not 0.
public struct Value: Hashable, Sendable {
  /// What the bytes mean.
  public let kind: ValueKind
  /// The bytes, in the form that the kind names.
  public let bytes: [UInt8]

  /// Makes a value of any kind; the bytes are not checked.
  ///
  /// Bytes that are not in the form of their kind do no harm: they are kept, and what reads them
  /// here gives nil.
  public init(kind: ValueKind, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  /// No value.
  public static let null = Value(kind: .null, bytes: [])

  /// The most bytes that a value may have, 512 KiB; larger ones belong in a blob.
  ///
  /// A write of a larger one throws `StoreError` `valueTooLarge`. A guest's values are limited
  /// further, to 64 KiB where the model does not say.
  public static let bytesMax = 512 * 1024

  /// A truth value.
  public static func bool(_ value: Bool) -> Value { Value(kind: .bool, bytes: [value ? 1 : 0]) }

  /// A whole number.
  public static func int(_ value: Int64) -> Value { Value(kind: .int, value) }

  /// A floating-point number, bit for bit.
  public static func double(_ value: Double) -> Value { Value(kind: .double, value.bitPattern) }

  /// A moment, in milliseconds since 1970.
  public static func date(milliseconds: Int64) -> Value { Value(kind: .date, milliseconds) }

  /// Any bytes.
  public static func bytes(_ bytes: [UInt8]) -> Value { Value(kind: .bytes, bytes: bytes) }

  /// The id of another record, which need not be there.
  public static func reference(_ id: RecordID) -> Value { Value(kind: .reference, bytes: id.bytes) }

  /// What a counter counts, as reading a record gives it. Nothing is written like this: a device
  /// adds.
  public static func counter(_ count: Int64) -> Value { Value(kind: .counter, count) }

  /// A blob, by its hash: 32 bytes and its size, however large the blob is.
  public static func blob(_ reference: BlobReference) -> Value {
    var writer = ByteWriter()
    writer.bytes(reference.hash.bytes)
    writer.varint(reference.byteCount)
    return Value(kind: .blob, bytes: writer.bytes)
  }

  /// A blob by its bytes, which are kept in the record.
  public static func inlineBlob(_ bytes: [UInt8]) -> Value {
    Value(kind: .blob, bytes: bytes + [inlineMark])
  }

  private static let inlineMark: UInt8 = 0xff

  private init<I: FixedWidthInteger>(kind: ValueKind, _ number: I) {
    var writer = ByteWriter()
    writer.integer(number)
    self.init(kind: kind, bytes: writer.bytes)
  }

  /// The truth value, where it is one; any byte but 0 is true. A number is none.
  public var bool: Bool? { kind == .bool && bytes.count == 1 ? bytes[0] != 0 : nil }

  /// The whole number, a counter's count or a date's milliseconds; nil for any other kind. A
  /// `double` is not rounded.
  public var int: Int64? {
    guard kind == .int || kind == .date || kind == .counter, bytes.count == 8 else { return nil }
    var reader = ByteReader(bytes)
    return try? reader.integer(Int64.self)
  }

  /// The floating-point number, where it is one; an `int` is not turned into one.
  public var double: Double? {
    guard kind == .double, bytes.count == 8 else { return nil }
    var reader = ByteReader(bytes)
    guard let bits = try? reader.integer(UInt64.self) else { return nil }
    return Double(bitPattern: bits)
  }

  /// The id of the record that it names, where it names one, whether that record is here or not.
  public var reference: RecordID? { kind == .reference ? RecordID(bytes: bytes) : nil }

  /// The blob that it names, where it names one; nil for a blob whose bytes are in the record.
  public var blob: BlobReference? {
    guard kind == .blob, bytes.count > 32 else { return nil }
    var reader = ByteReader(bytes)
    guard let hash = try? reader.bytes(32), let count = try? reader.varint(),
      reader.remaining == 0, let hash = BlobHash(bytes: hash)
    else { return nil }
    return BlobReference(hash: hash, byteCount: count)
  }

  /// The bytes of a blob, where they are in the record; nil for a blob that is a file.
  public var inlineBlob: [UInt8]? {
    kind == .blob && bytes.last == Self.inlineMark ? Array(bytes.dropLast()) : nil
  }

  /// The order that breaks ties between values: kind, then bytes.
  package static func isOrdered(_ left: Value, before right: Value) -> Bool {
    left.kind != right.kind
      ? left.kind.rawValue < right.kind.rawValue
      : left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

#if !hasFeature(Embedded)
  extension Value {
    /// A text, not normalised, also an empty one: no text at all is `null`.
    public static func text(_ text: String) -> Value {
      Value(kind: .text, bytes: Array(text.utf8))
    }

    /// The text, where it is one; bytes that are no UTF-8 become U+FFFD.
    public var text: String? { kind == .text ? String(decoding: bytes, as: UTF8.self) : nil }
  }
#endif
