/// How a value is read: as all threads see it, or as it is within the owner's turn.
enum Reading { case published, current }

/// A node that always has a value.
class ValueNode<Value: Sendable>: Node, ObserverPlace, @unchecked Sendable {
  // The two change places when the node publishes, so that publishing copies and releases nothing.
  /// The value that all threads see: written under the turns' lock, by the owner only.
  @exclusivity(unchecked) final private(set) var published: UnsafeMutablePointer<Value>
  /// The value of the owner's turn, which equals the published one between turns.
  @exclusivity(unchecked) final private(set) var draft: UnsafeMutablePointer<Value>
  @exclusivity(unchecked) private final var observers = Roster()

  init(_ value: Value, turns: Turns) {
    published = .allocate(capacity: 1)
    draft = .allocate(capacity: 1)
    published.initialize(to: value)
    draft.initialize(to: value)
    super.init(turns: turns)
  }

  deinit {
    for place in [published, draft] {
      place.deinitialize(count: 1)
      place.deallocate()
    }
  }

  /// Reads the value: `published` under the lock, `current` as the owner during refreshes.
  final func read(_ reading: Reading) -> Value {
    switch reading {
    case .published: published.pointee
    case .current: draft.pointee
    }
  }

  /// The published value. *Thread*: any.
  final var snapshot: Value { turns.locked { _ in published.pointee } }

  override final func publish() {
    let old = published
    published = draft
    draft = old
  }

  override func deliver() {
    // This releases the value of the turn before.
    draft.pointee = published.pointee
    guard !observers.isEmpty else { return }
    observers.forEach(Observer<Value>.self) { $0.deliver(published.pointee) }
  }

  /// Gives a value to a turn that is about to run.
  final func set(_ value: Value, in turn: inout Turn) {
    draft.pointee = value
    turn.start(at: self)
  }

  /// Publishes a value in a turn of its own, if a condition holds when its time comes. *Thread*: any.
  final func post(_ value: Value, if isWanted: @escaping @Sendable () -> Bool = { true }) {
    turns.submit { [self] turn in
      if isWanted() { set(value, in: &turn) }
    }
  }

  /// Adds an observer, which gets the present value first. *Thread*: any.
  final func observe(
    _ anchor: Anchor?, _ site: CallSite? = nil, _ body: @escaping @Sendable (Value) -> Void
  ) -> SignalSubscription {
    let observer = Observer(body, at: self, anchor, site)
    turns.submit { [self] _ in
      observers.insert(observer)
      observer.deliver(published.pointee)
    }
    return SignalSubscription(observer)
  }

  final func remove(_ observer: Seat) {
    turns.submit { [self] _ in observers.remove(observer) }
  }
}

/// The node of a variable: its value comes from outside.
final class SourceNode<Value: Sendable>: ValueNode<Value>, @unchecked Sendable {
  /// The newest write, perhaps before its turn; the turns' lock guards it.
  @exclusivity(unchecked) var latest: Value
  /// How many writes there were; the turns' lock guards it.
  @exclusivity(unchecked) var writes: UInt64 = 0

  override init(_ value: Value, turns: Turns = Turns()) {
    latest = value
    super.init(value, turns: turns)
  }

  /// Makes a value the newest one, and has it published in a turn of its own. *Thread*: any.
  func write(_ value: Value) {
    var released = value
    let isOwner = turns.locked { state in
      swap(&latest, &released)
      writes &+= 1
      if state.begin() { return true }
      _ = state.enqueue { [self] turn in set(value, in: &turn) }
      return false
    }
    if isOwner { turns.run { turn in set(value, in: &turn) } }
  }
}
