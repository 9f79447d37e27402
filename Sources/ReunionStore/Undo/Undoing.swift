import ReunionCore
import ReunionDisk

/// Writes the opposite of a step in a transaction, except where somebody has written since.
struct Undoing {
  let transaction: WriteTransaction
  let device: UInt64
  /// What stays as somebody has written it since.
  private(set) var kept: [FieldID] = []
  /// What the step had made, and is deleted when the rest is undone.
  private var deleted: [RecordKey] = []
  /// The changes that are written anew, by where their new dots will be found.
  private var rewritten: [(key: RecordKey, place: Place, dot: Dot)] = []

  private enum Place {
    case register(UInt32)
    case item(UInt32, number: Int)
    case place(UInt32, item: Dot)
    case placeOfItem(UInt32, number: Int)
  }

  init(_ transaction: WriteTransaction) {
    self.transaction = transaction
    device = transaction.site.device
  }

  mutating func run(_ step: UndoStep) throws(StoreError) {
    for record in step.records.reversed() { try undo(record) }
    for key in try transaction.deleteUnlessRefused(deleted) { keep(key) }
  }

  /// What earlier dots are called now, after the transaction has written.
  func newNames() -> [Dot: Dot] {
    var names: [Dot: Dot] = [:]
    for (record, states) in transaction.recorded {
      let state = states.after
      let held = Set(states.before.cells.map(\.dot))
      for (key, place, dot) in rewritten where key == record {
        func inserted(_ field: UInt32, _ number: Int) -> Dot? {
          let new = state.cells.filter {
            $0.field == field && $0.merge == .item && !held.contains($0.dot)
          }.map(\.dot).sorted()
          return number < new.count ? new[number] : nil
        }
        names[dot] =
          switch place {
          case .register(let field): state.register(field)?.dot
          case .item(let field, let number): inserted(field, number)
          case .place(let field, let item): state.place(of: item, in: field)?.dot
          case .placeOfItem(let field, let number):
            inserted(field, number).flatMap { state.place(of: $0, in: field)?.dot }
          }
      }
    }
    return names
  }

  private mutating func undo(_ record: UndoStep.Record) throws(StoreError) {
    guard let state = try transaction.base(record.key) else { return keep(record.key) }
    switch record.existence {
    case .lived:
      guard state.isAlive else { return keep(record.key) }
      _ = try undo(record.parts, of: record.key, state)
    case .appeared(let seen):
      guard state.isAlive else { return keep(record.key) }
      let others = state.cells.filter { isByOthers($0, since: seen) }
      guard others.isEmpty else {
        for cell in others { keep(record.key, cell.field) }
        return
      }
      _ = try undo(record.parts, of: record.key, state)
      deleted.append(record.key)
    case .vanished(let seen):
      let isDeletedByOthers = state.cells.contains {
        $0.merge == .deletion && isByOthers($0, since: seen)
      }
      guard state.isAlive || !isDeletedByOthers else { return keep(record.key) }
      let isRevived = try undo(record.parts, of: record.key, state)
      if !state.isAlive, !isRevived { try touch(record.key, state) }
    case .absent:
      // What writes into a deleted record brings it back, unless it is deleted again.
      if try undo(record.parts, of: record.key, state), !state.isAlive {
        try transaction.perform(.delete, on: record.key)
      }
    }
  }

  private func isByOthers(_ cell: Cell, since seen: VersionVector) -> Bool {
    cell.dot.site.device != device && !seen.covers(cell.dot)
  }

  private mutating func keep(_ key: RecordKey, _ field: UInt32 = Cell.existence) {
    let id = FieldID(entity: key.entity, record: key.id, field: field)
    if !kept.contains(id) { kept.append(id) }
  }

  /// Brings a record back whole, by writing something of it as it is.
  private mutating func touch(_ key: RecordKey, _ state: RecordState) throws(StoreError) {
    let table = transaction.records.reader.layout.table(key.entity)
    // A field that no lens reads or makes, if there is one: another shows nothing else then.
    let registers = state.cells.filter { $0.merge.isRegister }
    let cell = registers.first { !table.hasLens($0.field) } ?? registers.first
    if let cell {
      rewritten.append((key, .register(cell.field), cell.dot))
      let made = table.shown(cell.field, state).flatMap { $0.isComputed ? $0.value : nil }
      return try transaction.perform(.set(cell.field, made ?? cell.value), on: key)
    }
    for cell in state.cells {
      switch cell.merge {
      case .tally: return try transaction.perform(.add(cell.field, 0), on: key)
      case .member: return try transaction.perform(.insertMember(cell.field, cell.value), on: key)
      case .place:
        guard let item = cell.namedItem, let position = cell.position else { continue }
        rewritten.append((key, .place(cell.field, item: item), cell.dot))
        return try transaction.perform(.place(cell.field, .held(item), position), on: key)
      default: continue
      }
    }
    keep(key)
  }

