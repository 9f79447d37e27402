/// What follows on a command's name: options, which may stand anywhere after the verb and before a `--`, and words.
public struct Arguments: Sendable {
  private var words: [String]
  /// What follows on `--`: words, whatever they begin with.
  private let texts: [String]

  /// Takes what follows on a command's name.
  public init(_ arguments: some Collection<String>) {
    let parts = arguments.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
    words = Array(parts[0])
    texts = parts.count > 1 ? Array(parts[1]) : []
  }

  /// The first word, which names a verb; nil if there is none.
  public var first: String? { words.first ?? texts.first }

  /// Takes an option that has no value, and tells whether it was there.
  public mutating func take(_ option: String) -> Bool {
    let isThere = words.contains(option)
    words.removeAll { $0 == option }
    return isThere
  }

  /// Takes an option with its value; nil where it is not there.
  public mutating func value(of option: String) throws(Misunderstood) -> String? {
    let values = try values(of: option)
    guard values.count <= 1 else { throw Misunderstood("\(option) is given twice.") }
    return values.first
  }

  /// Takes an option as often as it is there, with its values.
  public mutating func values(of option: String) throws(Misunderstood) -> [String] {
    var values: [String] = []
    while let index = words.firstIndex(of: option) {
      guard index + 1 < words.count else { throw Misunderstood("\(option) needs a value.") }
      values.append(words[index + 1])
      words.removeSubrange(index...index + 1)
    }
    return values
  }

  /// Takes `count` words from the front.
  public mutating func drop(_ count: Int) { words.removeFirst(min(count, words.count)) }

  /// Whether these are the words in front.
  public func begin(with name: [String]) -> Bool { words.starts(with: name) }

  /// The words that are left, if their number is in `count`; otherwise throws `sentence`.
  /// An option that nobody took is refused.
  public func rest(_ count: ClosedRange<Int>, or sentence: String) throws(Misunderstood) -> [String]
  {
    if let option = words.first(where: { $0.hasPrefix("-") && $0 != "-" }) {
      throw Misunderstood(
        "\(option) is not an option here. A word that begins with - goes after --.")
    }
    guard count.contains(words.count + texts.count) else { throw Misunderstood(sentence) }
    return words + texts
  }
}
