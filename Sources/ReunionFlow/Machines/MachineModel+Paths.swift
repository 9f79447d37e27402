extension MachineModel {
  /// Ways from the first state that together take every transition of the table, as the events to
  /// send; a deadline comes as its event. Each is the shortest way to its last transition.
  ///
  /// ```swift
  /// func walk<M: Machine>(_ model: MachineModel<M>, from state: M.State) throws {
  ///   for path in model.paths {
  ///     let machine = StateMachine<M>(state, clock: TestClock())
  ///     for event in path { try machine.send(event) }
  ///   }
  /// }
  /// ```
  ///
  /// *Cost*: it is computed anew at each use: keep it.
  public var paths: [[M.Event]] {
    var covered: Set<Edge> = []
    var paths: [[M.Event]] = []
    // The last ones found are the farthest, and their ways cover others.
    for edge in edges.reversed() where !covered.contains(edge) {
      guard let origin = origins[edge] else { continue }
      let path = way(to: origin.place) + [origin.event]
      covered.formUnion(transitions(along: path).map { Edge($0) })
      paths.append(path)
    }
    return paths
  }

  /// A walk of valid events from the first state, the same one for the same seed.
  ///
  /// It ends early in a state in which no event is valid.
  ///
  /// Each step takes one of the events that are valid there, all equally likely. It is for tests
  /// that search: what `paths` walks is each transition once, and not what happens after many.
  public func randomWalk(steps: Int, seed: UInt64) -> [M.Event] {
    var generator = SplitMix64(seed: seed)
    var state = places[0].state
    var walk: [M.Event] = []
    while walk.count < steps,
      let transition = transitions(from: state).randomElement(using: &generator)
    {
      walk.append(transition.event)
      state = transition.to
    }
    return walk
  }

  /// The transitions that events lead to from the first state, without a runner; those that are not
  /// valid are left out.
  func transitions(along events: [M.Event]) -> [MachineTransition<M>] {
    var state = places[0].state
    var transitions: [MachineTransition<M>] = []
    for event in events {
      guard let step = try? M.next(state, event) else { continue }
      transitions.append(MachineTransition(from: state, event: event, to: step.state, visit: 0))
      state = step.state
    }
    return transitions
  }

  private func way(to place: Int) -> [M.Event] {
    var events: [M.Event] = []
    var arrival = places[place].arrival
    while let (place, event) = arrival {
      events.append(event)
      arrival = places[place].arrival
    }
    return events.reversed()
  }
}

/// A generator whose numbers follow from its seed on every machine.
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
private struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
