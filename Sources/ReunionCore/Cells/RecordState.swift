/// All cells of one record, and the merge of changes into them.
///
/// Merging is commutative, associative and idempotent: replicas that have seen the same changes, in
/// whatever order and however often, have equal states (guarantee 1). Cost: O(cells) a change.
package struct RecordState: Hashable, Sendable {
  /// The cells, in their canonical order: field, merge kind, then site and `seq`.
  package internal(set) var cells: [Cell]

  /// A record of which nothing is known.
  package init() { cells = [] }

  /// Takes cells that came from `cells`, in any order; cost: O(cells) where they are in theirs.
  package init(_ cells: [Cell]) {
    self.cells = []
    self.cells.reserveCapacity(cells.count)
    for cell in cells { insert(cell) }
  }

  /// Takes cells as they are, if each comes after the one before, and no field has two registers or creations.
  /// What else a merge would settle is left to who sends them. Cost: O(cells).
  init?(ordered cells: [Cell]) {
    for (last, cell) in zip(cells, cells.dropFirst()) {
      let areRegisters = last.merge.isRegister && cell.merge.isRegister
      let areCreations = last.merge == .creation && cell.merge == .creation
      let isTwin = last.field == cell.field && (areRegisters || areCreations)
      guard Self.isOrdered(last, before: cell), !isTwin else { return nil }
    }
    self.cells = cells
  }

  /// What a merge did.
  package struct Outcome: Hashable, Sendable {
    /// Whether the state is now another.
    package var changed: Bool
    /// A register change that lost against one whose author had surely not seen it.
    package var conflict: Cell?
    /// A register change that lost against one whose author may not have seen it: where the two
    /// meet for the first time, the version vectors tell.
    package var rival: Cell?
  }

  /// The earliest creation, whose site is the record's creator.
  package var creation: Cell? {
    cells.first { $0.merge == .creation }
  }

  /// The register of a field.
  package func register(_ field: UInt32) -> Cell? {
    cells.first { $0.field == field && $0.merge.isRegister }
  }

  /// Whether the record exists: while any of its cells is one that no delete has seen, other than
  /// an annotation.
  package var isAlive: Bool {
    var seen = VersionVector()
    for cell in cells {
      if cell.merge == .deletion, let vector = cell.seen { seen.merge(vector) }
    }
    return cells.contains {
      $0.merge != .deletion && $0.merge != .annotation && !seen.covers($0.dot)
    }
  }

  /// Whether it was deleted and nobody's change has brought it back.
  package var isDeleted: Bool {
    cells.contains { $0.merge == .deletion } && !isAlive
  }

  /// The record as replicas have it in common: of a deleted one without the values of its fields, which
  /// a leaf need not hold.
  package var standing: RecordState {
    guard isDeleted else { return self }
    var state = self
    for index in cells.indices { state.cells[index] = cells[index].hollow }
    return state
  }

  /// The changes that a delete made now would have seen.
  package var seen: VersionVector {
    var vector = VersionVector()
    for cell in cells {
      vector.raise(cell.dot.site, to: cell.dot.seq)
      if cell.merge == .deletion, let earlier = cell.seen { vector.merge(earlier) }
    }
    return vector
  }

  /// The latest stamp of all cells.
  package var latestStamp: Stamp {
    cells.reduce(Stamp.none) { max($0, $1.stamp) }
  }

  /// Merges one change.
  package mutating func merge(_ cell: Cell) -> Outcome {
    if cell.merge.isRegister, cell.field > cells.last?.field ?? 0 {
      // Whole records come in their order.
      cells.append(cell)
      return Outcome(changed: true)
    }
    return switch cell.merge {
    case .register, .annotation: mergeRegister(cell)
    case .creation: mergeCreation(cell)
    case .deletion: mergeSight(cell)
    #if !REGISTERS_ONLY
      case .memberRemoval: mergeSight(cell)
      case .tally, .member, .item, .place, .itemRemoval: mergePart(cell)
    #endif
    default: keep(cell)
    }
  }

  private mutating func mergeRegister(_ cell: Cell) -> Outcome {
    guard
      let index = cells.firstIndex(where: { $0.field == cell.field && $0.merge.isRegister })
    else {
      insert(cell)
      return Outcome(changed: true)
    }
    let held = cells[index]
    if held == cell { return Outcome(changed: false) }
    let wins = Cell.isOrdered(held, before: cell)
    let (winner, loser) = wins ? (cell, held) : (held, cell)
    if wins { cells[index] = cell }
    // Of a deleted record a leaf has no values: it cannot tell whether two are the same.
    let isUnknown = winner.value == .null && cells.contains { $0.merge == .deletion }
    guard winner.value != loser.value || isUnknown else { return Outcome(changed: wins) }
    // A site that has not seen its own change lost it, as in a power cut, when others had it already.
    let conflict = winner.replaced < loser.stamp ? loser : nil
    let isOneSite = winner.dot.site == loser.dot.site
    return Outcome(changed: wins, conflict: conflict, rival: isOneSite ? nil : loser)
  }

  private mutating func mergeCreation(_ cell: Cell) -> Outcome {
    guard let index = cells.firstIndex(where: { $0.merge == .creation }) else {
      insert(cell)
      return Outcome(changed: true)
    }
    guard Cell.isOrdered(cell, before: cells[index]) else { return Outcome(changed: false) }
    cells[index] = cell
    return Outcome(changed: true)
  }

  /// Keeps the deletes, and an element's removals, that no other dominates: one dominates another
  /// when it saw all that the other saw, and at equal sight when it is the later.
  private mutating func mergeSight(_ cell: Cell) -> Outcome {
    guard let sight = cell.seen else { return Outcome(changed: false) }
    func isRival(_ held: Cell) -> Bool {
      held.field == cell.field && held.merge == cell.merge && held.hasName(of: cell)
    }
    for held in cells where isRival(held) {
      guard held != cell else { return Outcome(changed: false) }
      if let heldSight = held.seen, heldSight.covers(sight),
        heldSight != sight || Cell.isOrdered(cell, before: held)
      {
        return Outcome(changed: false)
      }
    }
    cells.removeAll { held in
      if cell.removes(held) { return true }
      guard isRival(held), let heldSight = held.seen else { return false }
      return sight.covers(heldSight)
    }
    insert(cell)
    return Outcome(changed: true)
  }

  private mutating func keep(_ cell: Cell) -> Outcome {
    let twin = cells.firstIndex {
      $0.merge == cell.merge && $0.field == cell.field && $0.dot == cell.dot
    }
    guard let twin else {
      insert(cell)
      return Outcome(changed: true)
    }
    guard Cell.isOrdered(cells[twin], before: cell) else { return Outcome(changed: false) }
    cells[twin] = cell
    return Outcome(changed: true)
  }

  mutating func insert(_ cell: Cell) {
    var index = cells.count
    while index > 0, Self.isOrdered(cell, before: cells[index - 1]) { index -= 1 }
    cells.insert(cell, at: index)
  }

  private static func isOrdered(_ left: Cell, before right: Cell) -> Bool {
    if left.field != right.field { return left.field < right.field }
    if left.merge != right.merge { return left.merge.rawValue < right.merge.rawValue }
    if left.dot.site != right.dot.site { return left.dot.site < right.dot.site }
    if left.dot.seq != right.dot.seq { return left.dot.seq < right.dot.seq }
    return Cell.isOrdered(left, before: right)
  }
}
