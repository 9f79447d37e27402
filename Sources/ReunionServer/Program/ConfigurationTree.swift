/// What stands in a file of JSON5.
enum ConfigurationTree: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([ConfigurationTree])
  case object([String: ConfigurationTree])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([ConfigurationTree].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: ConfigurationTree].self))
    }
  }

  /// What kind of value it is, for a sentence.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "a part with keys of its own"
    }
  }

  /// Its values by their names, as `listen.port`, in order; a name that is among the keys is not taken
  /// apart further, and neither is a part that is empty.
  func leaves(
    keys: Set<String>, under prefix: String = ""
  ) -> [(name: String, value: ConfigurationTree)] {
    guard case .object(let fields) = self, !keys.contains(prefix),
      prefix.isEmpty || keys.contains(where: { $0.hasPrefix(prefix + ".") })
    else { return [(prefix, self)] }
    return fields.sorted { $0.key < $1.key }.flatMap { name, value in
      value.leaves(keys: keys, under: prefix.isEmpty ? name : "\(prefix).\(name)")
    }
  }
}
