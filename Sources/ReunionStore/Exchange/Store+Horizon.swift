package import ReunionCore
import ReunionDisk
import ReunionFlow

extension Store {
  /// How many records are looked at in one commit of a sweep.
  static let sweptAtOnce = 4096

  /// Up to which arrival what was deleted in a space is gone here; 0 where nothing is.
  /// *Cost*: nothing once it is known.
  package func horizon(of space: SpaceID) throws -> UInt64 { try knownHorizon(of: space).arrival }

  private func knownHorizon(of space: SpaceID) throws -> Horizon {
    if let known = horizons.withLock({ $0[space] }) { return known }
    let kept = try readTransaction { (reader) throws(StoreError) in
      try Horizon(of: space, reader.connection)
    }
    return horizons.withLock { known in
      // A commit that took place meanwhile knows better.
      let latest = known[space] ?? kept
      known[space] = latest
      return latest
    }
  }

  /// Whether deletes are gone here, or parts of records that came back.
  package func isPastClosed(in space: SpaceID) throws -> Bool {
    let horizon = try knownHorizon(of: space)
    return horizon.arrival > 0 || horizon.hasReplaced
  }

  /// What is known of it in a transaction that writes.
  func kept(
    of space: SpaceID, _ connection: DatabaseConnection
  ) throws(StoreError) -> Horizon {
    if let known = horizons.withLock({ $0[space] }) { return known }
    return try Horizon(of: space, connection)
  }

  /// Runs a closure in a transaction that may change the horizon. It is known from before the commit, so that nobody
  /// reads what is gone and does not know that it is; if the commit fails, the disk is asked again.
  private func commitHorizon<Success>(
    of space: SpaceID,
    _ body: (inout StoreWriter, RecordWriter, inout Horizon) throws(StoreError) -> (
      Success, Commit?
    )
  ) throws(StoreError) -> Success {
    do throws(StoreError) {
      return try commit { (writer, records) throws(StoreError) in
        var horizon = try Horizon(of: space, records.reader.connection)
        let before = horizon
        let result = try body(&writer, records, &horizon)
        if horizon != before { try keep(horizon, of: space, records) }
        return result
      }
    } catch {
      forgetHorizon(of: space)
      throw error
    }
  }

  private func keep(
    _ horizon: Horizon, of space: SpaceID, _ records: RecordWriter
  ) throws(StoreError) {
    try horizon.keep(of: space, records.reader.connection)
    horizons.withLock { $0[space] = horizon }
  }

  /// Asks the disk again: a commit failed.
  func forgetHorizon(of space: SpaceID) { horizons.withLock { $0[space] = nil } }

  /// Settles the horizon with a push, in its transaction that ends at an arrival: a mark once a day, nothing where all
  /// came anew, and the arrival itself where records went that the peer has let go. Gives the horizon that is new by
  /// that.
  func settleHorizon(
    of space: SpaceID, with push: IncomingPush, _ work: ApplyWork, at arrival: UInt64
  ) throws(StoreError) -> UInt64? {
    var horizon = try kept(of: space, work.records.reader.connection)
    let before = horizon
    if push.isRelearnt { horizon = Horizon() }
    horizon.hasReplaced = horizon.hasReplaced || work.hasReplaced
    let seconds = options.wallMilliseconds() / 1000
    let here = options.seededBugs.followedBlindly ? arrival : push.heldUpTo
    if let there = push.markedCursor, work.goesOn, here > 0,
      horizon.isDue(at: seconds, of: push.peer)
    {
      horizon.add(Horizon.Mark(peer: push.peer, there: there, here: here, seconds: seconds))
    }
    if work.hasLetGo {
      horizon.rise(to: arrival, by: push.peer, there: push.markedCursor)
    } else if push.isFirst, work.goesOn, !options.seededBugs.newcomerUnaware {
      let there = push.markedCursor == nil ? nil : push.peerHorizon ?? push.markedCursor
      horizon.rise(to: arrival, by: push.peer, there: there)
    }
    if horizon != before { try keep(horizon, of: space, work.records) }
    return horizon.arrival > before.arrival ? horizon.arrival : nil
  }

