package import ReunionCore
import ReunionFlow
import ReunionStore
package import ReunionSync

/// Somebody who dials a replica of a world and says whatever a scene has them say, the protocol or
/// not; at the other end is a real session.
///
/// *Thread*: that of the world.
package final class Stranger: Sendable {
  /// The site of a stranger that is given no other.
  package static let site = Site(device: 7, incarnation: 1)

  /// The site under which it speaks, unless a hello says otherwise.
  package let site: Site
  /// The replica's session.
  package let session: Session
  private let world: World
  private let link: StreamLink
  private let heardMessages = Lock<[Message]>([])

  /// Knocks at a replica, which goes as far as it can alone.
  package init(
    at replica: WorldReplica, as role: WorldRole = .admin, site: Site = Stranger.site
  ) {
    self.site = site
    world = replica.world
    let cable = { [world] (seed: UInt64) in
      Cable(clock: world.clock, seed: seed, quality: NetworkQuality(delayMilliseconds: 1...1))
    }
    let ends = StreamLink.pair(clock: world.clock, cable(1), cable(2), log: world.log)
    link = ends.0
    session = world.session(
      of: replica, replica.store, over: ends.1, authority: role.authority(of: site.device))
    session.start()
  }

  /// Opens its end of the link.
  package func arrive() {
    link.start { [heardMessages] event in
      guard case .received(let bytes) = event, let message = try? Message(decoding: bytes) else {
        return
      }
      heardMessages.withLock { $0.append(message) }
    }
    world.run(for: .milliseconds(20))
  }

  /// Says these one after the other.
  package func say(_ messages: [Message]) {
    for message in messages { link.send(message.encoded()) }
  }

  /// Sends bytes that may be no message.
  package func send(_ bytes: [UInt8]) { link.send(bytes) }

  /// Ends the link.
  package func leave() { link.close() }

  /// What it was told.
  package var heard: [Message] { heardMessages.withLock { $0 } }

  /// An introduction, by default under its own site.
  package func hello(as site: Site? = nil, in space: SpaceID? = nil) -> Message {
    .hello(Hello(space: space ?? world.space, site: site ?? self.site, isLeaf: false, seq: 0))
  }

  /// What it says that it holds.
  package func pull(
    _ held: [Dot] = [], position: [UInt8] = [], isWhole: Bool = true
  ) -> Message {
    var vector = VersionVector()
    for dot in held { vector.raise(dot.site, to: dot.seq) }
    return .pull(Pull(position: position, vector: vector, isWhole: isWhole))
  }
}
