/// The target of a request, taken apart so that no component can leave its place.
///
/// Routing looks only at `components`. Nothing is normalised silently: a path that would mean
/// something else after normalising is refused, so that no two spellings name one thing.
public struct RequestPath: Sendable, Equatable {
  /// The target as it came, without its query.
  public let raw: String
  /// The decoded components: never empty, `.` or `..`, without slash, backslash or NUL. The root
  /// has none; a slash at the end is allowed and adds none.
  public let components: [String]
  /// The query as it came, without the question mark.
  public let rawQuery: String?

  /// Reads an origin-form target.
  ///
  /// Returns `nil` for a target that does not begin with a slash, holds an empty, `.` or `..`
  /// component, an encoded slash or backslash, a control character, malformed percent-encoding, or
  /// bytes that are not UTF-8.
  ///
  /// *Source*: RFC 9112 section 3.2.1, RFC 3986 section 3.3.
  public init?(_ target: String) {
    guard target.hasPrefix("/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return nil
    }
    let path = target.prefix { $0 != "?" }
    guard !path.contains("#") else { return nil }
    rawQuery = path.endIndex == target.endIndex ? nil : String(target[path.endIndex...].dropFirst())
    raw = String(path)
    var parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    var decoded: [String] = []
    for part in parts {
      guard let text = Self.decode(part, plusIsBlank: false), !text.isEmpty, text != ".",
        text != "..",
        text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 != 0x2f && $0 != 0x5c })
      else { return nil }
      decoded.append(text)
    }
    components = decoded
  }

  /// The decoded value of the first query item of that name; `nil` if absent or malformed.
  public func query(_ name: String) -> String? {
    for item in (rawQuery ?? "").split(separator: "&") {
      let key = item.prefix { $0 != "=" }
      guard Self.decode(key, plusIsBlank: true) == name else { continue }
      return Self.decode(item[key.endIndex...].dropFirst(), plusIsBlank: true)
    }
    return nil
  }

  private static func decode(_ text: Substring, plusIsBlank: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of an ASCII hexadecimal digit.
  var hexDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
