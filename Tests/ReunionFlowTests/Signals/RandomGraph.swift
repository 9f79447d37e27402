/// A graph of signals as data: the library builds it one way, the oracle computes it another.
struct RandomGraph: Sendable {
  /// How a node follows from nodes before it in the list.
  enum Node: Sendable {
    case variable(Int)
    case map(Int, factor: Int)
    case filter(Int, modulus: Int)
    case distinct(Int)
    case scan(Int)
    case combine([Int])
    /// The value of one of two nodes, by whether the selector's is even.
    case choose(selector: Int, even: Int, odd: Int)
    /// A signal that is built anew of another node for each value of the selector.
    case build(selector: Int, other: Int)
  }

  /// The writes of one turn: values by number of the variable.
  typealias Turn = [(variable: Int, value: Int)]

  var nodes: [Node] = []
  var variableCount: Int
  var turns: [Turn] = []

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    variableCount = Int.random(in: 1...3, using: &generator)
    for _ in 0..<variableCount { nodes.append(.variable(Int.random(in: 0..<8, using: &generator))) }
    for _ in 0..<Int.random(in: 1...9, using: &generator) {
      nodes.append(Self.node(after: nodes.count, using: &generator))
    }
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      // More writes than variables now and then: the last one counts.
      turns.append(
        (0..<Int.random(in: 1...3, using: &generator)).map { _ in
          (
            variable: Int.random(in: 0..<variableCount, using: &generator),
            value: Int.random(in: 0..<8, using: &generator)
          )
        })
    }
  }

  private static func node(after count: Int, using generator: inout SeededGenerator) -> Node {
    var source: Int { Int.random(in: 0..<count, using: &generator) }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return .map(source, factor: Int.random(in: 1...5, using: &generator))
    case 1: return .filter(source, modulus: Int.random(in: 2...3, using: &generator))
    case 2: return .distinct(source)
    case 3: return .scan(source)
    case 4, 5: return .combine([source, source, source].dropLast(source % 2))
    case 6: return .choose(selector: source, even: source, odd: source)
    default: return .build(selector: source, other: source)
    }
  }

  // The transforms. Results are few, so that duplicates are frequent.
  static func mapped(_ value: Int, factor: Int) -> Int { (value * factor + 1) % 11 }
  static func isIncluded(_ value: Int, modulus: Int) -> Bool { value % modulus == 0 }
  static func added(_ sum: Int, _ value: Int) -> Int { (sum * 3 + value) % 101 }
  static func combined(_ values: [Int]) -> Int { values.reduce(7) { ($0 * 5 + $1) % 13 } }
  static func built(_ selected: Int, _ other: Int) -> Int { (selected * 17 + other) % 19 }
}