  /// Closes the past of a space up to an arrival: what is deleted at or below it goes, with its conflicts and its
  /// steps of undo.
  ///
  /// That this happens is on the disk before anything is gone, and sessions that stand below it end. It never
  /// comes down. *Durability*: on the disk when it returns. *Cost*: reads what arrived between the last horizon and
  /// this one, in commits of 4,096 records.
  package func raiseHorizon(of space: SpaceID, to arrival: UInt64) throws {
    try change(space) { horizon, state in
      let arrival = min(arrival, state.arrival)
      if arrival > horizon.arrival { horizon.rise(to: arrival) }
    }
    try sweep(space)
  }

  /// Closes the past of a space up to what had arrived a `distance` ago and is `stable`: the arrival up to which all
  /// have everything that hold the past open. Call it once a day, after `BlobStore.collect`: the time is what its runs
  /// saw pass, so that a clock that leaps closes nothing (decision 9).
  ///
  /// Bytes that deleted records name wait from then on until their delete is stable. *Durability* and *cost* as above.
  package func closePast(
    of space: SpaceID, upTo stable: UInt64, distance: Duration = Store.horizonDistance
  ) throws {
    try commitHorizon(of: space) { (writer, records, horizon) throws(StoreError) in
      let old = try writer.space(space, records)
      let age = try CollectorAge(records.reader.connection).milliseconds / 1000
      let distance = UInt64(clamping: distance.components.seconds)
      let arrival = horizon.closes(
        at: old.arrival, seconds: age, distance: distance, stable: stable)
      guard arrival > horizon.arrival else { return ((), nil) }
      horizon.rise(to: arrival)
      return ((), try raised(horizon, of: old, in: space, &writer, records))
    }
    try sweep(space)
  }

  /// How long what was deleted is kept for those who were away: 60 days, as long as a browser's membership.
  package static let horizonDistance = Duration.seconds(60 * 86_400)

  /// Follows the horizon of a peer of which everything is held up to there: what was deleted here, and stood there by
  /// then, goes. *Durability* and *cost* as above.
  package func follow(_ peer: Site, to there: UInt64, in space: SpaceID) throws {
    try change(space) { horizon, _ in horizon.follow(peer, to: there) }
    try sweep(space)
  }

  /// Lets go what is deleted up to the horizon; after a kill it goes on where it was.
  package func sweep(_ space: SpaceID) throws {
    let known = try knownHorizon(of: space)
    guard known.swept < known.due else { return }
    var isOver = false
    while !isOver { isOver = try sweepOn(space) }
  }

  private func sweepOn(_ space: SpaceID) throws(StoreError) -> Bool {
    try commitHorizon(of: space) { (writer, records, horizon) throws(StoreError) in
      let old = try writer.space(space, records)
      let (from, due) = (horizon.swept, horizon.due)
      var (gone, count, isOver): ([StoredRecord], Int, Bool) = ([], 0, true)
      var swept = due
      try records.reader.scan(space: old.number, after: from) { record in
        guard record.arrival <= due else { return false }
        guard count < Self.sweptAtOnce else {
          isOver = false
          return false
        }
        count += 1
        swept = record.arrival
        if record.key.entity < ReservedEntity.firstNumber, record.state.isDeleted {
          gone.append(record)
        }
        return true
      }
      for record in gone { try records.letGo(record, space: old.number) }
      horizon.swept = isOver ? due : swept
      guard !gone.isEmpty else { return (isOver, nil) }
      // Whatever was read before is of another state.
      var new = old
      new.arrival += 1
      try records.write(&new, over: old, mark(writer.clock.last, in: space))
      writer.spaces[space] = new
      return (isOver, Commit(space: space, arrival: new.arrival))
    }
  }

  /// Changes what is kept, in a commit of which sessions hear where the horizon rose.
  private func change(
    _ space: SpaceID, _ body: (inout Horizon, SpaceState) -> Void
  ) throws(StoreError) {
    try commitHorizon(of: space) { (writer, records, horizon) throws(StoreError) in
      let old = try writer.space(space, records)
      let before = horizon.arrival
      body(&horizon, old)
      guard horizon.arrival > before else { return ((), nil) }
      return ((), try raised(horizon, of: old, in: space, &writer, records))
    }
  }

