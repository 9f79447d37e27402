import ReunionFlow

/// Has a value that only work which it runs may touch: one piece at a time, each to its end, in the
/// order in which they came.
///
/// Whoever comes while none runs, runs what there is. Work that comes from inside other work, or
/// meanwhile from another thread, is left to that one. No lock is held while work runs.
///
/// Unchecked: the value is given to running work alone, of which there is one piece at a time.
package final class SerialQueue<Value>: @unchecked Sendable {
  private struct Queue {
    var isRunning = false
    var work: [@Sendable (Value) -> Void] = []
  }

  private let value: Value
  private let queue = Lock(Queue())

  /// Takes a value that nobody else has.
  package init(_ value: sending Value) { self.value = value }

  /// Runs work here: at once, unless some is running.
  package func run(_ work: @escaping @Sendable (Value) -> Void) {
    let isOurs = queue.withLock { queue in
      queue.work.append(work)
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    guard isOurs else { return }
    while true {
      let batch = queue.withLock { queue in
        let batch = queue.work
        queue.work = []
        queue.isRunning = !batch.isEmpty
        return batch
      }
      guard !batch.isEmpty else { return }
      for piece in batch { piece(value) }
    }
  }
}
