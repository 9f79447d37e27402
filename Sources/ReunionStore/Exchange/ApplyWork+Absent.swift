import ReunionCore
import ReunionDisk

/// Coming back after an absence that was too long to go on by what is held.
extension ApplyWork {
  /// Lets go what the push, which is all that there is, does not bring though the peer has met it: it was deleted
  /// there, and nothing shows that any more. Then others may lack those deletes as well. A record of which the peer has
  /// not met everything comes back, with a delete of what the peer has met of it, so that it goes whole to everybody.
  mutating func letGoAbsent(_ clock: inout HybridClock) throws(StoreError) {
    guard !options.seededBugs.absentStays else { return }
    var come: Set<RecordKey> = []
    try forEachPart { changes in for change in changes { come.insert(RecordKey(change)) } }
    var absent: [RecordKey] = []
    try records.reader.forEach(space: space.number) { record in
      let isApps = record.key.entity < ReservedEntity.firstNumber
      if isApps, !come.contains(record.key) { absent.append(record.key) }
    }
    for key in absent {
      guard let record = try records.reader.record(key, space: space.number) else { continue }
      guard !options.seededBugs.unsentGoes, record.state.isNews(beyond: push.vector) else {
        try records.letGo(record, space: space.number)
        touches.add(key, .all)
        hasLetGo = true
        continue
      }
      guard record.state.isAlive(beyond: push.vector) else {
        try keepUnmet(record)
        continue
      }
      // Nobody has deleted what nobody has met. Of a site that was given up nobody says what was.
      let given = try records.reader.retired(space: space.number)
      let met = record.state.cells.filter {
        push.vector.covers($0.dot) || given[$0.dot.site] != nil
      }
      if !met.isEmpty { try markBack(record, seen: met.sight, &clock) }
    }
  }

  /// Keeps of a record that is deleted here as well what the peer has yet to hear, with the deletes, and with its
  /// creation where that shows that it is this device's.
  private mutating func keepUnmet(_ record: StoredRecord) throws(StoreError) {
    let (device, met) = (site.device, push.vector)
    let isLess = try keep(record) { cell in
      let isOwnCreation = cell.merge == .creation && cell.dot.site.device == device
      return cell.merge == .deletion || isOwnCreation || !met.covers(cell.dot)
    }
    hasReplaced = hasReplaced || isLess
  }

  /// Replaces what is held of records that come whole, back after a delete, or of all where the push is all that there
  /// is: what the peer has met of them and does not bring, somebody has let go, and it goes here, too. What is not
  /// admitted of a record leaves it as it is. *Memory*: that of some ten thousand changes, or of what is named.
  mutating func replaceBack(
    _ admission: Admission, _ clock: inout HybridClock
  ) throws(StoreError) {
    guard !push.whole.isEmpty || push.isAll else { return }
    var met = MetByPeer(
      sender: sender, floors: try records.reader.floors(space: space.number))
    let count = push.stagedCount + push.changes.count
    let passes = push.isAll ? UInt64(1 + count / Self.replacedAtOnce) : 1
    for pass in 0..<passes {
      // A record may come several times in one push: what any time brings of it counts.
      var brought: [RecordKey: RecordState?] = [:]
      try forEachPart { changes in
        for change in changes where change.record.low % passes == pass && isWhole(change) {
          let key = RecordKey(change)
          guard admission.admits(change), var state = brought[key] ?? RecordState() else {
            brought[key] = .some(nil)
            continue
          }
          brought[key] = .some(nil)
          _ = state.merge(change.cell)
          brought[key] = state
        }
      }
      let ordered = brought.sorted { ($0.key.entity, $0.key.id) < ($1.key.entity, $1.key.id) }
      for (key, state) in ordered {
        if let state { try replace(key, with: state, &met, &clock) }
      }
    }
  }

  private static let replacedAtOnce = 65_536

  private func isWhole(_ change: Change) -> Bool {
    push.isAll
      || push.whole.contains(RecordName(entity: change.entity, record: change.record))
  }

