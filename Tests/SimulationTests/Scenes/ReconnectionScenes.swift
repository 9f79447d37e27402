import Reunion
import ReunionFlow
import ReunionTesting

/// What a connection goes through when everything happens to it at every stage.
enum ReconnectionScenes {
  private enum Stage: CaseIterable { case idle, connecting, handshaking, online, waiting, blocked }

  static let all = Stage.allCases.map { stage in
    Scene("whatever may happen to a connection that is \(stage)") { coverage in
      for happening in happenings {
        let world = Scene.world(coverage)
        let (phone, server) = (try world.makeReplica("phone"), try world.makeReplica("server"))
        let connection = world.connect(phone, to: server)
        reach(stage, connection, in: world)
        try happening(connection, world)
        world.run(for: .seconds(40))
        world.remove()
      }
    }
  }

  private static let happenings: [@Sendable (WorldConnection, World) throws -> Void] = [
    { connection, _ in connection.connect() },
    { connection, _ in connection.networkReturned() },
    { connection, _ in connection.disconnect() },
    { connection, _ in connection.askBack(after: 60_000) },
    { connection, _ in connection.cut() },
    { connection, _ in connection.revoke() },
    { connection, _ in connection.partition(there: true, back: true) },
    { connection, world in try connection.dialler.write("more", in: world) },
  ]

  private static func reach(_ stage: Stage, _ connection: WorldConnection, in world: World) {
    switch stage {
    case .idle: connection.disconnect()
    case .connecting: break
    case .handshaking:
      while connection.connectionState != .handshaking(attempt: 0) {
        world.run(for: .milliseconds(1))
      }
    case .online:
      while connection.connectionState != .online { world.run(for: .milliseconds(1)) }
    case .waiting: connection.cut()
    case .blocked: connection.revoke()
    }
    // What was scheduled takes place.
    world.run(for: .zero)
  }
}
