import Foundation

/// A value of JSON, as the events for browsers are written.
enum BrowserValue: Encodable, Sendable {
  case text(String)
  case number(Int)
  case bool(Bool)
  case list([BrowserValue])
  case object([String: BrowserValue])

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

  /// Its line, which the same value always has.
  var line: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension BrowserValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: BrowserValue...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, BrowserValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

/// What follows from an event.
struct BrowserAnswer<Result: Decodable>: Decodable {
  /// When the earliest timer is due, in milliseconds since the world began.
  let next: Double?
  let effects: [BrowserEffect]?
  let result: Result?
  let error: String?
  let broken: String?
}

/// An answer without a result.
struct NoResult: Decodable {}

/// What a tab does.
struct BrowserEffect: Decodable, Sendable {
  let tab: String
  /// The number of a link that is dialled, that sends, or that is closed.
  let connect: Int?
  let send: Int?
  let close: Int?
  /// What is sent, in base64.
  let bytes: String?
  /// The number of a question for a block, and from which byte on.
  let asks: Int?
  let from: Int?
  /// The name of a write that is on the disk.
  let written: String?
  let open: String?
  let refused: [BrowserRecordName]?
  let failed: String?
  let warned: String?
  /// What a program in it has made, where that is a text.
  let ran: String?
}

/// A record of which changes were refused.
struct BrowserRecordName: Decodable, Hashable, Sendable {
  let entity: Int
  let id: String
}

/// What a tab shows.
struct BrowserScreen: Decodable {
  struct Record: Decodable {
    let entity: String
    let id: String
    let alive: Bool?
    /// The texts among its values.
    let texts: [String: String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      entity = try container.decode(String.self, forKey: Name("entity"))
      id = try container.decode(String.self, forKey: Name("id"))
      alive = try container.decodeIfPresent(Bool.self, forKey: Name("alive"))
      var texts: [String: String] = [:]
      for key in container.allKeys {
        if let text = try? container.decode(String.self, forKey: key) {
          texts[key.stringValue] = text
        }
      }
      self.texts = texts
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let waiting: Int
  let phase: String
  let records: [Record]
}

/// One record of a screen.
struct BrowserLook: Decodable { let record: BrowserScreen.Record? }

/// What is on a browser's disk.
struct BrowserDisk: Decodable {
  let site: String?
  let vector: [[String]]
  /// The records in the flat form, in base64.
  let records: String
}
