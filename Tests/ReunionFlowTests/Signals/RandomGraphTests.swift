import Foundation
import ReunionFlow
import Testing

/// Random graphs against an oracle that computes every node anew.
///
/// `REUNION_GRAPHS=100000` runs the full count; `REUNION_GRAPH=<seed>` replays one.
@Suite struct RandomGraphTests {
  @Test func `random graphs agree with the oracle, delivery by delivery`() {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["REUNION_GRAPH"].flatMap(UInt64.init) {
      #expect(Self.firstDifference(seed: seed) == nil)
      return
    }
    let count = environment["REUNION_GRAPHS"].flatMap(UInt64.init) ?? 3_000
    let start = UInt64.random(in: 0 ... .max)
    for offset in 0..<count {
      let seed = start &+ offset
      guard let difference = Self.firstDifference(seed: seed) else { continue }
      Issue.record("\(difference); replay with REUNION_GRAPH=\(seed)")
      return
    }
  }

  @Test(arguments: LiveGraph.Fault.allCases)
  func `negative control: the oracle catches a seeded bug`(_ fault: LiveGraph.Fault) {
    #expect((0..<500).contains { Self.firstDifference(seed: $0, fault: fault) != nil })
  }

  /// Runs a graph in the library and in the oracle; tells where they differ.
  static func firstDifference(seed: UInt64, fault: LiveGraph.Fault? = nil) -> String? {
    let graph = RandomGraph(seed: seed)
    var oracle = GraphOracle(graph)
    let live = LiveGraph(graph, fault: fault)
    let first = live.takeDeliveries()
    for (node, values) in first.enumerated() where values != [oracle.values[node]] {
      return "node \(node) begins with \(values), not \(oracle.values[node])"
    }
    for (number, turn) in graph.turns.enumerated() {
      let changes = oracle.run(turn)
      live.write(turn)
      for (node, values) in live.takeDeliveries().enumerated() {
        let expected = changes[node].map { [$0] } ?? []
        guard values != expected else { continue }
        return "turn \(number) \(turn) delivers \(values) at node \(node), not \(expected)"
      }
      if live.values != oracle.values {
        return "after turn \(number) values are \(live.values), not \(oracle.values)"
      }
      if let torn = live.takeViews().first(where: { $0 != oracle.values }) {
        return "in turn \(number) an observer saw \(torn), not \(oracle.values)"
      }
    }
    return nil
  }
}
