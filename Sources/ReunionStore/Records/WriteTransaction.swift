public import ReunionCore

/// A write that is under way: all of its changes take place together, or none does.
///
/// *Thread*: that of `Store.write`, and only until its closure returns.
public final class WriteTransaction {
  enum Operation {
    case create
    case set(UInt32, Value)
    case delete
  }

  struct Pending {
    let base: StoredRecord?
    var written: StoredRecord?
    let key: RecordKey
    var operations: [Operation] = []
  }

  let records: RecordWriter
  private let store: Store
  private let base: SpaceState
  private let clock: HybridClock
  private let fieldMerge: MergeKind
  private var pending: [Pending] = []
  private var positions: [RecordKey: Int] = [:]
  private var isDirty = false
  private var isOver = false

  init(
    store: Store, records: RecordWriter, space: SpaceState, clock: HybridClock,
    fieldMerge: MergeKind
  ) {
    self.store = store
    self.records = records
    base = space
    self.clock = clock
    self.fieldMerge = fieldMerge
  }

  /// An id for a new record.
  public func newID() -> RecordID { store.newID() }

  /// Creates a record: writes its creation and every field. A deleted record comes back.
  ///
  /// - Throws: `alreadyExists` where a record of this id lives, `valueTooLarge`.
  public func create<E: Entity>(_ entity: E) throws(StoreError) {
    let position = try position(of: RecordKey(entity: E.schema.number, id: entity.id))
    guard !isAlive(position) else {
      throw StoreError(
        .alreadyExists, "A \(E.schema.name) \(entity.id.description) exists: update it instead.")
    }
    if pending[position].base == nil { pending[position].operations.append(.create) }
    for field in E.schema.fields { try set(field.number, field.read(entity), at: position) }
  }

  /// Writes the fields that differ from what is stored; a field that cannot be read here, as a newer
  /// app's, differs only where it was changed from its default.
  ///
  /// - Throws: `notFound` where there never was such a record, `valueTooLarge`.
  public func update<E: Entity>(_ entity: E) throws(StoreError) {
    let position = try existing(E.self, entity.id)
    var stored = E(id: entity.id)
    for field in E.schema.fields {
      if let value = value(of: field.number, at: position) { field.write(value, &stored) }
    }
    for field in E.schema.fields {
      let value = field.read(entity)
      if value != field.read(stored) { try set(field.number, value, at: position) }
    }
  }

  /// Writes one field.
  ///
  /// - Throws: `notFound` where there never was such a record, `valueTooLarge`, `invalidModel`.
  public func set<E: Entity, V: FieldValue>(
    _ path: WritableKeyPath<E, V>, of id: RecordID, to value: V
  ) throws(StoreError) {
    let field = try E.schema.field(path)
    try set(field.number, value.storedValue, at: try existing(E.self, id))
  }

