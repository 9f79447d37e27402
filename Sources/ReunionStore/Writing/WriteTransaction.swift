public import ReunionCore
public import ReunionDisk

/// A write that is under way: all of its changes take place together, or none does.
///
/// ```swift
/// try store.write(in: space) { transaction in
///   let photo = try transaction.create(Photo.self) { $0.caption = "Harbour" }
///   try transaction.insert("sea", into: \Photo.tags, of: photo.id)
/// }
/// ```
/// *Thread*: that of `Store.write(in:_:)`, and only until its closure returns: later calls throw
/// `closed`.
///
/// *Errors*: let an error end the write. A call that throws may have done a part: what a closure
/// commits after it caught `valueTooLarge` has the fields before the large one.
public final class WriteTransaction {
  let records: RecordWriter
  let store: Store
  private let spaceID: SpaceID
  private let base: SpaceState
  private var clock: HybridClock
  /// The author of the changes: this store's site, the stamp of all changes, the numbers of the
  /// last ones.
  private var author: RecordInserter.Author
  /// The site under which it writes.
  let site: Site
  /// The records that must be put together before they are written.
  var pending: [PendingRecord] = []
  private var positions: [RecordKey: Int] = [:]
  var touches = Touches()
  /// Whether it changed what this device keeps to itself, beside records.
  var changesLocalTables = false
  /// Whether each record is kept as it was before and after, so that the write can be undone.
  private let isRecorded: Bool
  private(set) var recorded: [RecordKey: (before: RecordState, after: RecordState)] = [:]
  private var isOver = false
  /// The error of a write that may have been done in part.
  private var failure: StoreError?

  init(
    store: Store, records: RecordWriter, in spaceID: SpaceID, _ space: SpaceState,
    clock: HybridClock, fieldMerge: MergeKind, isRecorded: Bool = false
  ) throws(StoreError) {
    self.store = store
    self.spaceID = spaceID
    self.isRecorded = isRecorded
    self.records = records
    base = space
    self.clock = clock
    site = store.site(in: spaceID)
    let stamp = self.clock.next(
      wallMilliseconds: store.options.wallMilliseconds(), replacing: .none,
      seq: space.vector[site])
    author = RecordInserter.Author(
      site: try records.reader.numbers.number(of: site), stamp: stamp, merge: fieldMerge,
      seq: space.vector[site], arrival: space.arrival)
  }

  /// The number of its space.
  var space: Int64 { base.number }

  /// An id for a new record, as `Store.newID()`.
  public func newID() -> RecordID { store.newID() }

  /// Creates a record: writes its creation and every field, but for those that a lens fills
  /// (`Lens.fill`) and that have their default. If its id is that of a deleted record, that one
  /// comes back with these fields.
  ///
  /// Two devices that create one id while apart make one record: each field has the later value,
  /// and the creator is the one who was first.
  /// - Throws: `alreadyExists` if a record with this id is alive: update it instead. `recordErased`
  ///   if it was erased for good, `blobErased` for such a blob, `valueTooLarge`, `notEncodable`,
  ///   and `invalidModel` for an entity that the store's model lacks.
  public func create<E: Entity>(_ entity: E) throws(StoreError) {
    let key = RecordKey(entity: E.schema.number, id: entity.id)
    if try insert(entity, key) { return }
    try records.reader.layout.require(E.self)
    let position = try position(of: key)
    guard !isAlive(position) else {
      throw StoreError(
        .alreadyExists, "A \(E.schema.name) \(entity.id.description) exists: update it instead.")
    }
    try whole(at: position) { () throws(StoreError) in
      if pending[position].base == nil { pending[position].append(.create) }
      let blank = E(id: entity.id)
      for field in E.schema.fields {
        if field.kind.isGathered {
          let held = value(of: field, E.self, at: position)
          try assign(field.read(entity), to: field.number, over: held, at: position)
        } else if isFilled(field.number, at: position), field.read(entity) == field.read(blank) {
          continue
        } else {
          try set(field.number, kept(field.read(entity), in: field), at: position)
        }
      }
    }
  }

