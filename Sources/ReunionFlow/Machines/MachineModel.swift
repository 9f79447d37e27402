/// What a machine can do, found by asking its selector: every state that can be reached from the
/// first one by the given events and by deadlines.
///
/// ```swift
/// enum Lamp: Machine {
///   enum State { case off, on }
///   enum Event { case pressed }
///   static func next(_ state: State, _: Event) throws(InvalidTransition) -> Step<State, Never> {
///     state == .off ? .to(.on) : .to(.off)
///   }
/// }
/// let model = MachineModel<Lamp>(start: .off, events: [.pressed])
/// print(model.mermaid, model.deadEnds.isEmpty, model.paths.count)
/// ```
///
/// States are explored with their associated values, told apart by `String(describing:)`, and shown
/// by the names that the machine gives. What only an event that is not among the samples leads to
/// is not in the model. Nothing is performed. *Cost*: states × events calls of the selector.
public struct MachineModel<M: Machine>: Sendable {
  /// One row of the transition table, by names.
  public struct Edge: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The state before.
    public let from: String
    /// The event.
    public let event: String
    /// The state after.
    public let to: String

    package init(_ transition: MachineTransition<M>) {
      from = M.name(ofState: transition.from)
      event = M.name(ofEvent: transition.event)
      to = M.name(ofState: transition.to)
    }

    /// The row in one line.
    public var description: String { "\(from) —\(event)→ \(to)" }

    /// The order by state, event and next state.
    public static func < (left: Edge, right: Edge) -> Bool {
      (left.from, left.event, left.to) < (right.from, right.event, right.to)
    }
  }

  /// A state with its values, and the shortest way there.
  struct Place: Sendable {
    let state: M.State
    let arrival: (place: Int, event: M.Event)?
  }

  /// The name of the first state.
  public let start: String
  /// The names of all states that can be reached, in the order of discovery.
  public private(set) var states: [String] = []
  /// The transition table, in the order of discovery and without repetitions; by names, so that
  /// states that differ only in their values give one row.
  public private(set) var edges: [Edge] = []
  /// The longest deadlines by name of the state; of one that has none there is no entry.
  public private(set) var deadlines: [String: Duration] = [:]
  /// False if there were more than `statesMax` states with values, so that some were not visited.
  /// Then rows may be missing, and a dead end may be none. A counter in a state makes that easily:
  /// sample it.
  public private(set) var isComplete = true

  private let events: [M.Event]
  private(set) var places: [Place]
  /// Where each edge was found first.
  private(set) var origins: [Edge: (place: Int, event: M.Event)] = [:]

  /// Explores a machine.
  ///
  /// - Parameters:
  ///   - start: The state to begin in.
  ///   - events: Samples of all events, one for each associated value that matters.
  ///   - statesMax: How many states, told apart by their descriptions, are explored.
  public init(start: M.State, events: [M.Event], statesMax: Int = 10_000) {
    self.start = M.name(ofState: start)
    self.events = events
    places = [Place(state: start, arrival: nil)]
    var known: Set<String> = [String(describing: start)]
    var names: Set<String> = []
    var place = 0
    while place < places.count {
      let state = places[place].state
      let name = M.name(ofState: state)
      if names.insert(name).inserted { states.append(name) }
      if let deadline = M.deadline(state) {
        deadlines[name] = max(deadline.after, deadlines[name] ?? .zero)
      }
      for transition in transitions(from: state) {
        let edge = Edge(transition)
        if origins[edge] == nil {
          origins[edge] = (place, transition.event)
          edges.append(edge)
        }
        let identity = String(describing: transition.to)
        guard !known.contains(identity) else { continue }
        guard known.count < statesMax else {
          isComplete = false
          continue
        }
        known.insert(identity)
        places.append(Place(state: transition.to, arrival: (place, transition.event)))
      }
      place += 1
    }
  }

  /// What the events, and the state's deadline, lead to.
  func transitions(from state: M.State) -> [MachineTransition<M>] {
    (events + (M.deadline(state).map { [$0.event] } ?? [])).compactMap { event in
      guard let step = try? M.next(state, event) else { return nil }
      return MachineTransition(from: state, event: event, to: step.state, visit: 0)
    }
  }

  /// The names of those states of a list that cannot be reached, in its order.
  ///
  /// Code for them is dead, or the sample events are too few.
  public func unreachable(of all: [M.State]) -> [String] {
    let reached = Set(states)
    return all.map { M.name(ofState: $0) }.filter { !reached.contains($0) }
  }

  /// The states that no event and no deadline leads out of, in the order of discovery. Ends that
  /// are meant are among them.
  public var deadEnds: [String] {
    let left = Set(edges.filter { $0.from != $0.to }.map(\.from))
    return states.filter { !left.contains($0) }
  }
}
