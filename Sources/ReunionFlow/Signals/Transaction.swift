import Synchronization

/// Groups writes: all variables that the closure sets change together, in one turn.
///
/// ```swift
/// let (done, open) = (Variable(3), Variable(5))
/// let line = combineLatest(done.signal, open.signal).map { "\($0) done, \($1) open" }
/// let showing = line.observe { print($0) }
/// transaction {
///   done.value += 1
///   open.value -= 1
/// }    // 4 done, 4 open: once
/// ```
///
/// Until it ends, the writes are visible to this closure only. They all take place also when the
/// closure throws: it groups writes, and takes none back. A transaction in a transaction is part of
/// the outer one. Events that emitters send in it come at its end, after its values. It has nothing
/// to do with a `WriteTransaction` of a store.
///
/// *Thread*: any; the closure runs on the caller's thread, at once and once. Other threads may
/// write the same variables meanwhile: values that are set replace theirs, updates are applied to
/// theirs.
@discardableResult
public func transaction<Success>(_ body: () throws -> Success) rethrows -> Success {
  if Transaction.current != nil { return try body() }
  let transaction = Transaction()
  Transaction.openCount.add(1, ordering: .relaxed)
  defer {
    Transaction.openCount.subtract(1, ordering: .relaxed)
    transaction.commit()
  }
  return try Transaction.innermost.with(transaction, body)
}

/// The writes of a transaction that is under way; one thread alone uses it.
final class Transaction {
  /// How many are under way in the process: while none is, nobody need look for one.
  fileprivate static let openCount = Atomic(0)
  fileprivate static let innermost = ThreadLocal<Transaction>()

  /// The transaction that the running code is part of.
  static var current: Transaction? {
    openCount.load(ordering: .relaxed) == 0 ? nil : innermost.object
  }

  /// Runs a closure that is not part of the transaction.
  static func suspended(_ body: () -> Void) {
    if current == nil { body() } else { innermost.with(nil, body) }
  }

  private var writes: [any PendingWrite] = []
  private var indexes: [ObjectIdentifier: Int] = [:]
  private var events: [(turns: Turns, work: Turns.Work)] = []

  /// The value that this transaction has given to a variable, if it has.
  func value<Value>(of node: SourceNode<Value>) -> Value? {
    guard let write = write(of: node) else { return nil }
    write.replay()
    return write.result
  }

  /// Adds a change of a variable.
  func add<Value>(to node: SourceNode<Value>, _ change: ValueChange<Value>) {
    if let write = write(of: node) {
      write.changes.append(change)
    } else {
      indexes[ObjectIdentifier(node)] = writes.count
      writes.append(VariableWrite(node, change))
    }
  }

  /// Adds work to the transaction's turn.
  func add(to turns: Turns, _ work: @escaping Turns.Work) { events.append((turns, work)) }

  private func write<Value>(of node: SourceNode<Value>) -> VariableWrite<Value>? {
    indexes[ObjectIdentifier(node)].flatMap { writes[$0] as? VariableWrite<Value> }
  }

  /// Applies all writes at one point in time and has them published in one turn.
  ///
  /// Changes are computed without the lock, and again if a variable was written meanwhile.
  fileprivate func commit() {
    let (writes, events) = (writes, events)
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
