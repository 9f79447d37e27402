import Dispatch
import ReunionCore
import ReunionFlow

/// A serial queue for each space, made at its first use.
///
/// *Thread*: any.
final class SpaceQueues: Sendable {
  private let queues = Lock<[SpaceID: DispatchQueue]>([:])

  /// The queue of a space.
  subscript(space: SpaceID) -> DispatchQueue {
    queues.withLock { queues in
      if let queue = queues[space] { return queue }
      let queue = DispatchQueue(label: "reunion.relay.\(space)")
      queues[space] = queue
      return queue
    }
  }

  /// Waits until the work that is under way is done.
  func drain() {
    for queue in queues.withLock({ Array($0.values) }) { queue.sync {} }
  }
}
