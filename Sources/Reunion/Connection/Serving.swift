import ReunionCore
import ReunionFlow

/// A replica's connections with servers: keeps those that are wanted, and says which spaces are synced
/// just now, so that a slower link may rest.
///
/// *Thread*: any.
final class Serving: Sendable {
  private struct Served {
    let isServed = Variable(false)
    var connections: [Entry] = []
  }

  private struct Entry {
    weak let connection: Connection?
    /// The same, until it is disconnected: then it is its caller's alone.
    var wanted: Connection?
    let watching: SignalSubscription
  }

  private struct State {
    var spaces: [SpaceID: Served] = [:]
    var isOver = false
  }

  private let state = Lock(State())

  /// Whether a connection with a server is online in a space.
  func isServed(_ space: SpaceID) -> Signal<Bool> {
    state.withLock { state in
      let served = state.spaces[space] ?? Served()
      state.spaces[space] = served
      return served.isServed.signal.distinct()
    }
  }

  /// Whether somebody keeps a connection with a server in a space, online or not.
  func hasServer(_ space: SpaceID) -> Bool {
    state.withLock { state in
      state.spaces[space]?.connections.contains { $0.connection != nil } ?? false
    }
  }

  /// Keeps a connection that is about to connect, until it is disconnected.
  func keep(_ connection: Connection, in space: SpaceID) {
    let watching = connection.state.observe { [weak self, weak connection] _ in
      if let connection { self?.look(at: connection, in: space) }
    }
    let isOver = state.withLock { state in
      state.spaces[space, default: Served()].connections.removeAll { $0.connection == nil }
      state.spaces[space, default: Served()].connections.append(
        Entry(
          connection: connection, wanted: state.isOver ? nil : connection, watching: watching))
      return state.isOver
    }
    if isOver { connection.disconnect() }
  }

  /// Disconnects all of them, and keeps none from now on.
  func end() {
    let connections = state.withLock { state in
      state.isOver = true
      return state.spaces.values.flatMap(\.connections).compactMap(\.connection)
    }
    for connection in connections { connection.disconnect() }
  }

  private func look(at connection: Connection, in space: SpaceID) {
    let isWanted = connection.state.value != .idle
    let (node, connections) = state.withLock { state in
      let served = state.spaces[space, default: Served()]
      state.spaces[space] = served
      for index in served.connections.indices
      where served.connections[index].connection === connection {
        state.spaces[space]?.connections[index].wanted =
          isWanted && !state.isOver ? connection : nil
      }
      return (served.isServed, served.connections.compactMap(\.connection))
    }
    node.value = connections.contains { $0.state.value == .online }
  }
}
