import Synchronization

/// The turns of all nodes that depend on one another: one at a time, in the order of the writes.
///
/// The thread that finds nobody running becomes the owner and runs all queued work, including what
/// other threads and the turn's own observers add meanwhile. The owner alone touches the structure
/// of the graph; the lock guards the queue and what other threads may read: published values.
///
/// Every variable starts with turns of its own; combining two signals, or writing two variables in
/// one transaction, merges theirs for good. So unrelated parts never wait for each other.
final class Turns: @unchecked Sendable {
  /// One step between turns: it may change the graph, and marks the nodes that the turn starts at.
  typealias Work = @Sendable (inout Turn) -> Void

  /// What the lock guards.
  struct State {
    /// What these turns were merged into; this keeps it alive.
    fileprivate var successor: Turns?
    /// How many turns were merged into this one, itself included.
    fileprivate var size = 1
    /// How many threads run a turn: 0 or 1, more only while turns that ran apart merge.
    fileprivate var runnerCount = 0
    fileprivate var queue = Queue<Piece>()

    /// False while several threads run turns that were merged meanwhile.
    var hasOneOwner: Bool { runnerCount == 1 }

    /// Makes the caller the owner if there is none; then it must call `run`.
    mutating func begin() -> Bool {
      guard runnerCount == 0 else { return false }
      runnerCount = 1
      return true
    }

    /// Queues work, and tells whether the caller became the owner and must call `run`.
    mutating func enqueue(_ work: @escaping Work) -> Bool {
      queue.append(Piece(work: work))
      return begin()
    }
  }

  // A struct around the closure: stored bare in a generic type, it would be wrapped once more.
  fileprivate struct Piece {
    let work: Work
  }

  private let state = Lock(State())
  /// The address of what these turns were merged into, or 0; once set, it is for good.
  private let successor = Atomic<UInt>(0)
  /// The owner's, which keeps the memory of the turn before.
  @exclusivity(unchecked) private var turn = Turn()

  /// Queues work, and runs it at once unless a turn is under way.
  func submit(_ work: @escaping Work) {
    if locked({ $0.begin() }) { return run { turn in work(&turn) } }
    if locked({ $0.enqueue(work) }) { run() }
  }

  /// Runs a closure under the lock that guards these turns. No caller's code may run in it.
  func locked<Success>(_ body: (inout State) -> Success) -> Success {
    if successor.load(ordering: .acquiring) == 0 {
      let success: Success? = state.withLock { state in
        state.successor == nil ? Optional.some(body(&state)) : nil
      }
      if let success { return success }
    }
    while true {
      let success: Success? = root.state.withLock { state in
        state.successor == nil ? Optional.some(body(&state)) : nil
      }
      if let success { return success }
    }
  }

  /// Runs a first step and then queued work until none is left; only for the owner.
  func run(_ first: (inout Turn) -> Void = { _ in }) {
    Transaction.suspended {
      first(&turn)
      turn.run(in: self)
      while let step = next() {
        step.work(&turn)
        // The step holds the nodes that it has marked.
        withExtendedLifetime(step) { turn.run(in: self) }
      }
    }
  }

  /// The next piece of work, or `nil` when the caller no longer owns the turns.
  private func next() -> Piece? {
    locked { state in
      if state.runnerCount == 1, let step = state.queue.popFirst() { return step }
      state.runnerCount -= 1
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
          if low.size >= high.size {
            second.join(first, &high, &low)
          } else {
            first.join(second, &low, &high)
          }
          return true
        }
      }
      if isDone { return }
    }
  }

  private func join(_ root: Turns, _ own: inout State, _ roots: inout State) {
    own.successor = root
    roots.size += own.size
    roots.runnerCount += own.runnerCount
    roots.queue.append(contentsOf: &own.queue)
    let address = UInt(bitPattern: Unmanaged.passUnretained(root).toOpaque())
    successor.store(address, ordering: .releasing)
  }

  /// What these turns have become a part of; the way there is O(log n).
  var root: Turns {
    var turns = self
    while true {
      let address = turns.successor.load(ordering: .acquiring)
      guard let pointer = UnsafeRawPointer(bitPattern: address) else { return turns }
      turns = Unmanaged<Turns>.fromOpaque(pointer).takeUnretainedValue()
    }
  }
}
