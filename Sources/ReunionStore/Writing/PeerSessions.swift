import ReunionCore

/// Which session of each peer began last. What an earlier one still brings was read before what the later one sent, and
/// the peer may have dropped it since: it would come back.
struct PeerSessions {
  private struct Peer: Hashable {
    let site: Site
    let space: SpaceID
  }

  private var last: [Peer: UInt64] = [:]
  private var count: UInt64 = 0

  mutating func begin(of site: Site, in space: SpaceID) -> UInt64 {
    count += 1
    last[Peer(site: site, space: space)] = count
    return count
  }

  mutating func end(_ number: UInt64, of site: Site, in space: SpaceID) {
    let peer = Peer(site: site, space: space)
    if last[peer] == number { last[peer] = nil }
  }

  func isLast(_ number: UInt64, of site: Site, in space: SpaceID) -> Bool {
    last[Peer(site: site, space: space)] == number
  }
}