  /// Writes the fields that differ from the stored ones. For counters, sets and lists it writes the
  /// difference, so that what others add meanwhile stays.
  ///
  /// It compares with what is stored now, and not with what was there when the record was fetched.
  /// A copy that a screen has held for an hour takes back what others wrote within that hour.
  /// `update(_:_:)` with a closure starts from the record as it is.
  ///
  /// A field that this app cannot read, such as a newer app's, differs only if you changed it from
  /// its default. A deleted record comes back if any field differs.
  /// - Throws: `notFound` if there never was such a record; `recordErased`, `blobErased`,
  ///   `valueTooLarge`, `notEncodable`, `invalidModel` as `create(_:)`.
  public func update<E: Entity>(_ entity: E) throws(StoreError) {
    let position = try existing(E.self, entity.id)
    try whole(at: position) { () throws(StoreError) in
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
  }

  /// Writes one field, even if it has that value already: the write is later than others' and wins.
  /// For most fields it is one look-up. A deleted record comes back by it.
  ///
  /// For a counter, a set or a list it writes the difference, as `update(_:)` does.
  /// - Throws: `notFound` if there never was such a record; `invalidModel` if the schema has no
  ///   field at the path; `recordErased`, `blobErased`, `valueTooLarge`, `notEncodable` as
  ///   `create(_:)`.
  public func set<E: Entity, V: FieldValue>(
    _ path: WritableKeyPath<E, V>, of id: RecordID, to value: V
  ) throws(StoreError) {
    let schema = E.schema
    let index = try schema.index(path)
    let key = RecordKey(entity: schema.number, id: id)
    let isGathered = schema.fields[index].kind.isGathered
    if !isGathered, try set(schema.numbers[index], of: key, to: value) { return }
    let field = schema.fields[index]
    let position = try existing(E.self, id)
    guard !isGathered else {
      let held = self.value(of: field, E.self, at: position)
      return try whole(at: position) { () throws(StoreError) in
        try assign(value.storedValue, to: field.number, over: held, at: position)
      }
    }
    try set(field.number, kept(value.storedValue, in: field), at: position)
  }

  /// Deletes a record, and does to those that name it what the model says (`DeleteRule`). Its
  /// values stay on the disk, so that an edit by somebody who has not seen the deletion brings it
  /// back whole; `erase(_:_:)` takes them away.
  ///
  /// Deleting a record that is not there or deleted does nothing.
  /// - Throws: `referenced` where another record refuses, and then nothing of it is done;
  ///   `recordErased` if it was erased for good, `invalidModel`.
  public func delete<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) {
    try records.reader.layout.require(E.self)
    let key = RecordKey(entity: E.schema.number, id: id)
    guard isAlive(try position(of: key)) else { return }
    try deleteNamed(key)
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
    if let before = recorded[key]?.before { return before }
    return pending[try position(of: key)].base?.state
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
  }

  /// Throws for a query of another space.
  func requireOwn(_ queried: SpaceID) throws(StoreError) {
    guard queried == spaceID else {
      throw StoreError(
        .otherSpace,
        "The query is for the space \(queried.description), the write is in"
          + " \(spaceID.description): fetch it from the store before the write.")
    }
  }

  // The state of a record in this transaction

  private func position(of key: RecordKey) throws(StoreError) -> Int {
    try requireOpen()
    if let position = positions[key] { return position }
    let record = try records.reader.record(key, space: base.number)
    if record == nil { try requireNotErased(key) }
    pending.append(PendingRecord(key: key, base: record))
    positions[key] = pending.count - 1
    return pending.count - 1
  }

  /// Throws for a record that was erased for good.
  private func requireNotErased(_ key: RecordKey) throws(StoreError) {
    guard try records.isErased(key, space: base.number) else { return }
    throw StoreError.recordErased(key)
  }

