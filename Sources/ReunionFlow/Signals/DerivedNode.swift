/// A value that follows from other nodes by a pure transform.
final class DerivedNode<Value: Sendable>: ValueNode<Value>, @unchecked Sendable {
  /// Brings the value up to date with the sources' current ones; false where nothing is new.
  typealias Refresh = @Sendable (inout Value) -> Bool
  private let step: Refresh

  init(_ value: Value, turns: Turns, step: @escaping Refresh) {
    self.step = step
    super.init(value, turns: turns)
  }

  override func refresh(_ turn: inout Turn) -> Outcome {
    step(&draft.pointee) ? .changed : .same
  }
}

/// A derived node of which the value is a signal: its transform may build more of the graph.
final class BuildingNode<Value: Sendable>: ValueNode<Value>, @unchecked Sendable {
  private let step: DerivedNode<Value>.Refresh

  init(_ value: Value, turns: Turns, step: @escaping DerivedNode<Value>.Refresh) {
    self.step = step
    super.init(value, turns: turns)
  }

  override func refresh(_ turn: inout Turn) -> Outcome {
    Building.during(&turn, of: turns) { step(&draft.pointee) } ? .changed : .same
  }
}

extension Signal {
  /// Makes a signal with its value at once; it follows its sources from the next turn on, and makes
  /// up for what they published in between. *Thread*: any.
  static func derived<Inputs>(
    from upstreams: [Upstream], read: (Reading) -> Inputs, initial: (Inputs) -> Value,
    step: @escaping DerivedNode<Value>.Refresh
  ) -> Signal {
    let sources = upstreams.map(\.node)
    let anchors = upstreams.compactMap(\.anchor)
    let turns = sources.first?.turns ?? Turns()
    func make(_ inputs: Inputs) -> ValueNode<Value> {
      let isBuilding = Value.self is any AnySignal.Type
      return isBuilding
        ? BuildingNode(initial(inputs), turns: turns, step: step)
        : DerivedNode(initial(inputs), turns: turns, step: step)
    }
    if let building = Building.current, building.owns(sources) {
      let node = make(read(.current))
      building.attach(node, to: sources)
      return Signal(node, Anchor(node, sources: anchors))
    }
    for source in sources.dropFirst() { Turns.merge(turns, source.turns) }
    let (inputs, version) = turns.locked { _ in (read(.published), sources.version) }
    let node = make(inputs)
    turns.submit { turn in
      for source in sources { node.attach(to: source) }
      if sources.version != version { turn.mark(node) }
    }
    return Signal(node, Anchor(node, sources: anchors))
  }

  /// Makes a signal that follows this one.
  func derived<Output: Sendable>(
    initial: (Value) -> Output, step: @escaping @Sendable (Value, inout Output) -> Bool
  ) -> Signal<Output> {
    Signal<Output>.derived(
      from: [upstream], read: { node.read($0) }, initial: initial,
      step: { [node] next in step(node.draft.pointee, &next) })
  }
}

extension [Node] {
  /// Grows whenever one of the nodes publishes.
  var version: UInt64 { reduce(0) { $0 &+ $1.version } }
}

/// That a type is a signal.
protocol AnySignal {}
extension Signal: AnySignal {}
