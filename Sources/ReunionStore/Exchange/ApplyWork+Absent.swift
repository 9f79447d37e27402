import ReunionCore
import ReunionDisk

/// Coming back after an absence that was too long to go on by what is held.
extension ApplyWork {
  /// Lets go what the push, which is all that there is, does not bring though the peer has met it: it was deleted
  /// there, and nothing shows that any more. Then others may lack those deletes as well. A record of which the peer has
  /// not met everything comes back, with a delete that saw all that the peer has met, so that it goes whole to
  /// everybody.
  mutating func letGoAbsent(_ clock: inout HybridClock) throws(StoreError) {
    guard !options.seededBugs.absentStays else { return }
    var come: Set<RecordKey> = []
    try forEachPart { changes in for change in changes { come.insert(RecordKey(change)) } }
    var absent: [StoredRecord] = []
    try records.reader.forEach(space: space.number) { record in
      let isApps = record.key.entity < ReservedEntity.firstNumber
      if isApps, !come.contains(record.key) { absent.append(record) }
    }
    for record in absent {
      let isNew = !options.seededBugs.unsentGoes && record.state.isAlive(beyond: push.vector)
      guard isNew else {
        try records.letGo(record, space: space.number)
        touches.add(record.key, .all)
        hasLetGo = true
        continue
      }
      try bringBack(record, &clock)
    }
  }

  /// Replaces what is held of records that come back after a delete: what a delete among their cells saw, and they do
  /// not have, somebody has let go, and it goes here, too.
  /// What is not admitted of a record leaves it as it is.
  mutating func replaceBack(_ admission: Admission) throws(StoreError) {
    guard !push.whole.isEmpty || push.isAnew else { return }
    var brought: [RecordKey: RecordState] = [:]
    for name in push.whole {
      brought[RecordKey(entity: name.entity, id: name.record)] = RecordState()
    }
    // All that there is is whole, be it by blocks, which name nothing.
    if push.isAnew {
      try forEachPart { changes in
        for change in changes where change.cell.merge == .deletion {
          brought[RecordKey(change)] = RecordState()
        }
      }
    }
    try forEachPart { changes in
      for change in changes {
        let key = RecordKey(change)
        if admission.admits(change) {
          _ = brought[key]?.merge(change.cell)
        } else {
          brought[key] = nil
        }
      }
    }
    let ordered = brought.sorted { ($0.key.entity, $0.key.id) < ($1.key.entity, $1.key.id) }
    for (key, whole) in ordered where whole.cameBack {
      guard let held = try records.reader.record(key, space: space.number) else { continue }
      let met = whole.sight
      var state = whole
      for cell in held.state.cells where !met.covers(cell.dot) || whole.cells.contains(hollow: cell)
      {
        _ = state.merge(cell)
      }
      guard state != held.state else { continue }
      space.arrival += 1
      let record = StoredRecord(key: key, state: state, arrival: space.arrival)
      try records.write(record, over: held, space: space.number)
      touches.add(key, .all)
    }
  }

  private mutating func bringBack(
    _ record: StoredRecord, _ clock: inout HybridClock
  ) throws(StoreError) {
    // Nobody has deleted what nobody has met. Of a site that was given up nobody says what was.
    let given = try records.reader.retired(space: space.number)
    let mayBeMet = record.state.cells.contains {
      push.vector.covers($0.dot) || given[$0.dot.site] != nil
    }
    guard mayBeMet else { return }
    let dot = Dot(site: site, seq: space.vector[site] + 1)
    let stamp = clock.next(
      wallMilliseconds: options.wallMilliseconds(), replacing: record.state.latestStamp,
      seq: dot.seq)
    var state = record.state
    _ = state.merge(
      Cell(
        field: Cell.existence, merge: .deletion, dot: dot, stamp: stamp,
        value: Cell.deletionValue(seen: push.vector)))
    space.vector.raise(site, to: dot.seq)
    space.arrival += 1
    let back = StoredRecord(key: record.key, state: state, arrival: space.arrival)
    try records.write(back, over: record, space: space.number)
    touches.add(record.key, .all)
  }
}

extension [Cell] {
  /// Whether a cell is among them, be it without its value: then it is held with it.
  fileprivate func contains(hollow cell: Cell) -> Bool {
    contains { $0.dot == cell.dot && $0.field == cell.field && $0.merge == cell.merge }
  }
}

extension RecordState {
  /// What its deletes saw.
  fileprivate var sight: VersionVector {
    var seen = VersionVector()
    for cell in cells where cell.merge == .deletion {
      if let sight = cell.seen { seen.merge(sight) }
    }
    return seen
  }

  /// Whether it is alive by more than what a vector covers.
  fileprivate func isAlive(beyond met: VersionVector) -> Bool {
    var seen = sight
    seen.merge(met)
    return cells.contains {
      $0.merge != .deletion && $0.merge != .annotation && !seen.covers($0.dot)
    }
  }
}