  /// Does several things to a record, all of them or none: a closure may catch what is thrown, and go on.
  private func whole(
    at position: Int, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let before = pending[position]
    do throws(StoreError) {
      try body()
    } catch {
      pending[position] = before
      throw error
    }
  }

  func existing<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) -> Int {
    try records.reader.layout.require(E.self)
    let position = try position(of: RecordKey(entity: E.schema.number, id: id))
    guard pending[position].base != nil || !pending[position].operations.isEmpty else {
      throw StoreError(
        .notFound, "There is no \(E.schema.name) \(id.description) here: create it first.")
    }
    return position
  }

  func isAlive(_ key: RecordKey) throws(StoreError) -> Bool { isAlive(try position(of: key)) }

  private func isAlive(_ position: Int) -> Bool {
    pending[position].isAlive(fieldMerge: author.merge)
  }

  /// A field's value in this transaction, as the Swift type reads it.
  private func value<E: Entity>(of field: Field<E>, _: E.Type, at position: Int) -> Value {
    var entity = E(id: pending[position].key.id)
    let held =
      field.kind.isGathered
      ? pending[position].staged().state.gathered(field.number, as: field.kind)
      : pending[position].value(of: field.number, table(pending[position].key))
    if let held { field.write(held, &entity) }
    return field.read(entity)
  }

  /// Whether a lens fills a field, which nobody has written.
  private func isFilled(_ field: UInt32, at position: Int) -> Bool {
    table(pending[position].key).lenses.contains { $0.fills && $0.makes(field) }
      && pending[position].staged().state.register(field) == nil
  }

  private func set(_ field: UInt32, _ value: Value, at position: Int) throws(StoreError) {
    let entity = pending[position].key.entity
    try check(
      value, of: field, in: entity, bytesMax: records.reader.layout.bytesMax(of: field, entity))
    pending[position].set(field, value)
  }

  /// Throws where a value is too large for a cell, or for what the model says.
  func check(
    _ value: Value, of field: UInt32, in entity: UInt32, bytesMax: Int? = nil
  ) throws(StoreError) {
    let bytesMax = bytesMax ?? Value.bytesMax
    guard value.kind == .notEncodable || value.bytes.count > bytesMax else { return }
    let name = store.model.name(of: field, in: entity)
    guard value.kind != .notEncodable else { throw StoreError.notEncodable(name) }
    throw StoreError.valueTooLarge(name, byteCount: value.bytes.count, bytesMax: bytesMax)
  }

  // Writing

  /// Inserts a new record at once; false if it must be put together first.
  private func insert<E: Entity>(_ entity: E, _ key: RecordKey) throws(StoreError) -> Bool {
    try requireOpen()
    guard !isRecorded, positions.isEmpty || positions[key] == nil else { return false }
    try requireNotErased(key)
    do throws(StoreError) {
      guard let inserter = try records.inserter(E.self),
        try inserter.insert(entity, space: base.number, by: &author)
      else { return false }
    } catch {
      // The long way refuses it too, and names the field.
      guard error.code != .valueTooLarge else { return false }
      throw failed(error)
    }
    records.arrivals.add(author.arrival, key, space: base.number, replacing: nil)
    touches.add(key, .all)
    return true
  }

  /// Sets a field at once; false if the record must be put together first.
  private func set<V: FieldValue>(
    _ field: UInt32, of key: RecordKey, to value: V
  ) throws(StoreError) -> Bool {
    try requireOpen()
    guard !isRecorded, positions.isEmpty || positions[key] == nil else { return false }
    do throws(StoreError) {
      guard let setter = try records.setter(key.entity, field),
        try setter.set(
          value, of: key.id, space: base.number, firstSeq: base.vector[site], by: &author)
      else { return false }
    } catch {
      guard error.code != .valueTooLarge else { return false }
      throw failed(error)
    }
    records.arrivals.add(
      author.arrival, key, space: base.number,
      replacing: UInt64(bitPattern: records.patch.arrival))
    touches.add(key, FieldSet(field))
    return true
  }

  /// Throws where the transaction is over, or where something of it could not be written: then all
  /// of it fails, even if the closure goes on.
  private func requireOpen() throws(StoreError) {
    if let failure { throw failure }
    guard !isOver else {
      throw StoreError(.closed, "The transaction is over: use it only in its closure.")
    }
  }

  /// Keeps the error of a write that may have been done in part.
  private func failed(_ error: StoreError) -> StoreError {
    failure = failure ?? error
    return error
  }

  /// Ends it, also where its closure threw.
  func end() { isOver = true }

  /// Writes everything at the end of the transaction; nil where it changed nothing.
  func finish(clock: inout HybridClock) throws(StoreError) -> (SpaceState, Touches)? {
    try flush()
    isOver = true
    guard !touches.isEmpty else { return nil }
    clock = self.clock
    var written = base
    written.arrival = author.arrival
    written.vector.raise(site, to: author.seq)
    return (written, touches)
  }

  /// Writes what was put together so far.
  func flush() throws(StoreError) {
    try requireOpen()
    let changed = pending.filter { !$0.operations.isEmpty }
    pending.removeAll()
    positions.removeAll()
    guard !changed.isEmpty else { return }
    do throws(StoreError) {
      try write(changed)
    } catch {
      throw failed(error)
    }
  }

  private func table(_ key: RecordKey) -> Table { records.reader.layout.table(key.entity) }

  private func write(_ changed: [PendingRecord]) throws(StoreError) {
    var changed = changed
    if !store.options.seededBugs.wayBackForgotten {
      for index in changed.indices { changed[index].addWaysBack(table(changed[index].key)) }
    }
    let replaced = changed.reduce(Stamp.none) {
      max($0, $1.replacedStamp(table($1.key), except: isOwn))
    }
    let isRaised =
      replaced >= author.stamp && !store.options.seededBugs.stampNotRaised
    if isRaised { try raiseStamp(over: replaced) }
    for record in changed {
      // What this transaction had written of it may have been stamped anew.
      let base = isRaised ? try records.reader.record(record.key, space: space) : record.base
      var staged = StagedRecord(
        state: base?.state ?? RecordState(), seq: author.seq, site: site, stamp: author.stamp,
        fieldMerge: author.merge)
      for (number, operation) in record.operations.enumerated() {
        staged.perform(operation, number: number)
      }
      author.seq = staged.seq
      author.arrival += 1
      let named = try records.write(
        StoredRecord(key: record.key, state: staged.state, arrival: author.arrival),
        over: base, space: space)
      // A program that added bytes and names them has said whose they are.
      for blob in named { try records.removeTenant(BlobTenant.program, of: blob.hash) }
      touches.add(record.key, record.touchedFields(table(record.key)))
      if isRecorded {
        let before = recorded[record.key]?.before ?? base?.state ?? RecordState()
        recorded[record.key] = (before, staged.state)
      }
    }
  }

  /// Whether this transaction wrote a cell.
  private func isOwn(_ cell: Cell) -> Bool {
    cell.dot.site == site && cell.dot.seq > base.vector[site]
  }

  /// Gives all of the transaction a stamp after one that it replaces: a peer's clock is ahead.
  private func raiseStamp(over replaced: Stamp) throws(StoreError) {
    let old = author.stamp
    author.stamp = clock.next(
      wallMilliseconds: store.options.wallMilliseconds(), replacing: replaced,
      seq: base.vector[site])
    for key in Set(records.arrivals.added(base.number)) {
      guard let record = try records.reader.record(key, space: base.number) else { continue }
      var raised = record
      raised.state = RecordState(
        record.state.cells.map { cell in
          guard isOwn(cell), cell.stamp == old else { return cell }
          var raised = cell
          raised.stamp = author.stamp
          return raised
        })
      try records.write(raised, over: record, space: base.number)
    }
  }
}
