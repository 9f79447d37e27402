import ReunionCore
import ReunionDisk

/// What is refused, what was refused of this store's own changes, and what it lets go with that.
extension ApplyWork {
  /// What was taken back of a record: fields whose register had replaced another, and what others wrote.
  struct Taken {
    let key: RecordKey
    var fields: Set<UInt32> = []
    var others: [Cell] = []

    /// Whether the push has left it out of a record, though whoever refused it had it once.
    func isMissing(in state: RecordState?) -> Bool {
      fields.contains { state?.register($0) == nil }
        || others.contains { cell in
          guard var merged = state else { return true }
          return merged.merge(cell).changed
        }
    }
  }

  /// Takes back what the peer has refused: of each record's cells that had been sent then, those stay
  /// that the push brings. What was written since stays too, and so do the numbers that were used.
  mutating func takeBack() throws(StoreError) -> [Taken] {
    var taken: [Taken] = []
    guard push.mayTakeBack else { return [] }
    for refusal in try records.reader.stagedRefusals(peer, space: space.number) + push.refused {
      let key = RecordKey(entity: refusal.entity, id: refusal.record)
      let held = try records.reader.record(key, space: space.number)
      let dots = held.map { $0.state.cells.map(\.dot) } ?? []
      refused.append(
        (refusal, dots.filter { $0.site.device == site.device && refusal.sent.covers($0) }))
      guard let held else { continue }
      var entry = Taken(key: key)
      for cell in held.state.cells where refusal.sent.covers(cell.dot) {
        if cell.dot.site.device != site.device { entry.others.append(cell) }
        if cell.merge.isRegister, cell.replaced != .none { entry.fields.insert(cell.field) }
      }
      if try keep(held, where: { !refusal.sent.covers($0.dot) }) { taken.append(entry) }
    }
    return taken
  }

  /// Drops what others wrote: a cache that finds its peer another than before holds what the peer
  /// does, which this push brings.
  mutating func dropOthers() throws(StoreError) {
    var found: [StoredRecord] = []
    try records.reader.forEach(space: space.number) { found.append($0) }
    let device = site.device
    for record in found { try keep(record, where: { $0.dot.site.device == device }) }
    for dot in space.vector.entries where dot.site.device != device {
      space.vector.remove(dot.site)
    }
  }

  /// Keeps some cells of a record; true where that took any from it.
  @discardableResult
  mutating func keep(
    _ held: StoredRecord, where isKept: (Cell) -> Bool
  ) throws(StoreError) -> Bool {
    let kept = held.state.cells.filter(isKept)
    guard kept.count < held.state.cells.count else { return false }
    touches.add(held.key, .all)
    space.arrival += 1
    if kept.isEmpty {
      try records.remove(held, space: space.number)
    } else {
      try records.write(
        StoredRecord(key: held.key, state: RecordState(kept), arrival: space.arrival), over: held,
        space: space.number)
    }
    return true
  }

  /// Lowers the vector where something of it is not held any more. A peer that lacks what it had sent
  /// went back to an earlier state, and may get it again: then it must be sent again, too.
  mutating func forget(_ taken: [Taken], _ before: VersionVector) throws(StoreError) {
    for entry in taken where !comparesAnew {
      if try records.reader.isErased(entry.key, space: space.number) { continue }
      comparesAnew = entry.isMissing(
        in: try records.reader.record(entry.key, space: space.number)?.state)
    }
    guard comparesAnew || push.replacesOthers else { return }
    for dot in before.entries where dot.site.device != site.device {
      let seq = comparesAnew ? 0 : space.vector[dot.site]
      if seq < dot.seq { try records.lower(dot.site, to: seq, in: &space) }
    }
    if push.replacesOthers { try claimLessOfEarlierSites() }
    if comparesAnew { try records.forgetPositions(space: space.number) }
  }

  /// Claims no more of what this device wrote under earlier sites than the peer does. Beyond that, others
  /// wrote over some of it, and what they wrote was dropped. What it wrote under its present one has been
  /// issued anew.
  private mutating func claimLessOfEarlierSites() throws(StoreError) {
    guard !options.seededBugs.coveredChangesClaimed else { return }
    for dot in space.vector.entries where dot.site.device == site.device && dot.site != site {
      let seq = push.vector[dot.site]
      if seq < dot.seq { try records.lower(dot.site, to: seq, in: &space) }
    }
  }

  /// What the peer was refused and has not taken back yet.
  func refusedBefore() throws(StoreError) -> [RecordKey: VersionVector] {
    guard !options.seededBugs.refusedTakenLater else { return [:] }
    return try RefusalLedger(records.reader.connection, space: space.number, site: push.peer)
      .unanswered()
  }

  /// Writes what was refused into the ledger.
  mutating func refuse(_ admission: Admission) throws(StoreError) {
    let refused = admission.refused
    guard !refused.isEmpty else { return }
    refusedCount = refused.count
    guard !options.seededBugs.refusalNotSent else { return }
    var sent = VersionVector()
    for dot in push.vector.entries
    where dot.site.device == push.peer.device && admission.broughtSeqs[dot.site] != nil {
      sent.raise(dot.site, to: dot.seq)
    }
    for (site, seq) in admission.broughtSeqs where site.device == push.peer.device {
      sent.raise(site, to: seq)
    }
    var others: [RecordKey: VersionVector] = [:]
    // Where only what others wrote is refused, a copy of the guest keeps what the guest may have.
    var own: Set<RecordKey> = []
    let namesAll = options.seededBugs.refusalNamesAll
    try forEachPart { changes in
      for change in changes where !admission.admits(change) {
        let key = RecordKey(change)
        guard change.cell.dot.site.device != push.peer.device else {
          own.insert(key)
          continue
        }
        others[key, default: VersionVector()]
          .raise(change.cell.dot.site, to: change.cell.dot.seq)
      }
    }
    let ledger = RefusalLedger(records.reader.connection, space: space.number, site: push.peer)
    try ledger.add(
      refused.map { key, sentence in
        var sent = namesAll || own.contains(key) ? sent : VersionVector()
        if let others = others[key] { sent.merge(others) }
        return Refusal(entity: key.entity, record: key.id, sent: sent, sentence: sentence)
      })
  }
}
