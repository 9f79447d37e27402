import ReunionFlow

/// A random graph, built of the library's signals, with an observer at every node.
final class LiveGraph {
  /// A bug that a graph can have.
  enum Fault: CaseIterable {
    /// The writes of a turn publish one by one.
    case ungroupedWrites
    /// Combining by observers, as push-based libraries do it: a diamond fires twice.
    case pushedCombination
    /// Duplicates get through.
    case missedDuplicate
    /// A switch that goes on to follow what it followed first.
    case stuckSwitch
    /// What is built for a value keeps the other source's value of that time.
    case frozenSource
    /// An observer is called twice.
    case doubledObserver
  }

  private let variables: [Variable<Int>]
  private var signals: [Signal<Int>] = []
  private let deliveries: Recorder<(node: Int, value: Int)>
  private let views = Recorder<[Int]>()
  private let bag = DisposeBag()
  private let nodeCount: Int
  private let fault: Fault?
  private var deliveryCount = 0
  private var viewCount = 0

  init(_ graph: RandomGraph, fault: Fault?) {
    self.fault = fault
    nodeCount = graph.nodes.count
    deliveries = Recorder()
    variables = graph.nodes.compactMap {
      if case .variable(let value) = $0 { Variable(value) } else { nil }
    }
    for (index, node) in graph.nodes.enumerated() { signals.append(signal(node, index)) }
    for (index, signal) in signals.enumerated() {
      for _ in 0..<(fault == .doubledObserver && index == 2 ? 2 : 1) {
        signal.observe { [deliveries] in deliveries.add((index, $0)) }.store(in: bag)
      }
    }
    // What an observer sees of all the others must belong to its turn.
    let auditor = signals.count / 2
    signals[auditor].observe { [signals, views] _ in views.add(signals.map(\.value)) }
      .store(in: bag)
    viewCount = views.values.count
  }

  var values: [Int] { signals.map(\.value) }

  func write(_ turn: RandomGraph.Turn) {
    let write = { for (variable, value) in turn { self.variables[variable].value = value } }
    if fault == .ungroupedWrites { write() } else { transaction(write) }
  }

  /// The values that each node has delivered since the last call.
  func takeDeliveries() -> [[Int]] {
    var result = Array(repeating: [Int](), count: nodeCount)
    let all = deliveries.values
    for delivery in all[deliveryCount...] { result[delivery.node].append(delivery.value) }
    deliveryCount = all.count
    return result
  }

  /// The states of the whole graph that the auditor has seen since the last call.
  func takeViews() -> ArraySlice<[Int]> {
    let all = views.values
    defer { viewCount = all.count }
    return all[viewCount...]
  }

  private func signal(_ node: RandomGraph.Node, _ index: Int) -> Signal<Int> {
    switch node {
    case .variable: return variables[index].signal
    case .map(let source, let factor):
      return signals[source].map { RandomGraph.mapped($0, factor: factor) }
    case .filter(let source, let modulus):
      return signals[source].filter(initial: 0) { RandomGraph.isIncluded($0, modulus: modulus) }
    case .distinct(let source):
      return fault == .missedDuplicate ? signals[source].map { $0 } : signals[source].distinct()
    case .scan(let source): return signals[source].scan(0, RandomGraph.added)
    case .combine(let sources): return combination(sources.map { signals[$0] })
    case .choose(let selector, let even, let odd):
      let (even, odd) = (signals[even], signals[odd])
      let choices = signals[selector].map { $0 % 2 == 0 ? even : odd }
      return fault == .stuckSwitch
        ? choices.scan(choices.value) { first, _ in first }.switchToLatest()
        : choices.switchToLatest()
    case .build(let selector, let other):
      let (other, fault) = (signals[other], fault)
      return signals[selector].flatMapLatest { selected in
        let frozen = other.value
        return other.map { RandomGraph.built(selected, fault == .frozenSource ? frozen : $0) }
      }
    }
  }

  private func combination(_ sources: [Signal<Int>]) -> Signal<Int> {
    guard fault != .pushedCombination else { return pushed(sources) }
    if sources.count == 2 {
      return combineLatest(sources[0], sources[1]).map { RandomGraph.combined([$0, $1]) }
    }
    return combineLatest(sources[0], sources[1], sources[2])
      .map { RandomGraph.combined([$0, $1, $2]) }
  }

  private func pushed(_ sources: [Signal<Int>]) -> Signal<Int> {
    let result = Variable(RandomGraph.combined(sources.map(\.value)))
    let latest = Recorder<Int>()
    for source in sources {
      source.observe { _ in
        latest.add(0)
        // The first calls come while observing.
        guard latest.values.count > sources.count else { return }
        result.value = RandomGraph.combined(sources.map(\.value))
      }.store(in: bag)
    }
    return result.signal
  }
}
