/// The turns of all nodes that depend on one another: one at a time, in the order of the writes.
///
/// The thread that finds nobody running becomes the owner and runs all queued work, including what
/// other threads and the turn's own observers add meanwhile. The owner alone touches the structure
/// of the graph; the lock guards the queue and what other threads may read: published values.
///
/// Every variable starts with turns of its own; combining two signals, or writing two variables in
/// one transaction, merges theirs for good. So unrelated parts never wait for each other.
final class Turns: Sendable {
  /// One step between turns: it may change the graph, and marks the nodes that the turn starts at.
  typealias Work = @Sendable (inout Turn) -> Void

  /// What the lock guards.
  struct State {
    fileprivate var successor: Turns?
    /// How many threads run a turn: 0 or 1, more only while turns that ran apart merge.
    fileprivate var runners = 0
    fileprivate var queue = Queue<Work>()

    /// Queues work, and tells whether the caller became the owner and must call `run()`.
    mutating func enqueue(_ work: @escaping Work) -> Bool {
      queue.append(work)
      guard runners == 0 else { return false }
      runners = 1
      return true
    }
  }

  private let state = Lock(State())

  /// Queues work, and runs it at once unless a turn is under way.
  func submit(_ work: @escaping Work) {
    if locked({ $0.enqueue(work) }) { run() }
  }

  /// Runs a closure under the lock that guards these turns. No caller's code may run in it.
  func locked<Success>(_ body: (inout State) -> Success) -> Success {
    var turns = self
    var hops = 0
    while true {
      let (success, successor) = turns.state.withLock { state -> (Success?, Turns?) in
        if let successor = state.successor { return (nil, successor) }
        return (.some(body(&state)), nil)
      }
      if let success {
        if hops > 1 { state.withLock { $0.successor = turns } }
        return success
      }
      if let successor { turns = successor }
      hops += 1
    }
  }

  /// Runs queued work until none is left; only for the owner.
  func run() {
    if Transaction.current != nil { return Transaction.suspend { run() } }
    while let work = next() {
      var turn = Turn()
      work(&turn)
      turn.run(in: self)
    }
  }

  /// The next piece of work, or `nil` when the caller no longer owns the turns.
  private func next() -> Work? {
    locked { state in
      if state.runners == 1, let work = state.queue.popFirst() { return work }
      state.runners -= 1
      return nil
    }
  }

  /// Makes two sets of turns one. Turns that run meanwhile on two threads both end before the next.
  static func merge(_ one: Turns, _ other: Turns) {
    while true {
      let (left, right) = (one.root, other.root)
      if left === right { return }
      let inOrder = ObjectIdentifier(left) < ObjectIdentifier(right)
      let (first, second) = inOrder ? (left, right) : (right, left)
      let isDone = first.state.withLock { low in
        second.state.withLock { high in
          guard low.successor == nil, high.successor == nil else { return false }
          low.runners += high.runners
          low.queue.append(contentsOf: &high.queue)
          high.successor = first
          return true
        }
      }
      if isDone { return }
    }
  }

  private var root: Turns {
    var turns = self
    while let successor = turns.state.withLock({ $0.successor }) { turns = successor }
    return turns
  }
}
