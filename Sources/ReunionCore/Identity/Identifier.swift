/// Sixteen bytes that name something for ever, ordered like their bytes.
///
/// ```swift
/// func digits<ID: Identifier>(of ids: [ID]) -> [String] { ids.sorted().map(\.description) }
/// print(digits(of: try replica.spaces))
/// print(SpaceID(space.description.uppercased()) == space)    // true: both cases are read
/// ```
///
/// An id says nothing of what it names, and opens nothing: whoever knows a space's id still needs a
/// membership of it.
public protocol Identifier: Hashable, Comparable, Sendable {
  /// The first eight bytes, as a big-endian number.
  var high: UInt64 { get }
  /// The last eight bytes, as a big-endian number.
  var low: UInt64 { get }
  /// Makes the identifier of these sixteen bytes.
  init(high: UInt64, low: UInt64)
}

extension Identifier {
  /// The order of the bytes, which is also that of the digits as text, and of the rows in SQL.
  public static func < (left: Self, right: Self) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  /// The sixteen bytes, the most significant first: what is on the wire and in the database.
  public var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.identifier(self)
    return writer.bytes
  }

  /// Makes the identifier of exactly sixteen bytes, otherwise nil.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    var reader = ByteReader(bytes)
    guard let identifier = try? reader.identifier(Self.self) else { return nil }
    self = identifier
  }
}

extension ByteReader {
  /// Reads sixteen bytes.
  package mutating func identifier<I: Identifier>(_: I.Type) throws(WireError) -> I {
    let high = try integer(UInt64.self)
    let low = try integer(UInt64.self)
    return I(high: high, low: low)
  }
}

extension ByteWriter {
  /// Appends sixteen bytes.
  package mutating func identifier<I: Identifier>(_ value: I) {
    integer(value.high)
    integer(value.low)
  }
}

#if !hasFeature(Embedded)
  extension Identifier {
    /// Thirty-two hexadecimal digits, in lower case and without dashes.
    public var description: String { Hexadecimal.text(bytes) }

    /// Makes the identifier of thirty-two hexadecimal digits, otherwise nil; dashes, blanks and a
    /// prefix `0x` are no digits.
    public init?(_ text: String) {
      guard let bytes = Hexadecimal.bytes(text) else { return nil }
      self.init(bytes: bytes)
    }
  }

  /// Bytes as hexadecimal digits, lower case.
  ///
  /// ```swift
  /// func isSame(_ digits: String, as bytes: [UInt8]) -> Bool {
  ///   Hexadecimal.bytes(digits) == bytes && Hexadecimal.text(bytes) == digits.lowercased()
  /// }
  /// ```
  public enum Hexadecimal {
    /// The digits of the bytes, two for each, the high four bits first.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
      let digits = Array("0123456789abcdef".utf8)
      var text: [UInt8] = []
      for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
      }
      return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of the digits, in either case; nil where they are not an even number of digits, or
    /// anything else is among them. An empty text has no bytes.
    public static func bytes(_ text: String) -> [UInt8]? {
      var result: [UInt8] = []
      var first: UInt8?
      for character in text.utf8 {
        let digit: UInt8
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
        default: return nil
        }
        if let high = first {
          result.append(high << 4 | digit)
          first = nil
        } else {
          first = digit
        }
      }
      return first == nil ? result : nil
    }
  }
#endif
