import ReunionCore

/// What a transaction does to one record, in the order in which it was asked for.
struct PendingRecord {
  enum Operation {
    case create
    case delete
    case set(UInt32, Value)
    case add(UInt32, Int64)
    /// What the site's part of a field of tallies is from now on.
    case tally(UInt32, Int64)
    case insertMember(UInt32, Value)
    case removeMember(UInt32, Value)
    case insertItem(UInt32, Value, Position)
    case place(UInt32, ItemName, Position)
    case removeItem(UInt32, ItemName)
  }

  /// An item by its dot, or by the number of the operation that inserts it: its dot is not final
  /// before the transaction ends.
  enum ItemName {
    case held(Dot)
    case inserted(Int)
  }

  let key: RecordKey
  let base: StoredRecord?
  private(set) var operations: [Operation] = []
  private var cache: StagedRecord?

  init(key: RecordKey, base: StoredRecord?) {
    self.key = key
    self.base = base
  }

  mutating func append(_ operation: Operation) {
    operations.append(operation)
    cache?.perform(operation, number: operations.count - 1)
  }

  /// Sets a field, in place of what was set since the last delete.
  mutating func set(_ field: UInt32, _ value: Value) {
    for index in operations.indices.reversed() {
      switch operations[index] {
      case .delete: return append(.set(field, value))
      case .set(field, _):
        operations[index] = .set(field, value)
        cache = nil
        return
      default: continue
      }
    }
    append(.set(field, value))
  }

  /// The record with everything done to it; its changes have provisional numbers.
  mutating func staged() -> StagedRecord {
    if let cache { return cache }
    var staged = StagedRecord(
      state: base?.state ?? RecordState(), seq: 0, site: StagedRecord.provisionalSite,
      stamp: Stamp(rawValue: Stamp.limit.rawValue - 1), fieldMerge: .register)
    for (number, operation) in operations.enumerated() {
      staged.perform(operation, number: number)
    }
    cache = staged
    return staged
  }

  /// The value of a field of one cell, as its column shows it.
  mutating func value(of field: UInt32, _ table: Table) -> Value? {
    for case .set(field, let value) in operations.reversed() { return value }
    let state = operations.isEmpty || !table.hasLens(field) ? base?.state : staged().state
    return state.flatMap { table.shown(field, $0) }?.value
  }

  /// Sets what lenses read to what comes back of the fields that they make, where those are set. What is
  /// set itself stays so, and what a lens refuses to take back keeps its value.
  mutating func addWaysBack(_ table: Table) {
    guard !table.lenses.isEmpty else { return }
    let lastDelete = operations.lastIndex { if case .delete = $0 { true } else { false } } ?? -1
    for lens in table.lenses.reversed() {
      var set: Set<UInt32> = []
      for case .set(let field, _) in operations[(lastDelete + 1)...] { set.insert(field) }
      guard lens.targets.contains(where: { set.contains($0.field) }) else { continue }
      let targets = lens.targets.map { value(of: $0.field, table) ?? .null }
      guard let sources = lens.back(targets), table.isWithinLimits(sources, of: lens) else {
        continue
      }
      for (source, value) in zip(lens.sources, sources) where !set.contains(source.field) {
        append(.set(source.field, value))
      }
    }
  }

  func isAlive(fieldMerge: MergeKind) -> Bool {
    operations.reduce(base?.state.isAlive ?? false) { isAlive, operation in
      switch operation {
      case .create: true
      case .delete: false
      case .set: isAlive || fieldMerge == .register
      default: true
      }
    }
  }

  /// The latest stamp that the operations replace, except of some cells: theirs must be higher. What may
  /// decide what a written field shows is replaced with it.
  func replacedStamp(_ table: Table, except isExcepted: (Cell) -> Bool) -> Stamp {
    var stamp = Stamp.none
    for cell in base?.state.cells ?? [] where cell.stamp > stamp && !isExcepted(cell) {
      if operations.contains(where: { $0.replaces(cell, table) }) { stamp = cell.stamp }
    }
    return stamp
  }

  /// The fields that the operations write, and those that show them; all where the record may begin or
  /// end to live by them.
  func touchedFields(_ table: Table) -> FieldSet {
    guard let base, base.state.isSurelyAlive else { return .all }
    let written = operations.reduce(into: FieldSet.none) { fields, operation in
      switch operation {
      case .create, .delete: fields = .all
      case .set(let field, _), .add(let field, _), .tally(let field, _),
        .insertMember(let field, _), .removeMember(let field, _), .insertItem(let field, _, _),
        .place(let field, _, _),
        .removeItem(let field, _):
        fields.formUnion(FieldSet(field))
      }
    }
    return table.touched(written)
  }
}

extension PendingRecord.Operation {
  /// Whether it must have a later stamp than a cell of its record: a field's that of its register,
  /// a delete and a change of a collection every one.
  fileprivate func replaces(_ cell: Cell, _ table: Table) -> Bool {
    switch self {
    case .create: false
    case .set(let field, _): cell.merge.isRegister && table.isLinked(field, cell.field)
    default: true
    }
  }
}
