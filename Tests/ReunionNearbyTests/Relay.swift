import Reunion
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting

/// A server that both hikers may reach over links in memory, while there is a network.
final class Relay: @unchecked Sendable {
  private let hikers: Hikers
  private let replica: Replica
  private let random = SharedRandom(seed: 3)
  private var sessions: [Session] = []
  private var links: [MemoryLink] = []
  private var connections: [Connection] = []
  /// Whether there is a network.
  var isReachable = true

  init(_ hikers: Hikers) throws {
    self.hikers = hikers
    replica = try Replica(
      folder: "/app/store", model: Model(Photo.schema), options: hikers.options(on: 99),
      clock: hikers.clock)
  }

  /// Keeps a hiker's space in sync with it, whenever there is a network.
  func join(_ hiker: Hikers.Hiker) throws -> Connection {
    guard let own = hiker.replica else { throw CancellationError() }
    let space = hikers.space
    let connection = Connection(
      store: own.store, configuration: Session.Configuration(space: space), clock: hikers.clock,
      execute: own.executor, chance: { 1 }
    ) { [unowned self] in
      let (here, there) = MemoryLink.pair(clock: hikers.clock, random: random)
      guard isReachable else { return here }
      let session = Session(
        link: there, store: replica.store, configuration: Session.Configuration(space: space),
        clock: hikers.clock, execute: replica.executor)
      session.start()
      sessions.append(session)
      links.append(there)
      return here
    }
    own.keep(connection, in: space)
    connections.append(connection)
    connection.connect()
    return connection
  }

  /// The network is gone, for one or all of those who joined.
  func vanish() {
    isReachable = false
    for link in links { link.close() }
    links = []
  }

  /// One link is gone, and does not come back.
  func vanish(for connection: Connection) { connection.disconnect() }
}
