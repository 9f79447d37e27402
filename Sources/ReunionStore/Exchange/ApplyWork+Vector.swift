import ReunionCore
import ReunionDisk

/// How far the vector rises by a push, and where it falls.
extension ApplyWork {
  /// Raises the vector to what the push has brought, as far as the peer's word goes.
  mutating func raise(_ admission: Admission) throws(StoreError) {
    let floors = try records.reader.retired(space: space.number)
    let raised = believed(admission.raised(push.raised)).lowered(to: floors)
    for dot in raised.entries where dot.seq <= Dot.seqMax {
      guard dot.site != site || options.seededBugs.contains(.vectorBelievedUnbounded) else {
        continue
      }
      guard admission.hasRoom(for: dot.site) else { continue }
      space.vector.raise(dot.site, to: dot.seq)
    }
  }

  /// What counts of claims. What somebody wrote over is in no push, so that of its own device's sites the
  /// author is believed, and a server by who dials it. Of any other site a claim counts as far as the
  /// push brought changes (`decisions/0105`).
  private func believed(_ claims: VersionVector) -> VersionVector {
    guard authority == .all, !push.isServers,
      !options.seededBugs.contains(.claimBelieved)
    else { return claims }
    var believed = VersionVector()
    for dot in claims.entries {
      // Of this store's own site nothing counts in any case.
      let isBounded = dot.site.device != push.peer.device && dot.site != site
      believed.raise(dot.site, to: isBounded ? min(dot.seq, brought[dot.site] ?? 0) : dot.seq)
    }
    return believed
  }

  /// Lowers the vector where the push gives up a site, and has what stands above the floor arrive anew: each
  /// peer is sent it once, whatever it was believed to hold. Whoever gave the site up, nobody's session ends.
  mutating func lowerRetired() throws(StoreError) {
    guard touches.byEntity[Retirement.entity] != nil else { return }
    let lowered = try records.lowerRetired(
      records.reader.retired(space: space.number), in: &space)
    if !lowered.isEmpty { try records.arriveAgain(lowered, in: &space) }
    guard options.seededBugs.contains(.guestEndsSessions) else { return }
    try records.forgetPositions(space: space.number)
    comparesAnew = true
  }
}
