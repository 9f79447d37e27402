/// A node of events: it has some during a turn and none between turns.
class EventNode<Value: Sendable>: Node, ObserverPlace, @unchecked Sendable {
  /// An event with its place among all events of its turn.
  struct Event: Sendable {
    let stamp: Int
    let value: Value
  }

  /// The events of this turn, in order.
  @exclusivity(unchecked) final var events: ContiguousArray<Event> = []
  @exclusivity(unchecked) private final var observers = Roster()

  /// Adds an event to a turn.
  final func emit(_ value: Value, in turn: inout Turn) {
    guard !observers.isEmpty || !dependents.isEmpty else { return }
    events.append(Event(stamp: turn.nextStamp(), value: value))
    if events.count == 1 { turn.start(at: self) }
  }

  /// Adds an event to a turn of its own, or of the transaction's. *Thread*: any.
  final func emit(_ value: Value) {
    if let transaction = Transaction.current {
      transaction.add(to: turns) { [self] turn in emit(value, in: &turn) }
    } else if turns.locked({ $0.begin() }) {
      turns.run { turn in emit(value, in: &turn) }
    } else {
      turns.submit { [self] turn in emit(value, in: &turn) }
    }
  }

  override func deliver() {
    if !observers.isEmpty {
      for event in events {
        observers.forEach(Observer<Value>.self) { $0.deliver(event.value) }
      }
    }
    events.removeAll(keepingCapacity: events.count <= 64)
  }

  /// Adds an observer of the events from now on. *Thread*: any.
  final func observe(
    _ anchor: Anchor?, _ site: CallSite? = nil, _ body: @escaping @Sendable (Value) -> Void
  ) -> SignalSubscription {
    let observer = Observer(body, at: self, anchor, site)
    turns.submit { [self] _ in observers.insert(observer) }
    return SignalSubscription(observer)
  }

  final func remove(_ observer: Seat) {
    turns.submit { [self] _ in observers.remove(observer) }
  }
}

/// Events that follow from the events of other nodes in the same turn.
final class DerivedEventNode<Value: Sendable>: EventNode<Value>, @unchecked Sendable {
  /// Appends what follows from the sources' events.
  typealias Refresh = @Sendable (inout ContiguousArray<Event>) -> Void
  private let step: Refresh

  init(turns: Turns, step: @escaping Refresh) {
    self.step = step
    super.init(turns: turns)
  }

  override func refresh(_ turn: inout Turn) -> Outcome {
    step(&events)
    return events.isEmpty ? .same : .changed
  }
}

extension Occurrences {
  /// Makes occurrences that follow their sources from the next turn on. *Thread*: any.
  static func derived(
    from upstreams: [Upstream], step: @escaping DerivedEventNode<Value>.Refresh
  ) -> Occurrences {
    let turns = upstreams.first?.node.turns ?? Turns()
    for upstream in upstreams.dropFirst() { Turns.merge(turns, upstream.node.turns) }
    let node = DerivedEventNode<Value>(turns: turns, step: step)
    turns.submit { _ in
      for upstream in upstreams { node.attach(to: upstream.node) }
    }
    return Occurrences(node, Anchor(node, sources: upstreams.compactMap(\.anchor)))
  }
}
