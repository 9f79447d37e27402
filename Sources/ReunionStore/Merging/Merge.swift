import ReunionCore
import ReunionDisk

/// Merges changes into the records of a space.
struct Merge {
  let records: RecordWriter
  let space: Int64
  /// What was held before.
  let held: VersionVector
  /// What the sender holds.
  private var sender: Sender
  /// Whether the sender tells what others wrote by acknowledgements alone, which a change may overtake.
  let isLeaf: Bool
  let bugs: SeededBugs
  /// Whether deletes are gone here, so that a record which begins may have been let go.
  var isPastClosed = false
  /// Whether each record that begins so is marked: not of a full replica that may change everything, which marks by
  /// itself what it brings back.
  var marksAll = false
  /// Whether the sender may have let go what is held here as deleted: it may change everything, and is no leaf.
  var mayHaveLetGo = false
  /// Since when a record must have been made to be new for sure, in milliseconds since 1970.
  var newSince: UInt64 = 0
  /// Half as long as what is deleted is kept: 30 days.
  static let newMilliseconds: UInt64 = 30 * 86_400_000
  /// Records that come whole, since an audit found them to differ.
  var audited: Set<RecordName> = []
  /// Those of them that changed, and those of which more is held than came.
  private(set) var repaired: [RecordName] = []
  private(set) var fuller: [RecordName] = []
  /// Whether something went that the sender has let go.
  private(set) var hasReplaced = false
  /// The records that begin though cells of theirs were met before: they had been let go.
  private(set) var begun: [RecordKey] = []
  /// Whether one of them is or was deleted: such a record may go to its sender in another form.
  private(set) var touchesDeleted = false
  /// The records that changed.
  private(set) var touches = Touches()
  /// The blobs that records name now and did not before.
  private(set) var named: [BlobReference] = []

  /// What the sender of changes holds: by its word, by the arrival up to which it was sent all, and, of a
  /// cache's only peer, what others than its device wrote.
  struct Sender {
    let told: VersionVector
    var past: PastVector
    /// The device whose changes alone it was sent; nil for everybody's.
    let device: UInt64?
    /// The device of the cache that it feeds; nil where the receiver is none.
    let cacheOf: UInt64?

    mutating func covers(_ dot: Dot) throws(StoreError) -> Bool {
      if told.covers(dot) { return true }
      if let cacheOf, dot.site.device != cacheOf { return true }
      if let device, dot.site.device != device { return false }
      return try dot.seq <= past.seq(of: dot.site)
    }
  }

  init(
    records: RecordWriter, space: Int64, held: VersionVector, sender: Sender, isLeaf: Bool,
    bugs: SeededBugs
  ) {
    self.records = records
    self.space = space
    self.held = held
    self.sender = sender
    self.isLeaf = isLeaf
    self.bugs = bugs
  }

  /// Merges; each record that changed arrives under the next number.
  mutating func run(_ changes: [Change], arrival: inout UInt64) throws(StoreError) {
    var groups: [(key: RecordKey, cells: [Cell])] = []
    var places: [RecordKey: Int] = [:]
    var place = 0
    for change in changes {
      let key = RecordKey(change)
      // Most often a record's changes stand next to one another.
      if place == groups.count || groups[place].key != key {
        place = places[key] ?? groups.count
        if place == groups.count {
          places[key] = place
          groups.append((key, []))
        }
      }
      groups[place].cells.append(change.cell)
    }
    for (key, cells) in groups where !isDroppedByBug(key) {
      try merge(cells, into: key, arrival: &arrival)
    }
  }

  private mutating func merge(
    _ cells: [Cell], into key: RecordKey, arrival: inout UInt64
  ) throws(StoreError) {
    if !bugs.erasedTakenAgain, try records.isErased(key, space: space) { return }
    let held = try records.reader.record(key, space: space)
    var record = held ?? StoredRecord(key: key, state: RecordState(), arrival: 0)
    if let held, mayHaveLetGo, let rest = try rest(of: held.state, madeAnewBy: cells) {
      hasReplaced = true
      record.state = rest
    }
    let name = RecordName(entity: key.entity, record: key.id)
    let isAudited = !audited.isEmpty && audited.contains(name)
    if held == nil, isPastClosed, marksAll || isAudited,
      key.entity < ReservedEntity.firstNumber, mayHaveBeen(cells)
    {
      begun.append(key)
    }
    var changed = false
    var fields = held?.state.isSurelyAlive == true ? FieldSet.none : .all
    for cell in cells where !isLostToBug(cell, in: record.state) {
      let outcome = record.state.merge(cell)
      changed = changed || outcome.changed
      if outcome.changed { fields.formUnion(FieldSet(cell.field)) }
      if !bugs.conflictNotKept,
        let conflict = try conflict(of: outcome, with: cell, before: held?.state)
      {
        try records.keepConflict(conflict, of: key, space: space)
      }
    }
    if isAudited, !record.state.cells.allSatisfy(cells.contains) { fuller.append(name) }
    guard changed else { return }
    if held?.state.isSurelyAlive == false || !record.state.isSurelyAlive { touchesDeleted = true }
    if isAudited { repaired.append(name) }
    if !bugs.madeFieldsUntouched {
      fields = records.reader.layout.table(key.entity).touched(fields)
    }
    arrival += 1
    if held == nil || !bugs.arrivalNotRaisedOnMerge { record.arrival = arrival }
    let added = try records.write(record, over: held, space: space)
    named += Self.wanted(added, by: record.state, over: held?.state)
    touches.add(key, fields)
    if let erased = RecordErasure.key(record) { touches.add(erased, .all) }
  }

