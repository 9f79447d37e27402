import ReunionFlow
import ReunionSync

/// One browser of a world: its tabs share a disk, and dial one replica.
package final class WorldBrowser: Sendable {
  /// How a browser begins.
  package struct Options: Hashable, Sendable {
    /// Its name in reports.
    package var name: String
    /// The number of the replica that it dials.
    package var acceptor: Int
    /// What it may do there.
    package var role: WorldRole
    /// How far its wall clock is off.
    package var clockErrorMilliseconds: Int64 = 0

    /// Makes a browser that dials a replica.
    package init(name: String, acceptor: Int, role: WorldRole = .admin) {
      self.name = name
      self.acceptor = acceptor
      self.role = role
    }
  }

  let options: Options
  let number: Int
  /// The first half of its sites.
  let device: UInt64
  let acceptor: WorldReplica
  let there: Cable
  let back: Cable

  init(_ options: Options, number: Int, world: World) {
    self.options = options
    self.number = number
    device = world.random.draw { $0.next() }
    acceptor = world.replicas[options.acceptor]
    let seed = world.random.draw { $0.next() }
    there = Cable(clock: world.clock, seed: seed, quality: .good)
    back = Cable(clock: world.clock, seed: ~seed, quality: .good)
  }

  var name: String { options.name }
  /// Its number among the authors of writes.
  var author: Int { KnownWrite.firstBrowser + number }

  /// What the network does to both directions from now on.
  func setQuality(_ quality: NetworkQuality) {
    there.quality = quality
    back.quality = quality
  }

  /// Swallows everything in one direction or both, or nothing.
  func partition(there isThereCut: Bool, back isBackCut: Bool) {
    there.isCut = isThereCut
    back.isCut = isBackCut
  }

  /// Begins the session of a link at the replica that is dialled; nil if nobody listens there.
  func accept(_ link: StreamLink, world: World) -> Session? {
    guard let store = acceptor.running, !acceptor.isGone else {
      link.die(tellsOther: false)
      return nil
    }
    let session = world.session(
      of: acceptor, store, over: link, authority: options.role.authority(of: device))
    session.start()
    return session
  }
}
