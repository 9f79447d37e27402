import ReunionCore
import ReunionFlow
import ReunionStore

/// The blocks that the replicas of a world send to newcomers: each process keeps its own, of small spaces too.
///
/// *Thread*: that of the world.
package final class WorldBlocks: Sendable {
  private let processes = Lock<[Int: (store: Store, blocks: Blocks)]>([:])

  package init() {}

  /// The blocks of a replica's process, which takes a while to make one.
  func blocks(of replica: WorldReplica, _ store: Store) -> Blocks {
    processes.withLock { processes in
      if let known = processes[replica.number], known.store === store { return known.blocks }
      let clock = replica.world.clock
      let blocks = Blocks(store, recordsMin: 2) { work in
        clock.schedule(at: clock.now.advanced(by: .milliseconds(40)), work)
      }
      processes[replica.number] = (store, blocks)
      return blocks
    }
  }
}
