/// What a machine can do, found by asking its selector: every state that can be reached from the
/// first one by the given events and by deadlines.
///
/// States are explored with their associated values and shown by name, which is the case's name
/// unless the caller says otherwise. *Cost*: states × events calls of the selector.
public struct MachineModel<M: Machine>: Sendable {
  /// One row of the transition table, by names.
  public struct Edge: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The state before.
    public let from: String
    /// The event.
    public let event: String
    /// The state after.
    public let to: String

    /// The row in one line.
    public var description: String { "\(from) —\(event)→ \(to)" }

    /// The order by state, event and next state.
    public static func < (left: Edge, right: Edge) -> Bool {
      (left.from, left.event, left.to) < (right.from, right.event, right.to)
    }
  }

  /// The name of the first state.
  public let start: String
  /// The names of all states that can be reached, in the order of discovery.
  public private(set) var states: [String] = []
  /// The transition table, in the order of discovery and without repetitions.
  public private(set) var edges: [Edge] = []
  /// The deadlines by name of the state, such as "10.0 seconds".
  public private(set) var deadlines: [String: String] = [:]
  /// False when there were more than `statesMax` states with values, so that some were not seen.
  public private(set) var isComplete = true

  /// Explores a machine.
  ///
  /// - Parameters:
  ///   - start: The state to begin in.
  ///   - events: Samples of all events, one for each associated value that matters.
  ///   - statesMax: How many states, told apart by their descriptions, are explored.
  public init(start: M.State, events: [M.Event], statesMax: Int = 10_000) {
    self.start = Self.name(of: start)
    var known: Set<String> = [String(describing: start)]
    var names: Set<String> = []
    var seen: Set<Edge> = []
    var frontier = Queue<M.State>()
    frontier.append(start)
    while let state = frontier.popFirst() {
      let from = Self.name(of: state)
      if names.insert(from).inserted { states.append(from) }
      let deadline = M.deadline(state)
      if let deadline { deadlines[from] = String(describing: deadline.after) }
      for event in events + (deadline.map { [$0.event] } ?? []) {
        guard let step = try? M.next(state, event) else { continue }
        let edge = Edge(from: from, event: Self.name(of: event), to: Self.name(of: step.state))
        if seen.insert(edge).inserted { edges.append(edge) }
        let identity = String(describing: step.state)
        guard !known.contains(identity) else { continue }
        guard known.count < statesMax else {
          isComplete = false
          continue
        }
        known.insert(identity)
        frontier.append(step.state)
      }
    }
  }

  /// The states of a list that cannot be reached.
  public func unreachable(of all: [M.State]) -> [String] {
    let reached = Set(states)
    return all.map { Self.name(of: $0) }.filter { !reached.contains($0) }
  }

  /// The states that no event and no deadline leads out of.
  public var deadEnds: [String] {
    let left = Set(edges.filter { $0.from != $0.to }.map(\.from))
    return states.filter { !left.contains($0) }
  }

  /// The name of a case: its description up to the associated values.
  static func name(of value: some Sendable) -> String {
    String(String(describing: value).prefix { $0 != "(" })
  }
}
