package import ReunionCore
import ReunionDisk
import ReunionFlow

extension Store {
  /// Writes under a new incarnation from now on, because this store was rolled back or copied: a peer
  /// holds more of `site` than this store wrote, or gave back a position of another history. Durable
  /// when this returns; other sessions find `site(in:)` changed.
  ///
  /// Changes above `ownSeq` in that space, and above what the peer is proved to hold in the others,
  /// are issued anew: their numbers may name other changes elsewhere, which come again. Does nothing
  /// where this store writes under another site already. Cost: reads every record.
  ///
  /// What is not `isProven`, as a position proves it, is a peer's word, and counts in that space alone
  /// (`docs/decisions/0093`); where it is true, the others say so too. So does what a cache does whose peer
  /// went back. It has no second history (`isForked` is false): what the peer lost of its changes is issued
  /// anew, so that it claims no number whose change it let go.
  ///
  /// `lostSeq` is how many changes in that space the peer is known to have met: where they are more
  /// than were kept, the site is given up even if nothing is left to issue anew, since it may have lost
  /// another history before.
  package func mintIncarnation(
    after site: Site, keeping ownSeq: UInt64?, in space: SpaceID? = nil, found peer: Site,
    lostSeq: UInt64 = 0, isForked: Bool = true, isProven: Bool = true
  ) throws {
    try change { (sites, records) throws(StoreError) in
      guard space.map({ sites[$0] }) ?? sites.own == site else { return nil }
      let incarnation = options.random()
      guard let space, !isForked || !isProven, !options.seededBugs.wordCountsEverywhere
      else {
        sites.renew(incarnation)
        return try records.reader.spaces()
      }
      sites[space] = Site(device: site.device, incarnation: incarnation)
      return [space]
    } floor: { (id, old, before, records) throws(StoreError) in
      let held = try records.held(of: old, by: peer, space: before.number)
      let floor = max(isForked ? held : 0, id == space ? ownSeq ?? 0 : 0)
      let usedSeq = max(before.vector[old], id == space ? lostSeq : 0)
      return usedSeq > floor ? floor : nil
    } isSaid: {
      isForked && !options.seededBugs.retirementUnsaid
    }
  }

  /// Writes in a space under another number from now on: a server gave it there, because somebody else has
  /// this store's own. Durable when this returns; nothing where it is so already.
  ///
  /// What it wrote there before, and no peer is proved to hold, is issued anew. Cost: reads every record of
  /// the space.
  package func take(_ device: UInt64, in space: SpaceID) throws {
    guard device != 0, device != self.device(in: space) else { return }
    try change { (sites, records) throws(StoreError) in
      guard sites[space].device != device else { return nil }
      sites[space] = Site(device: device, incarnation: options.random())
      return try records.reader.numbers.existingNumber(of: space) == nil ? [] : [space]
    } floor: { (_, old, before, records) throws(StoreError) in
      let held = try records.held(of: old, space: before.number)
      return before.vector[old] > held ? held : nil
    } isSaid: {
      false
    }
  }

  /// Changes the sites; in each space that `sites` gives, what is above a floor is issued anew.
  private func change(
    _ sites: (inout Sites, RecordWriter) throws(StoreError) -> [SpaceID]?,
    floor: (SpaceID, Site, SpaceState, RecordWriter) throws(StoreError) -> UInt64?,
    isSaid: () -> Bool
  ) throws(StoreError) {
    var new: Sites?
    let commits = try commitAll { (writer, records) throws(StoreError) in
      let old = currentSites.withLock { $0 }
      var changed = old
      guard let spaces = try sites(&changed, records) else { return [] }
      let connection = records.reader.connection
      try Identity(connection: connection, folder: folder, options: options).write(changed)
      new = changed
      guard !options.seededBugs.rolledBackWritesStay else { return [] }
      var commits: [Commit] = []
      for id in spaces {
        let before = try records.space(id)
        // The log names changes by their old numbers.
        try connection.execute("DELETE FROM reunion_undo WHERE space = \(before.number)")
        guard let floor = try floor(id, old[id], before, records) else { continue }
        let stamp = writer.clock.next(
          wallMilliseconds: options.wallMilliseconds(), replacing: .none,
          seq: before.vector[old[id]])
        let mark = CommitMark(site: changed[id], stamp: stamp, random: options.random())
        commits.append(
          try records.reissue(
            old[id], as: changed[id], beyond: floor, id, over: before, mark, isSaid: isSaid()))
      }
      return commits
    } settled: { writer in
      writer.spaces = [:]
      if let new { currentSites.withLock { $0 = new } }
    }
    tell(commits)
  }
}

extension RecordWriter {
  /// Issues a site's changes in a space anew, beyond those that keep their numbers.
  fileprivate func reissue(
    _ old: Site, as new: Site, beyond floor: UInt64, _ id: SpaceID, over before: SpaceState,
    _ mark: CommitMark, isSaid: Bool
  ) throws(StoreError) -> Commit {
    var reissue = Reissue(
      records: self, space: before.number, old: old, new: new, floor: floor)
    var after = before
    try reissue.run(arrival: &after.arrival)
    var lastSeq = reissue.lastSeq
    var touches = reissue.touches
    if isSaid {
      let key = RecordKey(entity: Retirement.entity, id: Retirement.id(of: old))
      let held = try reader.record(key, space: before.number)
      var state = held?.state ?? RecordState()
      let record = Retirement.record(
        of: old, floor: floor, after: Dot(site: new, seq: lastSeq), at: mark.stamp)
      for cell in record.cells { _ = state.merge(cell) }
      lastSeq += 2
      after.arrival += 1
      try self.write(
        StoredRecord(key: key, state: state, arrival: after.arrival), over: held,
        space: before.number)
      touches.add(key, .all)
    }
    // What is asked for again may have arrived at a peer before what it was last told to go on from.
    after.arrival += 1
    try lower(old, to: floor, in: &after)
    try forgetPositions(space: before.number)
    after.vector.raise(new, to: lastSeq)
    if isSaid { try noteLowering(space: before.number, at: after.arrival) }
    try write(&after, over: before, mark)
    var commit = Commit(space: id, arrival: after.arrival, touches: touches)
    commit.comparesAnew = isSaid
    return commit
  }
}
