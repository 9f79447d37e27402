/// `  retype @4 to @7 by times 60`: how fields of this version come from others.
package struct LensLine: Hashable, Sendable {
  package enum Verb: String, CaseIterable, Sendable {
    case retype, split, merge, fill
  }

  package var verb: Verb
  package var sources: [UInt32]
  package var targets: [UInt32]
  package var conversion: ConversionWord

  /// As the file has it.
  package var text: String {
    func list(_ numbers: [UInt32]) -> String { numbers.map { "@\($0)" }.joined(separator: " ") }
    let way =
      verb == .fill
      ? "\(list(targets)) from \(list(sources))" : "\(list(sources)) to \(list(targets))"
    return "  \(verb) \(way) by \(conversion.text)"
  }
}

/// How values become others: what follows `by`.
package enum ConversionWord: Hashable, Sendable {
  /// The values of a list, and what they become.
  package struct Case: Hashable, Sendable {
    package var from: ModelLiteral
    package var to: ModelLiteral
  }

  case same, text, number
  case times(ModelLiteral)
  case over(Int64)
  case cases([Case])
  case separator(String)
  /// A function of the app's, by its name.
  case custom(String)

  package static let names = [
    "same", "times", "over", "text", "number", "cases", "separator", "custom",
  ]

  /// As the file has it.
  package var text: String {
    switch self {
    case .same: "same"
    case .text: "text"
    case .number: "number"
    case .times(let factor): "times \(factor.text)"
    case .over(let divisor): "over \(divisor)"
    case .cases(let cases):
      "cases " + cases.map { "\($0.from.text): \($0.to.text)" }.joined(separator: ", ")
    case .separator(let text): "separator \(ModelLiteral.text(text).text)"
    case .custom(let name): "custom \(name)"
    }
  }
}

/// `  index album, takenAt`
package struct IndexLine: Hashable, Sendable {
  package var fields: [String]

  /// As the file has it.
  package var text: String { "  index " + fields.joined(separator: ", ") }
}