  /// What stays of a record that is deleted here, where the sender has let it go and it was made again: the sender has
  /// met the deletes, and a later creation loses against the one that it had met with them. One that was issued anew
  /// has the stamp of before, and is none. Nil for any other record.
  private func rest(
    of held: RecordState, madeAnewBy cells: [Cell]
  ) throws(StoreError) -> RecordState? {
    guard let before = held.creation, held.isDeleted, !bugs.oldRemainsStay,
      cells.contains(where: { $0.merge == .creation && $0.stamp > before.stamp })
    else { return nil }
    var met = MetByPeer(sender: sender, floors: try records.reader.floors(space: space))
    var rest = RecordState()
    for cell in held.cells where try !met.covers(cell.dot) {
      if cell.merge == .deletion { return nil }
      _ = rest.merge(cell)
    }
    return rest
  }

  /// Whether a record that is not held may have been let go here: something of it was met before, or nothing says that
  /// it is new.
  private func mayHaveBeen(_ cells: [Cell]) -> Bool {
    cells.contains { held.covers($0.dot) }
      || !cells.contains { $0.merge == .creation && $0.stamp.milliseconds >= newSince }
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

  /// The cell to keep as a conflict: also a rival that lost, where it and the incoming cell meet here for the
  /// first time, so that neither author saw the other's (decision 3).
  private mutating func conflict(
    of outcome: RecordState.Outcome, with incoming: Cell, before held: RecordState?
  ) throws(StoreError) -> Cell? {
    if let conflict = outcome.conflict {
      // One that a leaf had without its value comes whole, or the other way round.
      let known = held?.register(incoming.field)
      return known?.dot == incoming.dot && known?.stamp == incoming.stamp ? nil : conflict
    }
    guard let loser = outcome.rival else { return nil }
    if loser == incoming { return self.held.covers(incoming.dot) ? nil : loser }
    if try isHollow(loser, under: incoming, in: held) { return loser }
    if isLeaf, incoming.replaced == loser.stamp || bugs.leafSightIgnored { return nil }
    return try sender.covers(loser.dot) ? nil : loser
  }

  /// Whether a leaf may have a register without its value: so it gets what others wrote of a record that is
  /// deleted (decision 30), and this one is, as far as the leaf knows. It may have seen the value before; then
  /// what is kept is kept for nothing.
  private mutating func isHollow(
    _ loser: Cell, under incoming: Cell, in held: RecordState?
  ) throws(StoreError) -> Bool {
    guard isLeaf, loser.dot.site.device != incoming.dot.site.device,
      let held, held.cells.contains(where: { $0.merge == .deletion })
    else { return false }
    var known: [Cell] = []
    for cell in held.cells where try sender.covers(cell.dot) { known.append(cell) }
    return RecordState(known).isDeleted
  }

  private func isLostToBug(_ cell: Cell, in state: RecordState) -> Bool {
    guard !bugs.isEmpty else { return false }
    return switch cell.merge {
    case .register:
      bugs.tieBreakMissing && state.register(cell.field)?.stamp == cell.stamp
    case .deletion: bugs.deletesIgnored
    case .memberRemoval: bugs.removalsIgnored
    case .place: bugs.movesIgnored && !state.cells.isEmpty
    default: false
    }
  }

  private func isDroppedByBug(_ key: RecordKey) -> Bool {
    bugs.unknownEntitiesDropped && !records.reader.layout.isKnown(key.entity)
  }
}

/// What the peer has met, by its word and its position. Of a site that was given up no word counts.
struct MetByPeer {
  var sender: Merge.Sender
  let floors: [Site: UInt64]

  mutating func covers(_ dot: Dot) throws(StoreError) -> Bool {
    if let floor = floors[dot.site], dot.seq > floor { return false }
    return try sender.covers(dot)
  }
}
