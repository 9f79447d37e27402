import Foundation

/// The JSON that the server writes.
enum JSONValue: Sendable, Encodable {
  case text(String)
  case number(Int64)
  case bool(Bool)
  case list([JSONValue])
  case object([String: JSONValue])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .bool(let bool): try container.encode(bool)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// The bytes, with sorted keys.
  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Text, numbers, lists and objects can always be written.
    return (try? encoder.encode(self)).map(Array.init) ?? []
  }
}

extension HTTPResponse {
  /// An answer of JSON.
  static func json(_ status: Int, _ fields: [String: JSONValue]) -> HTTPResponse {
    HTTPResponse(
      status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: JSONValue.object(fields).bytes)
  }

  /// An error, with a sentence for a person.
  static func error(_ status: Int, _ sentence: String) -> HTTPResponse {
    .json(status, ["error": .text(sentence)])
  }

  /// The same answer with one more header field.
  func with(_ name: String, _ value: String) -> HTTPResponse {
    var copy = self
    copy.headers.set(name, value)
    return copy
  }
}
