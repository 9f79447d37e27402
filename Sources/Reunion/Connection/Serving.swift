import ReunionCore
import ReunionFlow

/// Which spaces a replica syncs with a server just now: while it does, a slower link may rest.
///
/// *Thread*: any.
final class Serving: Sendable {
  private struct Served {
    let isServed = Variable(false)
    var connections: [Entry] = []
  }

  private struct Entry {
    weak let connection: Connection?
    let watching: SignalSubscription
  }

  private let spaces = Lock<[SpaceID: Served]>([:])

  /// Whether a connection with a server is online in a space.
  func isServed(_ space: SpaceID) -> Signal<Bool> {
    spaces.withLock { spaces in
      let served = spaces[space] ?? Served()
      spaces[space] = served
      return served.isServed.signal.distinct()
    }
  }

  /// Whether somebody keeps a connection with a server in a space, online or not.
  func hasServer(_ space: SpaceID) -> Bool {
    spaces.withLock { $0[space]?.connections.contains { $0.connection != nil } ?? false }
  }

  /// Watches a connection with a server.
  func watch(_ connection: Connection, in space: SpaceID) {
    let watching = connection.state.observe { [weak self] _ in self?.look(space) }
    spaces.withLock { spaces in
      spaces[space, default: Served()].connections.removeAll { $0.connection == nil }
      spaces[space, default: Served()].connections.append(
        Entry(connection: connection, watching: watching))
    }
    look(space)
  }

  private func look(_ space: SpaceID) {
    let (node, connections) = spaces.withLock { spaces in
      let served = spaces[space, default: Served()]
      spaces[space] = served
      return (served.isServed, served.connections.compactMap(\.connection))
    }
    node.value = connections.contains { $0.state.value == .online }
  }
}