  // Fields

  /// Whether anything was written.
  private mutating func undo(
    _ parts: [UndoStep.Part], of key: RecordKey, _ state: RecordState
  ) throws(StoreError) -> Bool {
    var isAny = false
    let table = transaction.records.reader.layout.table(key.entity)
    let standing = Self.standing(parts, state, table)
    var insertedCounts: [UInt32: Int] = [:]
    for part in parts {
      var operation: PendingRecord.Operation?
      switch part {
      case .register(let field, let old, let oldDot, _):
        guard standing.contains(field) else {
          // What lenses read follows what they make.
          if !Self.isFollowing(field, parts, table) { keep(key, field) }
          continue
        }
        if let oldDot { rewritten.append((key, .register(field), oldDot)) }
        operation = .set(field, old)
      case .counted(let field, let amount): operation = .add(field, 0 &- amount)
      case .added(let field, let element): operation = remove(element, field, key, state)
      case .removed(let field, let element):
        if !state.members(field).contains(element) { operation = .insertMember(field, element) }
      case .inserted(let field, let item):
        operation = removeItem(item, field, key, state)
      case .taken(let field, let item, let value, let position, let oldDot):
        guard let position else { continue }
        let number = insertedCounts[field, default: 0]
        insertedCounts[field] = number + 1
        rewritten.append((key, .item(field, number: number), item))
        if let oldDot { rewritten.append((key, .placeOfItem(field, number: number), oldDot)) }
        operation = .insertItem(field, value, position)
      case .moved(let field, let item, let from, let oldDot, let written):
        guard state.place(of: item, in: field)?.dot == written else {
          keep(key, field)
          continue
        }
        rewritten.append((key, .place(field, item: item), oldDot))
        operation = .place(field, .held(item), from)
      }
      guard let operation else { continue }
      try transaction.perform(operation, on: key)
      isAny = true
    }
    return isAny
  }

  /// The fields of which the step's write still shows. A field that lenses read is taken back by itself
  /// only with all that they make of it; else it follows by the way back.
  private static func standing(
    _ parts: [UndoStep.Part], _ state: RecordState, _ table: Table
  ) -> Set<UInt32> {
    var standing: Set<UInt32> = []
    for case .register(let field, _, _, let written) in parts
    where table.stands(written, in: field, state) { standing.insert(field) }
    func isBroken(_ field: UInt32) -> Bool {
      let made = table.lenses(reading: field).filter { !$0.fills }.flatMap(\.targets)
      return isFollowing(field, parts, table) && !made.allSatisfy { standing.contains($0.field) }
    }
    while let broken = standing.first(where: isBroken) { standing.remove(broken) }
    return standing
  }

  /// Whether the step wrote a field because it wrote what lenses make of it.
  private static func isFollowing(
    _ field: UInt32, _ parts: [UndoStep.Part], _ table: Table
  ) -> Bool {
    parts.contains { part in
      guard case .register(let other, _, _, _) = part else { return false }
      return table.lenses(reading: field).contains { $0.makes(other) && !$0.fills }
    }
  }

  /// Removes an element that the step added, unless somebody else has added it since.
  private mutating func remove(
    _ element: Value, _ field: UInt32, _ key: RecordKey, _ state: RecordState
  ) -> PendingRecord.Operation? {
    let additions = state.cells.filter {
      $0.field == field && $0.merge == .member && $0.value == element
    }
    guard additions.allSatisfy({ $0.dot.site.device == device }) else {
      keep(key, field)
      return nil
    }
    return additions.isEmpty ? nil : .removeMember(field, element)
  }

  /// Removes an item that the step inserted, unless somebody else has moved it since.
  private mutating func removeItem(
    _ item: Dot, _ field: UInt32, _ key: RecordKey, _ state: RecordState
  ) -> PendingRecord.Operation? {
    guard state.items(field).contains(where: { $0.dot == item }) else { return nil }
    let place = state.place(of: item, in: field)
    guard place == nil || place?.dot.site.device == device else {
      keep(key, field)
      return nil
    }
    return .removeItem(field, .held(item))
  }
}
