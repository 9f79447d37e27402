package import ReunionCore
import ReunionDisk
import ReunionFlow

extension Store {
  /// Writes under a new incarnation from now on, because this store was rolled back or copied: a peer
  /// holds more of `site` than this store wrote, or gave back a position of another history. Durable
  /// when this returns; other sessions find `Store.site` changed.
  ///
  /// Changes above `ownSeq` in that space, and above what the peer is proved to hold in the others,
  /// are issued anew: their numbers may name other changes elsewhere, which come again. Does nothing
  /// where this store writes under another site already. Cost: reads every record.
  ///
  /// A cache whose peer went back has no second history (`isForked` is false): what the peer lost of
  /// its changes in that space is issued anew, so that it claims no number whose change it let go.
  ///
  /// `lostSeq` is how many changes in that space the peer is known to have met: where they are more
  /// than were kept, the site is given up even if nothing is left to issue anew, since it may have lost
  /// another history before.
  package func mintIncarnation(
    after site: Site, keeping ownSeq: UInt64?, in space: SpaceID? = nil, found peer: Site,
    lostSeq: UInt64 = 0, isForked: Bool = true
  ) throws {
    var minted: Site?
    let commits = try commitAll { (writer, records) throws(StoreError) in
      guard self.site == site else { return [] }
      let new = Site(device: site.device, incarnation: options.random())
      let identity = Identity(
        connection: records.reader.connection, folder: folder, options: options)
      try identity.write(incarnation: new.incarnation)
      minted = new
      guard !options.seededBugs.contains(.rolledBackWritesStay) else { return [] }
      // The log names changes by their old numbers.
      try records.reader.connection.run("DELETE FROM reunion_undo")
      var commits: [Commit] = []
      for id in try records.reader.spaces() where isForked || id == space {
        let before = try records.space(id)
        let held = try records.held(of: site, by: peer, space: before.number)
        let floor = max(isForked ? held : 0, id == space ? ownSeq ?? 0 : 0)
        let usedSeq = max(before.vector[site], id == space ? lostSeq : 0)
        guard usedSeq > floor else { continue }
        let stamp = writer.clock.next(
          wallMilliseconds: options.wallMilliseconds(), replacing: .none,
          seq: before.vector[site])
        let mark = CommitMark(site: new, stamp: stamp, random: options.random())
        commits.append(
          try records.reissue(
            site, as: new, beyond: floor, id, over: before, mark,
            isSaid: isForked && !options.seededBugs.contains(.retirementUnsaid)))
      }
      return commits
    } settled: { writer in
      writer.spaces = [:]
      if let minted { currentSite.withLock { $0 = minted } }
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
