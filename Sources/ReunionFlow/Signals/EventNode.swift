/// A node of events: it has some during a turn and none between turns.
class EventNode<Value: Sendable>: Node, @unchecked Sendable {
  /// The events of this turn, in order.
  final var events: [Value] = []
  private var observers = Roster<Observer<Value>>()

  override func refresh() -> Bool { !events.isEmpty }

  override func deliver() {
    for event in events { observers.forEach { $0.deliver(event) } }
  }

  override func settle() { events = [] }

  /// Adds an observer of the events from now on. *Thread*: any.
  func observe(_ body: @escaping @Sendable (Value) -> Void) -> Subscription {
    let observer = Observer(body)
    let seat = Seat(observer)
    turns.submit { [self] _ in observers.insert(seat) }
    return Subscription { [self] in
      observer.cancel()
      turns.submit { [self] _ in observers.remove(seat) }
    }
  }
}

/// Events that follow one by one from the events of another node.
final class DerivedEventNode<Input: Sendable, Value: Sendable>: EventNode<Value>,
  @unchecked Sendable
{
  private let source: EventNode<Input>
  private let transform: @Sendable (Input) -> Value?
  private var attachment: Attachment?

  private init(_ source: EventNode<Input>, _ transform: @escaping @Sendable (Input) -> Value?) {
    self.source = source
    self.transform = transform
    super.init(turns: source.turns, rank: source.rank + 1)
    attachment = Attachment(of: self, to: [source])
  }

  deinit { attachment?.detach() }

  override func refresh() -> Bool {
    events = source.events.compactMap(transform)
    return !events.isEmpty
  }

  /// Makes a node that follows its source from the next turn on. *Thread*: any.
  static func make(
    from source: EventNode<Input>, _ transform: @escaping @Sendable (Input) -> Value?
  ) -> DerivedEventNode {
    let node = DerivedEventNode(source, transform)
    source.turns.submit { _ in node.attachment?.attach() }
    return node
  }
}
