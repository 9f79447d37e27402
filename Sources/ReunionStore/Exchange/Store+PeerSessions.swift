package import ReunionCore
import ReunionFlow

extension Store {
  /// Begins a session of a peer: pushes of its earlier ones, which may still be on their way, are not taken any more.
  /// Gives its number, for `IncomingPush.session` and `endSession`.
  package func beginSession(of peer: Site, in space: SpaceID) -> UInt64 {
    peerSessions.withLock { $0.begin(of: peer, in: space) }
  }

  /// Ends a session that began.
  package func endSession(_ number: UInt64, of peer: Site, in space: SpaceID) {
    peerSessions.withLock { $0.end(number, of: peer, in: space) }
  }

  /// Throws where a later session of the peer has begun.
  package func checkSession(
    _ number: UInt64?, of peer: Site, in space: SpaceID
  ) throws(StoreError) {
    guard let number, !options.seededBugs.earlierSessionTaken else { return }
    guard !peerSessions.withLock({ $0.isLast(number, of: peer, in: space) }) else { return }
    throw StoreError(.stagedLost, "This device has begun anew: its earlier session is over.")
  }
}
