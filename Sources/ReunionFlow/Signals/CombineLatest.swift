/// The signal of several signals' values, which always belong to the same turn.
///
/// ```swift
/// let name = Variable("Ann")
/// let isOnline = Variable(true)
/// let line = combineLatest(name.signal, isOnline.signal).map { "\($0)\($1 ? "" : ", offline")" }
/// let showing = line.observe { print($0) }    // Ann
/// transaction {
///   name.value = "Bo"
///   isOnline.value = false
/// }                                           // Bo, offline: never one without the other
/// ```
///
/// It takes any number of signals. It changes once a turn, however many of its sources change. A
/// source that was set to an equal value counts as changed: `distinct` leaves that out. Combining
/// signals that had nothing to do with each other makes their turns common from then on. So a slow
/// observer of one holds up the other. *Cost*: one node; an update reads every source.
public func combineLatest<each Value: Sendable>(
  _ signal: repeat Signal<each Value>
) -> Signal<(repeat each Value)> {
  var upstreams: [Upstream] = []
  var places: [Place] = []
  var size = 0
  for signal in repeat each signal {
    upstreams.append(signal.upstream)
    places.append(place(of: signal.node, after: &size))
  }
  return Signal<(repeat each Value)>.derived(
    from: upstreams, read: { reading in (repeat (each signal).node.read(reading)) },
    initial: { $0 },
    step: copying(places))
}

/// Where one source's value stands in the tuple.
///
/// A generic tuple's layout is looked up at each use, which takes longer than all the rest; so it
/// is computed once: each element follows the one before at the next multiple of its alignment.
private struct Place: Sendable {
  let copy: @Sendable (UnsafeMutableRawPointer) -> Void
}

private func copying<Tuple>(_ places: [Place]) -> @Sendable (inout Tuple) -> Bool {
  { tuple in
    withUnsafeMutablePointer(to: &tuple) { tuple in
      for place in places { place.copy(tuple) }
    }
    return true
  }
}

private func place<Value>(of node: ValueNode<Value>, after size: inout Int) -> Place {
  let alignment = MemoryLayout<Value>.alignment
  let offset = (size + alignment - 1) / alignment * alignment
  size = offset + MemoryLayout<Value>.size
  return Place { tuple in
    (tuple + offset).assumingMemoryBound(to: Value.self).pointee = node.draft.pointee
  }
}