  /// The commit of which sessions hear that the horizon rose.
  private func raised(
    _ horizon: Horizon, of old: SpaceState, in space: SpaceID, _ writer: inout StoreWriter,
    _ records: RecordWriter
  ) throws(StoreError) -> Commit {
    var new = old
    new.arrival += 1
    try records.write(&new, over: old, mark(writer.clock.last, in: space))
    writer.spaces[space] = new
    var commit = Commit(space: space, arrival: new.arrival)
    commit.horizon = horizon.arrival
    return commit
  }

  // Peers

  /// Whether a peer may lack a delete that is gone here: it gives this position back, and says that it holds this, or
  /// as much beyond the position (`isBeyond`), and all that stood at others by then (`reached`). A peer that holds
  /// nothing known here lacks nothing, nor does one that holds everything. *Returns*: nil where it lacks none; `behind`, or `incomparable` where it must name all first.
  package func isBehind(
    _ position: [UInt8], _ told: VersionVector, isBeyond: Bool, reached: [Reached] = [],
    in space: SpaceID, ownOnly: Bool = false
  ) throws -> Conversation.Resumption? {
    let horizon = try knownHorizon(of: space)
    guard horizon.arrival > 0, !options.seededBugs.oldNotNoticed else { return nil }
    if try place(of: position, in: space, ownOnly: ownOnly) >= horizon.arrival { return nil }
    let isAnyEnough = options.seededBugs.anyReachedBelieved && !reached.isEmpty
    if horizon.isShown(by: reached) || isAnyEnough { return nil }
    guard !isBeyond else { return .incomparable }
    let held = try vector(of: space)
    // One that compares anew holds more than it says, and has a position.
    if position.isEmpty, told.entries.allSatisfy({ held[$0.site] == 0 }) { return nil }
    return held.entries.allSatisfy(told.covers) ? nil : .behind
  }

  /// Whether the horizon of a peer's device is followed here.
  package func follows(_ peer: Site, in space: SpaceID) throws -> Bool {
    try knownHorizon(of: space).followed.contains { $0.site.device == peer.device }
  }

  /// Up to which arrivals of others all is held here, of the last servers that there were.
  package func reached(in space: SpaceID) throws -> [Reached] {
    Array(try knownHorizon(of: space).reached.prefix(Message.reachedMax))
  }

  /// Whether all must come anew from a peer, which may have gone back to before deletes that are gone here.
  package func mustRelearn(from peer: Site, in space: SpaceID) throws -> Bool {
    try knownHorizon(of: space).mustRelearn(from: peer)
  }

  /// Claims nothing of what others wrote until all has come anew from such a peer. The first time, sessions that are
  /// under way end.
  package func relearn(from peer: Site, in space: SpaceID) throws {
    guard try knownHorizon(of: space).relearnsFrom != peer.device else { return }
    try commitHorizon(of: space) { (writer, records, horizon) throws(StoreError) in
      let old = try writer.space(space, records)
      var new = old
      new.arrival += 1
      let site = site(in: space)
      // What this device wrote under an earlier site may have gone here as well.
      for dot in old.vector.entries where dot.site != site {
        try records.lower(dot.site, to: 0, in: &new)
      }
      try records.forgetPositions(space: new.number)
      horizon.relearnsFrom = peer.device
      try records.write(&new, over: old, mark(writer.clock.last, in: space))
      writer.spaces[space] = new
      var commit = Commit(space: space, arrival: new.arrival)
      commit.comparesAnew = true
      return ((), commit)
    }
  }
}

extension RecordWriter {
  /// Removes all that is held of a record: its row and cells, conflicts, and the undo steps that have values of it.
  func letGo(_ held: StoredRecord, space: Int64) throws(StoreError) {
    try remove(held, space: space)
    try removeTraces(of: held.key, space: space)
  }
}
