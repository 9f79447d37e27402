import ReunionCore
import ReunionDisk

/// What a push brings under sites that its sender does not write as.
extension ApplyWork {
  /// Whether who has the whole say holds more of this store's own site than it wrote. A guest's word
  /// for that counts nothing: a position would prove it (`Store.resume`).
  func isForked() throws(StoreError) -> Bool {
    guard authority == .all, push.isBelieved else { return false }
    let own = space.vector[site]
    guard !options.seededBugs.vectorBelievedUnbounded else { return false }
    if push.raised[site] > own || push.vector[site] > own { return true }
    return try brings(beyond: Dot(site: site, seq: own))
  }

  /// Whether the push has changes of this store's own site that it did not write, or gives that site up.
  private func brings(beyond own: Dot) throws(StoreError) -> Bool {
    var brings = false
    let look = { (changes: [Change]) in
      brings = brings || changes.contains { Admission.isBeyond(own, $0) }
    }
    if takesStaged, push.partsMayBeBeyond {
      try records.reader.forEachStaged(.part, peer, space: space.number, look)
    }
    if takesStaged { try records.reader.forEachStaged(.changes, peer, space: space.number, look) }
    look(push.changes)
    return brings
  }

  /// Up to where this store's own changes go, where the push is to bring none beyond and does; a guest's is
  /// looked at in any case.
  func ownToGuard() throws(StoreError) -> Dot? {
    let own = Dot(site: site, seq: space.vector[site])
    guard authority == .all else { return own }
    guard !push.isBelieved else { return nil }
    return try brings(beyond: own) ? own : nil
  }

  /// The sites of a guest's device that there are, given up or not.
  func sitesOfPeer() throws(StoreError) -> Set<Site> {
    guard case .own(let device) = authority,
      !options.seededBugs.sitesWithoutEnd
    else { return [] }
    let held = space.vector.entries.map(\.site)
    let givenUp = try records.reader.retired(space: space.number).keys
    return Set((held + givenUp).filter { $0.device == device })
  }
}
