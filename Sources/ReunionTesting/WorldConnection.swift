public import Reunion
import ReunionFlow
import ReunionStore
import ReunionSync

/// A connection of two replicas of a world that comes back after each fault.
public final class WorldConnection: Sendable {
  private let one: WorldReplica
  private let two: WorldReplica
  private let faults: Lock<LinkFaults>
  private let world: World
  private let connection = Lock<Connection?>(nil)

  init(_ one: WorldReplica, _ two: WorldReplica, faults: LinkFaults, world: World) {
    self.one = one
    self.two = two
    self.faults = Lock(faults)
    self.world = world
  }

  /// Where the connection stands.
  public var state: Reconnection.State { connection.withLock { $0 }?.state.value ?? .idle }

  /// Changes what goes wrong from the next link on.
  public func setFaults(_ faults: LinkFaults) { self.faults.withLock { $0 = faults } }

  /// Connects, also after one of the two has crashed.
  public func connect() {
    disconnect()
    let world = world
    let store = one.store
    var configuration = Session.Configuration(space: world.space)
    // Small messages and little memory, so that pushes come in many parts.
    configuration.messageBytesSoftMax = 512
    configuration.gatheredBytesMax = 1024
    let execute: Session.Executor = { work in
      _ = world.clock.schedule(at: world.clock.now, work)
    }
    let fresh = Connection(
      store: store, configuration: configuration, clock: world.clock, execute: execute,
      chance: { world.random.draw { Double.random(in: 0...1, using: &$0) } },
      makeLink: { [two, faults, configuration] in
        let ends = MemoryLink.pair(
          clock: world.clock, faults: faults.withLock { $0 }, random: world.random,
          trace: world.trace)
        Session(
          link: ends.1, store: two.store, configuration: configuration, clock: world.clock,
          execute: execute
        ).start()
        return ends.0
      })
    connection.withLock { $0 = fresh }
    fresh.connect()
  }

  /// Ends the connection.
  public func disconnect() {
    connection.withLock { $0.take() }?.disconnect()
  }
}
