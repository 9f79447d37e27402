extension Signal {
  /// The signal of what a pure function makes of each value. It changes whenever this one does.
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Output
  ) -> Signal<Output> {
    Signal<Output>(
      DerivedNode.make(
        from: [node], turns: node.turns, read: { [node] in node.read($0) }, transform: transform))
  }

  /// The same signal without changes to what a function calls a duplicate of the value before.
  public func distinct(
    by isDuplicate: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool
  ) -> Signal {
    Signal(
      DerivedNode.make(
        from: [node], turns: node.turns, read: { [node] in node.read($0) },
        isDuplicate: isDuplicate, transform: { $0 }))
  }
}

extension Signal where Value: Equatable {
  /// The same signal without changes to an equal value.
  public func distinct() -> Signal { distinct(by: ==) }
}

/// The signal of several signals' values, which always belong to the same turn.
///
/// It changes once a turn, however many of its sources change. Combining signals that had nothing
/// to do with each other makes their turns common from then on.
/// *Cost*: one node; an update reads every source.
public func combineLatest<each Value: Sendable>(
  _ signal: repeat Signal<each Value>
) -> Signal<(repeat each Value)> {
  var sources: [Node] = []
  for signal in repeat each signal { sources.append(signal.node) }
  let turns = sources.first?.turns ?? Turns()
  for source in sources.dropFirst() { Turns.merge(turns, source.turns) }
  return Signal<(repeat each Value)>(
    DerivedNode.make(
      from: sources, turns: turns, read: { reading in (repeat (each signal).node.read(reading)) },
      transform: { $0 }))
}
