package import ReunionCore

/// What a conversion does, by its word in models and what follows the word. It is for code that
/// performs it elsewhere, as pages do.
package enum ConversionWords: Sendable {
  /// `same`, `text` and `number`, and functions of an app, of which nothing else is known.
  case plain(String)
  case times(Int64)
  /// By a number that need not be whole.
  case scaled(Double)
  case over(Int64)
  case separator(String)
  case cases([(Value, Value)])
}

extension FieldLens {
  /// What its conversion does.
  package var words: ConversionWords { conversion.words }
}

extension Conversion {
  fileprivate var words: ConversionWords {
    let words = text.split(separator: " ").map(String.init)
    let (name, rest) = (words.first ?? "", words.dropFirst())
    switch name {
    case "times" where rest.count == 1: return Int64(rest[1]).map { .times($0) } ?? .plain(name)
    case "times": return rest.first.flatMap(Double.init).map { .scaled($0) } ?? .plain(name)
    case "over": return rest.first.flatMap { Int64($0) }.map { .over($0) } ?? .plain(name)
    case "separator":
      let bytes = rest.first.flatMap { Self.bytes($0) } ?? []
      return .separator(String(decoding: bytes, as: UTF8.self))
    case "cases":
      return .cases(
        rest.compactMap { word in
          let values = word.split(separator: ":").compactMap { Value(listed: $0) }
          return values.count == 2 ? (values[0], values[1]) : nil
        })
    default: return .plain(name)
    }
  }
}
