/// A value of a D-Bus message.
package indirect enum BusValue: Sendable, Hashable {
  case bool(Bool)
  case byte(UInt8)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  /// The path of an object.
  case path(String)
  /// The signature of a type.
  case signature(String)
  /// An array of bytes.
  case bytes([UInt8])
  /// An array, with the signature of its elements.
  case array(String, [BusValue])
  /// A dictionary, with the signatures of a key and a value, one after the other.
  case dictionary(String, [BusValue: BusValue])
  case structure([BusValue])
  /// A value with its type.
  case variant(BusValue)
  /// An open file or socket.
  case descriptor(BusDescriptor)

  /// The properties of an object: names, and values with their types.
  package static func properties(_ properties: [String: BusValue]) -> BusValue {
    var entries: [BusValue: BusValue] = [:]
    for (name, value) in properties { entries[.string(name)] = .variant(value) }
    return .dictionary("sv", entries)
  }

  /// Texts.
  package static func strings(_ texts: [String]) -> BusValue {
    .array("s", texts.map { .string($0) })
  }

  /// The signature of its type.
  package var typeSignature: String {
    switch self {
    case .bool: "b"
    case .byte: "y"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .signature: "g"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary(let entry, _): "a{" + entry + "}"
    case .structure(let values): "(" + values.map(\.typeSignature).joined() + ")"
    case .variant: "v"
    case .descriptor: "h"
    }
  }
}

// What somebody expects of a message: nil where it is something else.
extension BusValue {
  package var asBool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var asBytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  /// A text, or a path.
  package var asText: String? {
    switch self {
    case .string(let text), .path(let text): text
    default: nil
    }
  }
  /// A number of any width.
  package var asInt: Int? {
    switch self {
    case .byte(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(value)
    case .uint64(let value): Int(exactly: value)
    default: nil
    }
  }
  package var asDescriptor: BusDescriptor? {
    if case .descriptor(let value) = self { value } else { nil }
  }
  /// The texts, or paths, of an array of them.
  package var asTexts: [String]? {
    if case .array(_, let values) = self { values.compactMap(\.asText) } else { nil }
  }
  package var asDictionary: [BusValue: BusValue]? {
    if case .dictionary(_, let entries) = self { entries } else { nil }
  }
  /// Names and values, without the variants around them.
  package var asProperties: [String: BusValue]? {
    guard case .dictionary(_, let entries) = self else { return nil }
    var properties: [String: BusValue] = [:]
    for (key, value) in entries {
      guard let name = key.asText else { return nil }
      if case .variant(let inner) = value {
        properties[name] = inner
      } else {
        properties[name] = value
      }
    }
    return properties
  }
}
