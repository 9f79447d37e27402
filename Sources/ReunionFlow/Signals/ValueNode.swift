/// How a value is read: as all threads see it, or as it is within the owner's turn.
enum Reading { case published, current }

/// A node that always has a value.
class ValueNode<Value: Sendable>: Node, @unchecked Sendable {
  /// The published value: written under the turns' lock, by the owner only.
  private(set) var value: Value
  /// The value of this turn until it is published, the one before it from then until it settles.
  var next: Value?
  private var observers = Roster<Observer<Value>>()

  init(_ value: Value, turns: Turns, rank: Int) {
    self.value = value
    super.init(turns: turns, rank: rank)
  }

  /// Reads the value: `published` under the lock, `current` as the owner during refreshes.
  func read(_ reading: Reading) -> Value {
    switch reading {
    case .published: value
    case .current: next ?? value
    }
  }

  /// The published value. *Thread*: any.
  var snapshot: Value { turns.locked { _ in value } }

  override func refresh() -> Bool { next != nil }

  override func publish() {
    super.publish()
    guard let new = next else { return }
    next = value
    value = new
  }

  override func deliver() { observers.forEach { $0.deliver(value) } }

  override func settle() { next = nil }

  /// Adds an observer, which gets the present value first. *Thread*: any.
  func observe(_ body: @escaping @Sendable (Value) -> Void) -> Subscription {
    let observer = Observer(body)
    let seat = Seat(observer)
    turns.submit { [self] turn in
      observers.insert(seat)
      turn.afterwards { [self] in observer.deliver(value) }
    }
    return Subscription { [self] in
      observer.cancel()
      turns.submit { [self] _ in observers.remove(seat) }
    }
  }
}

/// The node of a variable: its value comes from outside.
final class SourceNode<Value: Sendable>: ValueNode<Value>, @unchecked Sendable {
  /// The newest write, perhaps before its turn; the turns' lock guards it.
  var latest: Value
  /// How many writes there were; the turns' lock guards it.
  var writes: UInt64 = 0

  init(_ value: Value, turns: Turns = Turns()) {
    latest = value
    super.init(value, turns: turns, rank: 0)
  }
}
