/// `a and (b or not c)`: words with and, or, not, `!` and parentheses; a comma is an or.
///
/// It is evaluated on a set of words, in whatever letters. What cannot be read as such an expression is
/// refused, rather than run where it should not be.
package struct ContextExpression: Sendable, Equatable {
  private indirect enum Node: Sendable, Equatable {
    case word(String)
    case not(Node)
    case all([Node])
    case any([Node])
  }

  private let root: Node
  /// Whether a word begins with `@`: then it is not for runs that name no context.
  let isExplicit: Bool

  package init(_ text: String, at place: Place) throws(ChangelogError) {
    let words = Self.words(of: text)
    var reader = Reader(words: words, text: text, place: place)
    root = try reader.any(depth: 0)
    guard reader.isAtEnd else { throw reader.failure }
    isExplicit = words.contains { $0.hasPrefix("@") }
  }

  package func holds(for words: Set<String>) -> Bool { Self.holds(root, words) }

  private static func holds(_ node: Node, _ words: Set<String>) -> Bool {
    switch node {
    case .word(let word): words.contains(word)
    case .not(let node): !holds(node, words)
    case .all(let nodes): nodes.allSatisfy { holds($0, words) }
    case .any(let nodes): nodes.contains { holds($0, words) }
    }
  }

  /// Words in small letters, and `(`, `)`, `,` and `!`.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in text {
      let isMark = "(),!".contains(character)
      if isMark || character.isWhitespace {
        if !word.isEmpty { words.append(word.lowercased()) }
        word = ""
        if isMark { words.append(String(character)) }
      } else {
        word.append(character)
      }
    }
    if !word.isEmpty { words.append(word.lowercased()) }
    return words
  }

  private struct Reader {
    let words: [String]
    let text: String
    let place: Place
    var index = 0

    var isAtEnd: Bool { index == words.count }
    var failure: ChangelogError {
      ChangelogError(
        .refused, "“\(text.prefix(80))” is no expression of contexts or labels.", at: place,
        write: "context:\"a and (b or !c)\"")
    }

    private mutating func take(_ word: String) -> Bool {
      guard index < words.count, words[index] == word else { return false }
      index += 1
      return true
    }

    mutating func any(depth: Int) throws(ChangelogError) -> Node {
      guard depth < 64 else { throw failure }
      var nodes = [try all(depth: depth)]
      while take("or") || take(",") { nodes.append(try all(depth: depth)) }
      return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    private mutating func all(depth: Int) throws(ChangelogError) -> Node {
      var nodes = [try one(depth: depth)]
      while take("and") { nodes.append(try one(depth: depth)) }
      return nodes.count == 1 ? nodes[0] : .all(nodes)
    }

    private mutating func one(depth: Int) throws(ChangelogError) -> Node {
      guard depth < 64 else { throw failure }
      if take("!") || take("not") { return .not(try one(depth: depth + 1)) }
      if take("(") {
        let node = try any(depth: depth + 1)
        guard take(")") else { throw failure }
        return node
      }
      guard index < words.count, !["and", "or", ")", ","].contains(words[index]) else {
        throw failure
      }
      index += 1
      let word = words[index - 1]
      return .word(word.hasPrefix("@") ? String(word.dropFirst()) : word)
    }
  }
}