  private mutating func replace(
    _ key: RecordKey, with whole: RecordState, _ met: inout MetByPeer, _ clock: inout HybridClock
  ) throws(StoreError) {
    guard let held = try records.reader.record(key, space: space.number) else { return }
    var state = whole
    var (isUnmet, seen) = (false, [Cell]())
    for cell in held.state.cells {
      let isBrought = whole.cells.contains(hollow: cell)
      let isMet = try met.covers(cell.dot)
      if isBrought || !isMet { _ = state.merge(cell) }
      let isOver = cell.merge == .deletion || isMet && !isBrought
      if isOver { seen.append(cell) }
      if !isMet, cell.merge != .deletion { isUnmet = true }
    }
    guard state != held.state else { return }
    // It may be under way to the peer already, and so all that is held of it: then it comes back with that.
    if isUnmet, !push.isAll, push.sentDevice == nil, !options.seededBugs.underWayReplaced {
      return try markBack(held, seen: seen.sight, &clock)
    }
    hasReplaced = true
    space.arrival += 1
    let record = StoredRecord(key: key, state: state, arrival: space.arrival)
    try records.write(record, over: held, space: space.number)
    touches.add(key, .all)
  }

  /// Marks records that began with this push and had been let go here, as cells show that were met before: they came
  /// back, and go whole from now on.
  mutating func markBegun(_ begun: [RecordKey], _ clock: inout HybridClock) throws(StoreError) {
    for key in begun {
      guard !options.seededBugs.begunNotMarked,
        let record = try records.reader.record(key, space: space.number), record.state.isAlive,
        !record.state.cells.contains(where: { $0.merge == .deletion })
      else { continue }
      try markBack(record, seen: VersionVector(), &clock)
    }
  }

  /// Puts a delete beside what is held of a record that comes back.
  private mutating func markBack(
    _ record: StoredRecord, seen: VersionVector, _ clock: inout HybridClock
  ) throws(StoreError) {
    let dot = Dot(site: site, seq: space.vector[site] + 1)
    let stamp = clock.next(
      wallMilliseconds: options.wallMilliseconds(), replacing: record.state.latestStamp,
      seq: dot.seq - 1)
    var state = record.state
    _ = state.merge(
      Cell(
        field: Cell.existence, merge: .deletion, dot: dot, stamp: stamp,
        value: Cell.deletionValue(seen: seen)))
    space.vector.raise(site, to: dot.seq)
    space.arrival += 1
    let back = StoredRecord(key: record.key, state: state, arrival: space.arrival)
    try records.write(back, over: record, space: space.number)
    touches.add(record.key, .all)
  }
}

extension [Cell] {
  /// What a delete saw that takes these away, and what their deletes saw: not those themselves, since the delete of a
  /// record that came back has a later number than the edit that brought it.
  var sight: VersionVector {
    var seen = VersionVector()
    for cell in self {
      if let sight = cell.seen, cell.merge == .deletion {
        seen.merge(sight)
      } else {
        seen.raise(cell.dot.site, to: cell.dot.seq)
      }
    }
    return seen
  }

  /// Whether a cell is among them, be it without its value: then it is held with it.
  fileprivate func contains(hollow cell: Cell) -> Bool {
    contains { $0.dot == cell.dot && $0.field == cell.field && $0.merge == cell.merge }
  }
}

extension RecordState {
  /// Whether whoever has met what a vector covers, and holds nothing of it, has anything to hear of it.
  fileprivate func isNews(beyond met: VersionVector) -> Bool {
    let seen = deletedSight
    return cells.contains { cell in
      guard cell.merge != .annotation, !met.covers(cell.dot) else { return false }
      // What a delete of the record saw is no news: the delete may be.
      guard cell.merge == .deletion else { return !seen.covers(cell.dot) }
      return cell.seen.map { !$0.entries.allSatisfy(met.covers) } ?? false
    }
  }

  /// What the deletes of the record saw.
  private var deletedSight: VersionVector {
    var seen = VersionVector()
    for cell in cells where cell.merge == .deletion {
      if let sight = cell.seen { seen.merge(sight) }
    }
    return seen
  }

  /// Whether it is alive by more than what a vector covers.
  fileprivate func isAlive(beyond met: VersionVector) -> Bool {
    var seen = met
    seen.merge(deletedSight)
    return cells.contains {
      $0.merge != .deletion && $0.merge != .annotation && !seen.covers($0.dot)
    }
  }
}