  /// Deletes a record; an edit that its author makes without having seen this brings it back.
  ///
  /// Deleting what is not there does nothing.
  public func delete<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) {
    let position = try position(of: RecordKey(entity: E.schema.number, id: id))
    guard isAlive(position) else { return }
    pending[position].operations.append(.delete)
    isDirty = true
  }

  /// Writes one field by its number, for tools that have no Swift type of the entity.
  package func set(
    field: UInt32, of id: RecordID, entity: UInt32, to value: Value
  ) throws(StoreError) {
    let position = try position(of: RecordKey(entity: entity, id: id))
    if pending[position].base == nil, pending[position].operations.isEmpty {
      pending[position].operations.append(.create)
    }
    try set(field, value, at: position)
  }

  /// One record, with what this transaction has done to it; nil where there is none alive.
  public func fetch<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) -> E? {
    try flush()
    return try records.reader.fetch(E.self, id, space: base.number)
  }

  /// The records that a query finds, with what this transaction has done. The query's own space does
  /// not count: a transaction is in one.
  public func fetch<E: Entity>(_ query: Query<E>) throws(StoreError) -> [E] {
    try flush()
    return try records.reader.fetch(query, space: base.number)
  }

  // The state of a record in this transaction

  private func position(of key: RecordKey) throws(StoreError) -> Int {
    guard !isOver else {
      throw StoreError(.closed, "The transaction is over: use it in its closure only.")
    }
    if let position = positions[key] { return position }
    let record = try records.reader.record(key, space: base.number)
    pending.append(Pending(base: record, written: record, key: key))
    positions[key] = pending.count - 1
    return pending.count - 1
  }

  private func existing<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) -> Int {
    let position = try position(of: RecordKey(entity: E.schema.number, id: id))
    guard pending[position].base != nil || !pending[position].operations.isEmpty else {
      throw StoreError(
        .notFound, "There is no \(E.schema.name) \(id.description) here: create it first.")
    }
    return position
  }

  private func isAlive(_ position: Int) -> Bool {
    let wasAlive = pending[position].base?.state.isAlive ?? false
    return pending[position].operations.reduce(wasAlive) { isAlive, operation in
      switch operation {
      case .create: true
      case .set: isAlive || fieldMerge == .register
      case .delete: false
      }
    }
  }

  private func value(of field: UInt32, at position: Int) -> Value? {
    for case .set(field, let value) in pending[position].operations.reversed() { return value }
    return pending[position].base?.state.register(field)?.value
  }

  private func set(_ field: UInt32, _ value: Value, at position: Int) throws(StoreError) {
    guard value.bytes.count <= Value.bytesMax else {
      throw StoreError(
        .valueTooLarge,
        "The value of field \(field) has \(value.bytes.count) bytes: keep over 512 KiB as a blob.")
    }
    isDirty = true
    var index = pending[position].operations.count - 1
    search: while index >= 0 {
      switch pending[position].operations[index] {
      case .delete: break search
      case .set(field, _):
        pending[position].operations[index] = .set(field, value)
        return
      default: index -= 1
      }
    }
    pending[position].operations.append(.set(field, value))
  }

  // Writing

  private func flush() throws(StoreError) {
    guard isDirty else { return }
    var provisional = clock
    _ = try write(clock: &provisional)
  }

  /// Writes everything at the end of the transaction; nil where it changed nothing.
  func finish(clock: inout HybridClock) throws(StoreError) -> (SpaceState, Set<UInt32>)? {
    isOver = true
    pending.removeAll { $0.operations.isEmpty }
    guard !pending.isEmpty else { return nil }
    let space = try write(clock: &clock)
    return (space, Set(pending.map(\.key.entity)))
  }

  private func write(clock: inout HybridClock) throws(StoreError) -> SpaceState {
    let replaced = pending.reduce(Stamp.none) { max($0, Self.replacedStamp($1)) }
    let stamp = clock.next(wallMilliseconds: store.options.wallMilliseconds(), replacing: replaced)
    let site = store.site
    var space = base
    var seq = base.vector[site]
    for index in pending.indices where !pending[index].operations.isEmpty {
      var record = StoredRecord(
        key: pending[index].key, state: pending[index].base?.state ?? RecordState(), arrival: 0)
      for operation in pending[index].operations {
        seq += 1
        let dot = Dot(site: site, seq: seq)
        _ = record.state.merge(cell(operation, dot: dot, stamp: stamp, in: record.state))
      }
      space.arrival += 1
      record.arrival = space.arrival
      try records.write(record, over: pending[index].written, space: space.number)
      record.hasUnknownCells = true
      pending[index].written = record
    }
    space.vector.raise(site, to: seq)
    isDirty = false
    return space
  }

  private func cell(
    _ operation: Operation, dot: Dot, stamp: Stamp, in state: RecordState
  ) -> Cell {
    switch operation {
    case .create:
      return Cell(
        field: Cell.existence, merge: .creation, dot: dot, stamp: stamp, value: .null)
    case .set(let field, let value):
      let held = state.register(field)?.stamp ?? .none
      return Cell(
        field: field, merge: fieldMerge, dot: dot, stamp: stamp,
        replaced: held < stamp ? held : .none, value: value)
    case .delete:
      return Cell(
        field: Cell.existence, merge: .deletion, dot: dot, stamp: stamp,
        value: Cell.deletionValue(seen: state.seen))
    }
  }

  private static func replacedStamp(_ pending: Pending) -> Stamp {
    guard let state = pending.base?.state else { return .none }
    return pending.operations.reduce(Stamp.none) { stamp, operation in
      switch operation {
      case .create: stamp
      case .set(let field, _): max(stamp, state.register(field)?.stamp ?? .none)
      case .delete: max(stamp, state.latestStamp)
      }
    }
  }
}
