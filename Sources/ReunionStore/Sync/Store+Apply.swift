public import ReunionCore

extension Store {
  /// Merges what a peer staged and these changes, raises the vector and sets the peer's cursor: one
  /// commit, on the disk when this returns.
  ///
  /// Observers of commits are told where a record changed or the vector rose.
  /// Where `stagedCount` is another than that of the staged changes, another session of the peer has
  /// come in between. Where `isLeaf`, the peer's vector tells of its own sites alone.
  /// - Throws: `StoreError`, and then nothing has changed.
  public func apply(
    _ changes: [Change], end: PushEnd, from peer: Site, in space: SpaceID, authority: Authority,
    isLeaf: Bool = false, stagedCount: Int? = nil
  ) throws -> Applied {
    try commit { (writer, records) throws(StoreError) in
      let old = try writer.space(space, records)
      let site = try records.reader.numbers.number(of: peer)
      let staged = try records.staged(site, space: old.number)
      guard stagedCount == nil || stagedCount == staged.count else {
        throw StoreError(
          .stagedLost, "A part of what the other side sent is gone: it is sent again.")
      }
      let all = staged + changes
      try records.discardStaged(site, space: old.number)
      let admission = Admission(authority: authority)
      let (admitted, refused) = try admission.divide(all) { (key) throws(StoreError) in
        try records.reader.record(key, space: old.number)?.state
      }
      var new = old
      var merge = Merge(
        records: records, space: old.number, held: old.vector,
        sender: authority == .all && !isLeaf ? end.vector : nil, bugs: options.seededBugs)
      try merge.run(admitted, arrival: &new.arrival)
      new.vector.merge(admission.vector(end.vector, from: peer, with: all))
      let wall = options.wallMilliseconds()
      for change in admitted { writer.clock.observe(change.cell.stamp, wallMilliseconds: wall) }
      try records.setCursor(of: site, space: old.number, to: end.cursor)
      if authority == .all {
        try records.setHeld(
          of: self.site, by: site, space: old.number, to: end.vector[self.site])
      }
      try records.write(&new, over: old, clock: writer.clock.last)
      let refusals = try records.refusals(refused, space: old.number)
      let applied = Applied(
        refusals: refusals, changed: !merge.touches.isEmpty,
        wanted: try records.notHeld(merge.named, space: old.number))
      writer.spaces[space] = new
      guard applied.changed || new.vector != old.vector else { return (applied, nil) }
      return (applied, Commit(space: space, arrival: new.arrival, touches: merge.touches))
    }
  }

  /// Takes back refused changes of this device: of the records' cells that it wrote and sent, those
  /// stay that stand at the peer.
  ///
  /// `sent` covers what the refused push brought; what was written since, and other devices' cells,
  /// stay merged in. Sequence numbers that were used stay used.
  public func takeBack(_ refusals: [Refusal], sent: VersionVector, in space: SpaceID) throws {
    try commit { (writer, records) throws(StoreError) in
      let old = try writer.space(space, records)
      let device = site.device
      var new = old
      var touches = Touches()
      for refusal in refusals {
        let key = RecordKey(entity: refusal.entity, id: refusal.record)
        let held = try records.reader.record(key, space: old.number)
        var state = RecordState()
        for cell in refusal.cells { _ = state.merge(cell) }
        for cell in held?.state.cells ?? []
        where cell.dot.site.device != device || !sent.covers(cell.dot) {
          _ = state.merge(cell)
        }
        guard state != held?.state ?? RecordState() else { continue }
        touches.add(key, .all)
        new.arrival += 1
        if state.cells.isEmpty {
          if let held { try records.remove(held, space: old.number) }
        } else {
          try records.write(
            StoredRecord(key: key, state: state, arrival: new.arrival), over: held,
            space: old.number)
        }
      }
      guard !touches.isEmpty else { return ((), nil) }
      try records.write(&new, over: old, clock: writer.clock.last)
      writer.spaces[space] = new
      return ((), Commit(space: space, arrival: new.arrival, touches: touches))
    }
  }
}

/// Merges changes into the records of a space.
struct Merge {
  let records: RecordWriter
  let space: Int64
  /// What was held before.
  let held: VersionVector
  /// What the sender holds, where it tells all of it.
  let sender: VersionVector?
  let bugs: Set<SeededBug>
  /// The records that changed.
  private(set) var touches = Touches()
  /// The blobs that records name now and did not before.
  private(set) var named: [BlobReference] = []

  init(
    records: RecordWriter, space: Int64, held: VersionVector, sender: VersionVector?,
    bugs: Set<SeededBug>
  ) {
    self.records = records
    self.space = space
    self.held = held
    self.sender = sender
    self.bugs = bugs
  }

  /// Merges; each record that changed arrives under the next number.
  mutating func run(_ changes: [Change], arrival: inout UInt64) throws(StoreError) {
    var order: [RecordKey] = []
    var cells: [RecordKey: [Cell]] = [:]
    for change in changes {
      let key = RecordKey(change)
      if cells[key] == nil { order.append(key) }
      cells[key, default: []].append(change.cell)
    }
    for key in order { try merge(cells[key] ?? [], into: key, arrival: &arrival) }
  }

  private mutating func merge(
    _ cells: [Cell], into key: RecordKey, arrival: inout UInt64
  ) throws(StoreError) {
    let held = try records.reader.record(key, space: space)
    var record = held ?? StoredRecord(key: key, state: RecordState(), arrival: 0)
    var changed = false
    var fields = held?.state.isSurelyAlive == true ? FieldSet.none : .all
    for cell in cells where !isLostToBug(cell, in: record.state) {
      let outcome = record.state.merge(cell)
      changed = changed || outcome.changed
      if outcome.changed { fields.formUnion(FieldSet(cell.field)) }
      if let conflict = outcome.conflict ?? outcome.rival.flatMap({ meets(cell, $0) ? $0 : nil }) {
        try records.keepConflict(conflict, of: key, space: space)
      }
    }
    guard changed else { return }
    arrival += 1
    if held == nil || !bugs.contains(.arrivalNotRaisedOnMerge) { record.arrival = arrival }
    let added = try records.write(record, over: held, space: space)
    named += Self.wanted(added, by: record.state, over: held?.state)
    touches.add(key, fields)
  }

  /// The blobs to fetch for a record that changed: a deleted one's may be gone everywhere, and one
  /// that comes back needs all of its own again.
  private static func wanted(
    _ added: [BlobReference], by state: RecordState, over held: RecordState?
  ) -> [BlobReference] {
    if state.isSurelyAlive, held?.isSurelyAlive != false { return added }
    guard state.isAlive else { return [] }
    return held?.isAlive != false ? added : state.cells.compactMap(\.value.blob)
  }

  /// Whether an incoming cell and the rival that lost meet here for the first time, so that neither
  /// author saw the other's (decision 3).
  private func meets(_ incoming: Cell, _ loser: Cell) -> Bool {
    if loser == incoming { return !held.covers(incoming.dot) }
    guard let sender else { return false }
    return !sender.covers(loser.dot)
  }

  private func isLostToBug(_ cell: Cell, in state: RecordState) -> Bool {
    guard bugs.contains(.tieBreakMissing), cell.merge == .register else { return false }
    return state.register(cell.field)?.stamp == cell.stamp
  }
}
