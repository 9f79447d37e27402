import ReunionCore

/// What one transaction did, so far as it can be undone: what was there before, and under which dots
/// the transaction wrote.
struct UndoStep: Hashable {
  /// What it did to one record.
  struct Record: Hashable {
    let key: RecordKey
    var existence = Existence.lived
    var parts: [Part] = []

    var isEmpty: Bool { (existence == .lived || existence == .absent) && parts.isEmpty }
  }

  enum Existence: Hashable {
    /// It lived before and after.
    case lived
    /// It came, or came back; with the changes of it that were there then.
    case appeared(VersionVector)
    /// It was deleted; with the changes of it that were there then.
    case vanished(VersionVector)
    /// It was deleted before and after.
    case absent
  }

  /// What it did to one field, or to one part of it. `written` is the dot that must still be there.
  enum Part: Hashable {
    case register(UInt32, old: Value, oldDot: Dot?, written: Dot)
    case counted(UInt32, Int64)
    case added(UInt32, Value)
    case removed(UInt32, Value)
    case inserted(UInt32, item: Dot)
    case taken(UInt32, item: Dot, Value, Position?, oldDot: Dot?)
    case moved(UInt32, item: Dot, from: Position, oldDot: Dot, written: Dot)
  }

  let name: String
  var records: [Record] = []

  /// The same step after changes were written anew under other dots.
  func renamed(_ names: [Dot: Dot]) -> UndoStep {
    func new(_ dot: Dot) -> Dot { names[dot] ?? dot }
    var step = self
    for index in records.indices {
      step.records[index].parts = records[index].parts.map { part in
        switch part {
        case .register(let field, let old, let oldDot, let written):
          .register(field, old: old, oldDot: oldDot.map(new), written: new(written))
        case .inserted(let field, let item): .inserted(field, item: new(item))
        case .taken(let field, let item, let value, let position, let oldDot):
          .taken(field, item: new(item), value, position, oldDot: oldDot.map(new))
        case .moved(let field, let item, let from, let oldDot, let written):
          .moved(field, item: new(item), from: from, oldDot: new(oldDot), written: new(written))
        case .counted, .added, .removed: part
        }
      }
    }
    return step
  }
}

// Recording

extension UndoStep {
  /// What a transaction that has written did; `site` is its own.
  init(
    name: String, of written: [RecordKey: (before: RecordState, after: RecordState)],
    site: Site, _ layout: Layout
  ) {
    self.name = name
    for (key, states) in written.sorted(by: { $0.key.id < $1.key.id }) {
      let entry = Record(
        key: key, from: states.before, to: states.after, site: site, layout.table(key.entity))
      if !entry.isEmpty { records.append(entry) }
    }
  }
}

extension UndoStep.Record {
  fileprivate init(
    key: RecordKey, from before: RecordState, to after: RecordState, site: Site, _ table: Table
  ) {
    self.key = key
    existence =
      switch (before.isAlive, after.isAlive) {
      case (true, true): .lived
      case (false, true): .appeared(after.seen)
      case (true, false): .vanished(after.seen)
      case (false, false): .absent
      }
    // Of a new record nothing was there before; of one that came back, what it held when deleted.
    if before.cells.isEmpty { return }
    for cell in after.cells where cell.merge.isRegister {
      let held = before.register(cell.field)
      guard held?.dot != cell.dot else { continue }
      // What a lens had made before is what a person takes back to.
      let made = table.shown(cell.field, before).flatMap { $0.isComputed ? $0.value : nil }
      parts.append(
        .register(
          cell.field, old: made ?? held?.value ?? .null, oldDot: held?.dot, written: cell.dot))
    }
    for field in Set(after.cells.map(\.field)).union(before.cells.map(\.field)).sorted() {
      let counted = after.tally(field, of: site) &- before.tally(field, of: site)
      if counted != 0 { parts.append(.counted(field, counted)) }
      let (old, new) = (Set(before.members(field)), Set(after.members(field)))
      for element in new.subtracting(old).sorted(by: Value.isOrdered) {
        parts.append(.added(field, element))
      }
      for element in old.subtracting(new).sorted(by: Value.isOrdered) {
        parts.append(.removed(field, element))
      }
      addItems(field, before, after)
    }
  }

  private mutating func addItems(_ field: UInt32, _ before: RecordState, _ after: RecordState) {
    let old = before.items(field)
    let new = after.items(field)
    let (oldDots, newDots) = (Set(old.map(\.dot)), Set(new.map(\.dot)))
    for item in new where !oldDots.contains(item.dot) {
      parts.append(.inserted(field, item: item.dot))
    }
    for item in old {
      let place = before.place(of: item.dot, in: field)
      guard newDots.contains(item.dot) else {
        parts.append(
          .taken(field, item: item.dot, item.value, item.position, oldDot: place?.dot))
        continue
      }
      guard let place, let from = place.position,
        let written = after.place(of: item.dot, in: field), written.dot != place.dot
      else { continue }
      parts.append(
        .moved(field, item: item.dot, from: from, oldDot: place.dot, written: written.dot))
    }
  }
}

extension RecordState {
  /// The cell that says where an item stands.
  func place(of item: Dot, in field: UInt32) -> Cell? {
    cells.first { $0.field == field && $0.merge == .place && $0.namedItem == item }
  }
}
