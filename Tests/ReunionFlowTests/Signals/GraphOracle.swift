/// Computes a random graph the naive way: every node anew after every turn, by recursion.
struct GraphOracle {
  private let nodes: [RandomGraph.Node]
  /// The values after the last turn.
  private(set) var values: [Int] = []

  init(_ graph: RandomGraph) {
    nodes = graph.nodes
    for node in nodes { values.append(initial(node)) }
  }

  private func initial(_ node: RandomGraph.Node) -> Int {
    switch node {
    case .variable(let value): value
    case .map(let source, let factor): RandomGraph.mapped(values[source], factor: factor)
    case .filter(let source, let modulus):
      RandomGraph.isIncluded(values[source], modulus: modulus) ? values[source] : 0
    case .distinct(let source): values[source]
    case .scan(let source): RandomGraph.added(0, values[source])
    case .combine(let sources): RandomGraph.combined(sources.map { values[$0] })
    case .choose(let selector, let even, let odd):
      values[values[selector] % 2 == 0 ? even : odd]
    case .build(let selector, let other): RandomGraph.built(values[selector], values[other])
    }
  }

  /// Runs a turn, and returns the nodes that change, with their new values.
  mutating func run(_ turn: RandomGraph.Turn) -> [Int: Int] {
    var written: [Int: Int] = [:]
    for write in turn { written[write.variable] = write.value }
    var changes: [Int: Int] = [:]
    let old = values
    // Sources come before what follows from them.
    for (index, node) in nodes.enumerated() {
      let isNew: (Int) -> Bool = { changes[$0] != nil }
      var value: Int?
      switch node {
      case .variable: value = written[index]
      case .map(let source, let factor) where isNew(source):
        value = RandomGraph.mapped(values[source], factor: factor)
      case .filter(let source, let modulus) where isNew(source):
        if RandomGraph.isIncluded(values[source], modulus: modulus) { value = values[source] }
      case .distinct(let source) where isNew(source):
        if values[source] != old[index] { value = values[source] }
      case .scan(let source) where isNew(source):
        value = RandomGraph.added(old[index], values[source])
      case .combine(let sources) where sources.contains(where: isNew):
        value = RandomGraph.combined(sources.map { values[$0] })
      case .choose(let selector, let even, let odd):
        let chosen = values[selector] % 2 == 0 ? even : odd
        if isNew(selector) || isNew(chosen) { value = values[chosen] }
      case .build(let selector, let other) where isNew(selector) || isNew(other):
        value = RandomGraph.built(values[selector], values[other])
      default: break
      }
      guard let value else { continue }
      values[index] = value
      changes[index] = value
    }
    return changes
  }
}
