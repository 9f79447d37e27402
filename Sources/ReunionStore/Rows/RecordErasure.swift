package import ReunionCore
import ReunionDisk

/// The erasure of a record as a record: an entity that every model has, and none may take.
///
/// Its id is made of what it erases, so that everybody who erases a record in a space makes the same one.
/// That its field is there, alive or not, erases: it is final. A replica that holds it holds nothing of
/// the erased record, and takes nothing of it.
enum RecordErasure {
  static let entity = ReservedEntity.recordErasure
  /// The field that holds the entity's number and the record's id, as bytes.
  static let keyField: UInt32 = 1

  static func id(of key: RecordKey) -> RecordID {
    RecordID(bytes: Array(SHA256.hash(bytes(of: key)).prefix(16))) ?? RecordID(high: 0, low: 0)
  }

  static func value(of key: RecordKey) -> Value { .bytes(bytes(of: key)) }

  /// The record that a record of the entity erases; nil where it says none, or another than its id.
  static func key(_ record: StoredRecord) -> RecordKey? {
    guard record.key.entity == entity, let value = record.state.register(keyField)?.value else {
      return nil
    }
    return key(value, of: record.key.id)
  }

  fileprivate static func key(_ value: Value, of record: RecordID) -> RecordKey? {
    guard value.kind == .bytes, value.bytes.count == 20,
      let erased = RecordID(bytes: Array(value.bytes.dropFirst(4)))
    else { return nil }
    let number = value.bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let key = RecordKey(entity: number, id: erased)
    // What tells of erasures is not erased.
    guard id(of: key) == record, number < ReservedEntity.firstNumber else { return nil }
    return key
  }

  private static func bytes(of key: RecordKey) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(key.entity)
    writer.identifier(key.id)
    return writer.bytes
  }
}

extension Change {
  /// The entity and the record that it erases for good, where it does.
  package var erased: (entity: UInt32, record: RecordID)? {
    guard entity == RecordErasure.entity, cell.field == RecordErasure.keyField,
      let key = RecordErasure.key(cell.value, of: record)
    else { return nil }
    return (key.entity, key.id)
  }
}

extension StoreError {
  static func recordErased(_ key: RecordKey) -> StoreError {
    StoreError(
      .recordErased,
      "The record \(key.id.description) was deleted for good: make a new one instead.")
  }
}

extension RecordReader {
  /// Whether any record was erased in a space. Cost: one look into an index.
  func hasErasedRecords(space: Int64) throws(StoreError) -> Bool {
    let statement = try connection.statement(
      """
      SELECT EXISTS (SELECT 1 FROM reunion_unknown_cell WHERE space = ?1 \
      AND entity = \(RecordErasure.entity))
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    return try statement.step() && statement.int(0) == 1
  }

  /// Whether a record was erased. Cost: one look into an index.
  func isErased(_ key: RecordKey, space: Int64) throws(StoreError) -> Bool {
    let statement = try connection.statement(
      """
      SELECT 1 FROM reunion_unknown_cell WHERE space = ?1 AND entity = \(RecordErasure.entity) \
      AND record = ?2 AND field = \(RecordErasure.keyField)
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, RecordErasure.id(of: key))
    return try statement.step()
  }
}

extension RecordWriter {
  /// Whether a record was erased. Cost: nothing in a space in which none was.
  func isErased(_ key: RecordKey, space: Int64) throws(StoreError) -> Bool {
    guard try hasErasedRecords(space: space) else { return false }
    return try reader.isErased(key, space: space)
  }

  /// Drops all that is held of a record that was erased: its row and cells, conflicts, and the undo steps
  /// that have values of it.
  func eraseRecord(_ key: RecordKey, space: Int64) throws(StoreError) {
    noteErasedRecord(space: space)
    if let held = try reader.record(key, space: space) { try remove(held, space: space) }
    try removeTraces(of: key, space: space)
  }

  /// Removes the conflicts of a record, and the undo steps that have values of it.
  func removeTraces(of key: RecordKey, space: Int64) throws(StoreError) {
    let connection = reader.connection
    let conflicts = try connection.statement(
      "DELETE FROM reunion_conflict WHERE space = ?1 AND record = ?2 AND entity = ?3")
    try conflicts.bind(1, space)
    try conflicts.bind(2, key.id)
    try conflicts.bind(3, Int64(key.entity))
    try conflicts.run()
    let steps = try connection.statement(
      "DELETE FROM reunion_undo WHERE space = ?1 AND instr(step, ?2) > 0")
    try steps.bind(1, space)
    try steps.bind(2, key.id)
    try steps.run()
  }
}
