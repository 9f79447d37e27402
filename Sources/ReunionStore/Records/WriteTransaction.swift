public import ReunionCore

/// A write that is under way: all of its changes take place together, or none does.
///
/// *Thread*: that of `Store.write`, and only until its closure returns.
public final class WriteTransaction {
  let records: RecordWriter
  let store: Store
  private let base: SpaceState
  private let clock: HybridClock
  private let fieldMerge: MergeKind
  var pending: [PendingRecord] = []
  private var positions: [RecordKey: Int] = [:]
  var isDirty = false
  /// Whether it changed what this device keeps to itself, beside records.
  var changesLocalTables = false
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

  /// The number of its space.
  var space: Int64 { base.number }

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
    if pending[position].base == nil { pending[position].append(.create) }
    for field in E.schema.fields {
      if field.kind.isGathered {
        let held = value(of: field, E.self, at: position)
        try assign(field.read(entity), to: field.number, over: held, at: position)
      } else {
        try set(field.number, kept(field.read(entity), in: field), at: position)
      }
    }
  }

  /// Writes the fields that differ from what is stored; a field that cannot be read here, as a newer
  /// app's, differs only where it was changed from its default. Of counters, sets and lists it writes
  /// the difference: what others add meanwhile stays.
  ///
  /// - Throws: `notFound` where there never was such a record, `valueTooLarge`.
  public func update<E: Entity>(_ entity: E) throws(StoreError) {
    let position = try existing(E.self, entity.id)
    for field in E.schema.fields {
      let value = field.read(entity)
      let held = self.value(of: field, E.self, at: position)
      guard value != held else { continue }
      if field.kind.isGathered {
        try assign(value, to: field.number, over: held, at: position)
      } else {
        let kept = try kept(value, in: field)
        if kept != held { try set(field.number, kept, at: position) }
      }
    }
  }

  /// Writes one field.
  ///
  /// - Throws: `notFound` where there never was such a record, `valueTooLarge`, `invalidModel`.
  public func set<E: Entity, V: FieldValue>(
    _ path: WritableKeyPath<E, V>, of id: RecordID, to value: V
  ) throws(StoreError) {
    let field = try E.schema.field(path)
    let position = try existing(E.self, id)
    try set(field.number, kept(value.storedValue, in: field), at: position)
  }

  /// Deletes a record; an edit that its author makes without having seen this brings it back.
  ///
  /// Deleting what is not there does nothing.
  public func delete<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) {
    let position = try position(of: RecordKey(entity: E.schema.number, id: id))
    guard isAlive(position) else { return }
    pending[position].append(.delete)
    isDirty = true
  }

  /// Writes one field by its number, for tools that have no Swift type of the entity.
  package func set(
    field: UInt32, of id: RecordID, entity: UInt32, to value: Value
  ) throws(StoreError) {
    let position = try position(of: RecordKey(entity: entity, id: id))
    if pending[position].base == nil, pending[position].operations.isEmpty {
      pending[position].append(.create)
    }
    try set(field, value, at: position)
  }

  /// Writes one field of a record of which something is known.
  func set(_ field: FieldID, to value: Value) throws(StoreError) {
    let position = try position(of: field.key)
    guard pending[position].base != nil || !pending[position].operations.isEmpty else {
      throw StoreError(.notFound, "There is no record \(field.record.description) here.")
    }
    try set(field.field, value, at: position)
  }

  /// The cells of a record before this transaction, nil where nothing was known of it.
  func base(_ key: RecordKey) throws(StoreError) -> RecordState? {
    pending[try position(of: key)].base?.state
  }

  /// The cells of a record, with what this transaction has done to it.
  func staged(_ key: RecordKey) throws(StoreError) -> RecordState {
    pending[try position(of: key)].staged().state
  }

  /// Does something to a record.
  func perform(
    _ operation: PendingRecord.Operation, on key: RecordKey
  ) throws(StoreError) {
    pending[try position(of: key)].append(operation)
    isDirty = true
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
    pending.append(PendingRecord(key: key, base: record))
    positions[key] = pending.count - 1
    return pending.count - 1
  }

  func existing<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) -> Int {
    let position = try position(of: RecordKey(entity: E.schema.number, id: id))
    guard pending[position].base != nil || !pending[position].operations.isEmpty else {
      throw StoreError(
        .notFound, "There is no \(E.schema.name) \(id.description) here: create it first.")
    }
    return position
  }

  private func isAlive(_ position: Int) -> Bool {
    pending[position].isAlive(fieldMerge: fieldMerge)
  }

  /// A field's value in this transaction, as the Swift type reads it.
  private func value<E: Entity>(of field: Field<E>, _: E.Type, at position: Int) -> Value {
    var entity = E(id: pending[position].key.id)
    let held =
      field.kind.isGathered
      ? pending[position].staged().state.gathered(field.number, as: field.kind)
      : pending[position].value(of: field.number)
    if let held { field.write(held, &entity) }
    return field.read(entity)
  }

  private func set(_ field: UInt32, _ value: Value, at position: Int) throws(StoreError) {
    try check(value, of: field)
    isDirty = true
    pending[position].set(field, value)
  }

  /// Throws where a value is too large for a cell.
  func check(_ value: Value, of field: UInt32) throws(StoreError) {
    guard value.bytes.count <= Value.bytesMax else {
      throw StoreError(
        .valueTooLarge,
        "The value of field \(field) has \(value.bytes.count) bytes: keep over 512 KiB as a blob.")
    }
  }

  // Writing

  func flush() throws(StoreError) {
    guard isDirty else { return }
    var provisional = clock
    _ = try write(clock: &provisional)
  }

  /// Writes everything at the end of the transaction; nil where it changed nothing.
  func finish(clock: inout HybridClock) throws(StoreError) -> (SpaceState, Touches)? {
    isOver = true
    pending.removeAll { $0.operations.isEmpty }
    guard !pending.isEmpty else { return nil }
    let space = try write(clock: &clock)
    var touches = Touches()
    for record in pending { touches.add(record.key, record.touchedFields) }
    return (space, touches)
  }

  private func write(clock: inout HybridClock) throws(StoreError) -> SpaceState {
    let replaced = pending.reduce(Stamp.none) { max($0, $1.replacedStamp) }
    let stamp = clock.next(wallMilliseconds: store.options.wallMilliseconds(), replacing: replaced)
    let site = store.site
    var space = base
    var seq = base.vector[site]
    for index in pending.indices where !pending[index].operations.isEmpty {
      var writer = OperationWriter(
        state: pending[index].base?.state ?? RecordState(), seq: seq, site: site, stamp: stamp,
        fieldMerge: fieldMerge)
      for (number, operation) in pending[index].operations.enumerated() {
        writer.perform(operation, number: number)
      }
      seq = writer.seq
      space.arrival += 1
      var record = StoredRecord(
        key: pending[index].key, state: writer.state, arrival: space.arrival)
      try records.write(record, over: pending[index].written, space: space.number)
      record.hasUnknownCells = true
      pending[index].written = record
    }
    space.vector.raise(site, to: seq)
    isDirty = false
    return space
  }
}
