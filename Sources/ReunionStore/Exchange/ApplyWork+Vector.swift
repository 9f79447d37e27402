import ReunionCore
import ReunionDisk

/// How far the vector rises by a push, and where it falls.
extension ApplyWork {
  /// Whether the peer has all that it changed here; but for what this store wrote.
  var leavesNothingToTell: Bool {
    goesOn && refusedCount == 0 && refused.isEmpty && push.audited.isEmpty && !hasLetGo
      && !hasReplaced && push.slice == nil
      && (!touchesDeleted || options.seededBugs.deletedLeavesNothingToTell)
      && touches.byEntity[Retirement.entity] == nil
  }

  /// Raises the vector to what the push has brought, as far as the peer's word goes.
  mutating func raise(_ admission: Admission) throws(StoreError) {
    let floors = try records.reader.retired(space: space.number)
    let raised = try believed(admission.raised(push.raised)).lowered(to: floors)
    for dot in raised.entries where dot.seq <= Dot.seqMax {
      guard dot.site != site || options.seededBugs.vectorBelievedUnbounded else {
        continue
      }
      guard admission.hasRoom(for: dot.site) else { continue }
      space.vector.raise(dot.site, to: dot.seq)
    }
  }

  /// What counts of claims. What somebody wrote over is in no push, so that of its own device's sites the
  /// author is believed, and a server by who dials it. Of any other site a claim counts as far as the
  /// push brought changes; of a guest's in doubt, as far as they came without a gap (`decisions/0105`).
  private func believed(_ claims: VersionVector) throws(StoreError) -> VersionVector {
    guard authority == .all else {
      var floors = try records.reader.doubted(space: space.number)
      guard !floors.isEmpty else { return claims }
      let reached = try reach()
      for site in floors.keys { floors[site] = reached[site] }
      return claims.lowered(to: floors)
    }
    guard !push.isServers, !options.seededBugs.claimBelieved else { return claims }
    var believed = VersionVector()
    for dot in claims.entries {
      // Of this store's own site nothing counts in any case.
      let isBounded = dot.site.device != push.peer.device && dot.site != site
      believed.raise(dot.site, to: isBounded ? min(dot.seq, brought[dot.site] ?? 0) : dot.seq)
    }
    return believed
  }

  /// Doubts a guest that brings what others wrote, which is refused and which this store lacks: what it
  /// covered goes with it. From then on the guest's word for its own counts as far as that comes; who has
  /// what was covered may bring it.
  func doubt(_ admission: Admission) throws(StoreError) {
    guard case .own(let device) = authority, !options.seededBugs.lostCoverBelieved,
      try bringsLost(admission)
    else { return }
    let reached = try reach()
    let doubted = try records.reader.doubted(space: space.number)
    for dot in push.raised.entries
    where dot.site.device == device && !reached.covers(dot) && doubted[dot.site] == nil {
      try records.doubt(dot.site, above: reached[dot.site], space: space.number)
    }
  }

  /// Up to where everything was held before or is brought, without a gap.
  private func reach() throws(StoreError) -> VersionVector {
    if let slice = push.slice { return slice.reach }
    var dots: Set<Dot> = []
    try forEachPart { changes in dots.formUnion(changes.map(\.cell.dot)) }
    return space.vector.reaching(dots)
  }

  /// Whether something of others' is refused that would change what is held.
  private func bringsLost(_ admission: Admission) throws(StoreError) -> Bool {
    var isLost = false
    try forEachPart { (changes) throws(StoreError) in
      for change in changes
      where !isLost && change.cell.dot.site.device != push.peer.device
        && !admission.admits(change)
      {
        let key = RecordKey(change)
        if try records.isErased(key, space: space.number) { continue }
        var state = try records.reader.record(key, space: space.number)?.state ?? RecordState()
        isLost = state.merge(change.cell).changed
      }
    }
    return isLost
  }

  /// Lowers the vector where the push gives up a site, and has what stands above the floor arrive anew: each
  /// peer is sent it once, whatever it was believed to hold. Whoever gave the site up, nobody's session ends.
  mutating func lowerRetired() throws(StoreError) {
    guard touches.byEntity[Retirement.entity] != nil else { return }
    let lowered = try records.lowerRetired(
      records.reader.retired(space: space.number), in: &space)
    if !lowered.isEmpty { try records.arriveAgain(lowered, in: &space) }
    guard options.seededBugs.guestEndsSessions else { return }
    try records.forgetPositions(space: space.number)
    comparesAnew = true
  }
}

extension VersionVector {
  /// The vector that rises over changes as far as they go on without a gap.
  func reaching(_ dots: Set<Dot>) -> VersionVector {
    var vector = self
    for site in Set(dots.map(\.site)) {
      var seq = vector[site]
      while dots.contains(Dot(site: site, seq: seq + 1)) { seq += 1 }
      vector.raise(site, to: seq)
    }
    return vector
  }
}

extension RecordReader {
  /// The sites of guests that are in doubt, each with the number above which their author may lack changes
  /// of its own.
  func doubted(space: Int64) throws(StoreError) -> [Site: UInt64] {
    let select = try connection.statement(
      "SELECT site, seq FROM reunion_peer_held WHERE space = ?1 AND peer = \(inDoubt)")
    defer { select.reset() }
    try select.bind(1, space)
    var floors: [Site: UInt64] = [:]
    while try select.step() {
      floors[try numbers.site(select.int(0))] = UInt64(bitPattern: select.int(1))
    }
    return floors
  }

  /// Both the retired and the doubted sites, above whose floors no word of any peer counts.
  func floors(space: Int64) throws(StoreError) -> [Site: UInt64] {
    try retired(space: space).merging(doubted(space: space)) { min($0, $1) }
  }
}

extension RecordWriter {
  fileprivate func doubt(_ site: Site, above floor: UInt64, space: Int64) throws(StoreError) {
    try setHeld(of: site, by: inDoubt, space: space, to: floor)
  }
}

/// The peer, which nobody is, under which `reunion_peer_held` names the sites that are in doubt.
private let inDoubt: Int64 = 0
