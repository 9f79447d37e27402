/// The kinds of fields, as a model's file names them.
package enum ModelKind: String, CaseIterable, Sendable {
  case bool, int, double, text, bytes, date, uuid, reference, blob, counter, set, list

  /// Whether it is one value: not a counter, a set or a list, whose changes add up.
  var isSingle: Bool { ![.counter, .set, .list].contains(self) }

  /// What sets and lists may be of.
  static let elements: [ModelKind] = [.bool, .int, .double, .text, .bytes, .date, .uuid]
}

/// What a field holds: `text`, `date?`, `reference? of album`, `set of text`.
package struct FieldType: Hashable, Sendable {
  package var kind: ModelKind
  package var isOptional = false
  /// The entity that a reference names.
  package var target: String?
  /// What a set or a list is of.
  package var element: ModelKind?

  /// As the file has it.
  package var text: String {
    kind.rawValue + (isOptional ? "?" : "")
      + ((target ?? element?.rawValue).map { " of \($0)" } ?? "")
  }
}

/// What `onDelete` says: what becomes of a record when the one that it names is deleted.
package enum DeleteWord: String, CaseIterable, Sendable {
  case clear, delete, refuse
}

/// A value that a field begins with.
package enum ModelLiteral: Hashable, Sendable {
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case text(String)

  /// As the file has it, and Swift and JavaScript too.
  package var text: String {
    switch self {
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): Self.quoted(value)
    }
  }

  /// Reads a value as the file has it: true, 12, 1.5 or a text in quotes.
  init?(parsing word: Substring) {
    if word.first == "\"" {
      guard let text = Self.unquoted(word) else { return nil }
      self = .text(text)
    } else if let bool = Bool(String(word)) {
      self = .bool(bool)
    } else if let int = Int64(word), "\(int)" == word {
      self = .int(int)
    } else if word.contains(".") || word.contains("e"),
      word.utf8.allSatisfy({ (43...57).contains($0) || $0 == UInt8(ascii: "e") }),
      let double = Double(word), double.isFinite
    {
      self = .double(double)
    } else {
      return nil
    }
  }

  /// What stands between quotes, with `\"`, `\\`, `\n` and `\t`.
  static func unquoted(_ word: Substring) -> String? {
    guard word.count >= 2, word.first == "\"", word.last == "\"" else { return nil }
    var text = ""
    var isEscaped = false
    for character in word.dropFirst().dropLast() {
      guard isEscaped || character != "\\" else {
        isEscaped = true
        continue
      }
      switch (isEscaped, character) {
      case (false, "\""): return nil
      case (false, _), (true, "\""), (true, "\\"): text.append(character)
      case (true, "n"): text.append("\n")
      case (true, "t"): text.append("\t")
      case (true, _): return nil
      }
      isEscaped = false
    }
    return isEscaped ? nil : text
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default: quoted.unicodeScalars.append(character)
      }
    }
    return quoted + "\""
  }
}
