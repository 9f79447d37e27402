#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Groups writes: all variables that the closure sets change together, in one turn.
///
/// Until it ends, the writes are visible to this closure only. They all take place also when the
/// closure throws. A transaction in a transaction is part of the outer one.
///
/// *Thread*: any; the closure runs on the caller's thread, at once and once. Other threads may write
/// the same variables meanwhile: values that are set replace theirs, updates are applied to theirs.
@discardableResult
public func transaction<Success>(_ body: () throws -> Success) rethrows -> Success {
  if Transaction.current != nil { return try body() }
  let transaction = Transaction()
  defer { transaction.commit() }
  return try Transaction.$innermost.withValue(transaction, operation: body)
}

/// The writes of a transaction that is under way.
final class Transaction: Sendable {
  @TaskLocal fileprivate static var innermost: Transaction?

  /// The transaction that the running code is part of; tasks that it starts are not part of it.
  static var current: Transaction? {
    guard let innermost, innermost.thread == currentThread else { return nil }
    return innermost
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      pthread_self()
    #endif
  }

  /// Runs a closure that is not part of the transaction.
  static func suspend(_ body: () -> Void) { $innermost.withValue(nil, operation: body) }

  private struct State {
    var writes: [any PendingWrite] = []
    var events: [(turns: Turns, work: Turns.Work)] = []
    var isOpen = true
  }

  private let state = Lock(State())
  private let thread = Transaction.currentThread

  /// A change of a value.
  struct Change<Value>: Sendable {
    let change: @Sendable (inout Value) -> Void
  }

  /// The value that this transaction has given to a variable, if it has.
  func value<Value>(of node: SourceNode<Value>) -> Value? {
    guard let write = state.withLock({ Self.write(of: node, in: $0.writes) }) else { return nil }
    write.replay()
    return write.result
  }

  /// Adds a change of a variable, unless the transaction is over (in a task that outlived it).
  func add<Value>(to node: SourceNode<Value>, _ change: Change<Value>) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      if let write = Self.write(of: node, in: state.writes) {
        write.changes.append(change)
      } else {
        state.writes.append(VariableWrite(node, change))
      }
      return true
    }
  }

  /// Adds work to the transaction's turn, unless the transaction is over.
  func add(to turns: Turns, _ work: @escaping Turns.Work) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      state.events.append((turns, work))
      return true
    }
  }

  private static func write<Value>(
    of node: SourceNode<Value>, in writes: [any PendingWrite]
  ) -> VariableWrite<Value>? {
    writes.first { $0.target === node } as? VariableWrite<Value>
  }

  /// Applies all writes at one point in time and has them published in one turn.
  ///
  /// Changes are computed without the lock, and again if a variable was written meanwhile.
  func commit() {
    let (writes, events) = state.withLock { state in
      state.isOpen = false
      return (state.writes, state.events)
    }
    let all = writes.map(\.target.turns) + events.map(\.turns)
    guard let turns = all.first else { return }
    for other in all.dropFirst() { Turns.merge(turns, other) }
    let work: Turns.Work = { turn in
      for write in writes { write.publish(&turn) }
      for event in events { event.work(&turn) }
    }
    while true {
      for write in writes { write.replay() }
      let isOwner = turns.locked { state -> Bool? in
        guard writes.allSatisfy({ $0.isCurrent }) else { return nil }
        for write in writes { write.assign() }
        return state.enqueue(work)
      }
      guard let isOwner else { continue }
      if isOwner { turns.run() }
      return
    }
  }
}
