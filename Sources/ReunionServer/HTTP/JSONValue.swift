import Foundation

/// JSON that is put together where it is written.
enum JSONValue: Sendable, Encodable {
  case text(String)
  case number(Int64)
  case double(Double)
  case bool(Bool)
  case list([JSONValue])
  case object([String: JSONValue])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .double(let double): try container.encode(double)
    case .bool(let bool): try container.encode(bool)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }
}

/// The one writer of the server's JSON, in answers and in files.
enum JSONWriter {
  /// The bytes of a value, with sorted keys.
  static func bytes(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }
}
