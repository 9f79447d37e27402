package import ReunionCore
package import ReunionDisk

/// Writes records, vectors and cursors on the connection that writes.
///
/// *Thread*: whoever holds the gate of writes, in a transaction.
package final class RecordWriter {
  package let reader: RecordReader
  var connection: DatabaseConnection { reader.connection }
  private var numbers: Numbers { reader.numbers }
  let patch: ClockPatch
  package let arrivals: ArrivalLog
  /// What notes from where vectors rise; nil for a writer that serves no peer.
  var rises: Rises?
  private var inserters: [ObjectIdentifier: RecordInserter?] = [:]
  private var setters: [UInt64: FieldSetter?] = [:]
  /// Whether living records were removed, of which no arrival tells.
  var hasRemovedLiving = false
  /// Whether records were erased, by space. Nobody else writes, so that it is asked once.
  private var hasErased: [Int64: Bool] = [:]
  /// The one that was used last: fields are often set in turn over many records.
  private var lastSetter: (key: UInt64, setter: FieldSetter?)?

  package init(_ reader: RecordReader) throws(StoreError) {
    self.reader = reader
    patch = try ClockPatch(reader.connection)
    arrivals = ArrivalLog(reader.connection)
  }

  /// Whether any record was erased in a space.
  func hasErasedRecords(space: Int64) throws(StoreError) -> Bool {
    if let known = hasErased[space] { return known }
    let known = try reader.hasErasedRecords(space: space)
    hasErased[space] = known
    return known
  }

  /// Keeps in mind that records are erased in a space; where the transaction fails, one asks in vain.
  func noteErasedRecord(space: Int64) { hasErased[space] = true }

  /// What inserts new records of a type; nil for those that go the long way.
  func inserter<E: Entity>(_ type: E.Type) throws(StoreError) -> RecordInserter? {
    if let known = inserters[ObjectIdentifier(type)] { return known }
    let inserter = try RecordInserter(type, layout: reader.layout, connection: connection)
    inserters[ObjectIdentifier(type)] = .some(inserter)
    return inserter
  }

  /// What sets a field; nil for those that go the long way.
  func setter(_ entity: UInt32, _ field: UInt32) throws(StoreError) -> FieldSetter? {
    let key = UInt64(entity) << 32 | UInt64(field)
    if let last = lastSetter, last.key == key { return last.setter }
    if let known = setters[key] {
      lastSetter = (key, known)
      return known
    }
    let setter = try FieldSetter(
      entity: entity, field: field, layout: reader.layout, connection: connection, patch: patch)
    setters[key] = .some(setter)
    return setter
  }

  /// Writes a record's row in place of what was there.
  ///
  /// - Returns: the blobs that it names and did not name before.
  @discardableResult
  package func write(
    _ record: StoredRecord, over previous: StoredRecord?, space: Int64
  ) throws(StoreError) -> [BlobReference] {
    try writeRow(
      record, isNew: previous == nil, hadUnknownCells: previous?.hasUnknownCells == true,
      space: space)
    if record.arrival != previous?.arrival {
      arrivals.add(record.arrival, record.key, space: space, replacing: previous?.arrival)
    }
    try writeTexts(record, over: previous, space: space)
    if let erased = RecordErasure.key(record) { try eraseRecord(erased, space: space) }
    return try writeReferences(record, over: previous, space: space)
  }

  /// Writes a record with the cells that it has into the columns that there are now, from the table
  /// that holds its row. It has the arrival that it had, and names the blobs that it named: no table
  /// but those of rows and of unknown cells is written.
  func move(_ record: StoredRecord, from table: Table, space: Int64) throws(StoreError) {
    let isNew = table.isUnknown
    if isNew { try removeRow(record.key, from: table, space: space) }
    try writeRow(record, isNew: isNew, hadUnknownCells: record.hasUnknownCells, space: space)
  }

  private func writeRow(
    _ record: StoredRecord, isNew: Bool, hadUnknownCells: Bool, space: Int64
  ) throws(StoreError) {
    let table = reader.layout.table(record.key.entity)
    var record = record
    if !table.bugs.isEmpty { record.state = table.mistaken(record.state) }
    var entries: [PackedClock.Entry] = []
    var values = [Value?](repeating: nil, count: table.columns.count)
    var others: [Cell] = []
    let computed = table.computed(record.state)
    for cell in record.state.cells {
      let column = table.column(for: cell)
      if let column { values[column] = table.columns[column].shown(cell.value) }
      // Where a lens made what the column shows, the clock does not name it: it is no cell.
      let isShown = computed.isEmpty || column.map { computed[$0] == nil } ?? true
      guard isShown && (column != nil || Self.isExistence(cell)) else {
        if let near = table.nearest(cell) { values[near.column] = near.value }
        others.append(cell)
        continue
      }
      entries.append(
        PackedClock.Entry(
          field: cell.field, merge: cell.merge, kind: cell.value.kind,
          site: try numbers.number(of: cell.dot.site), seq: cell.dot.seq,
          stamp: cell.stamp.rawValue, replaced: cell.replaced.rawValue,
          bytes: cell.merge == .deletion ? cell.value.bytes : []))
    }
    for (index, value) in computed { values[index] = value }
    for (index, column) in table.columns.enumerated() {
      values[index] = values[index] ?? column.gathered(from: record.state)
    }
    let statement = try connection.statement(isNew ? table.insert : table.update)
    try bindKey(statement, record.key, space: space, isUnknown: table.isUnknown)
    try statement.bind(4, Int64(record.state.isAlive ? 1 : 0))
    if let creation = record.state.creation {
      try statement.bind(5, try numbers.number(of: creation.dot.site))
    } else {
      try statement.bindNull(5)
    }
    try statement.bind(
      6, PackedClock.encode(entries, hasMore: !others.isEmpty, table: table))
    try statement.bind(7, Int64(bitPattern: record.arrival))
    for (index, value) in values.enumerated() {
      try statement.bind(Int32(8 + index), value ?? .null)
    }
    try statement.run()
    if !others.isEmpty || hadUnknownCells {
      try writeUnknown(others, record.key, space: space)
    }
  }

  /// Removes a record's row, cells and references; conflicts stay.
  package func remove(_ record: StoredRecord, space: Int64) throws(StoreError) {
    hasRemovedLiving = hasRemovedLiving || record.state.isAlive
    let table = reader.layout.table(record.key.entity)
    try removeRow(record.key, from: table, space: space)
    arrivals.forget(record.arrival, space: space)
    if record.hasUnknownCells { try writeUnknown([], record.key, space: space) }
    try writeTexts(nil, over: record, space: space)
    let nothing = StoredRecord(key: record.key, state: RecordState(), arrival: 0)
    _ = try writeReferences(nothing, over: record, space: space)
  }

  /// Removes a row from one table.
  private func removeRow(_ key: RecordKey, from table: Table, space: Int64) throws(StoreError) {
    let statement = try connection.statement(table.delete)
    try bindKey(statement, key, space: space, isUnknown: table.isUnknown)
    try statement.run()
  }

  private static func isExistence(_ cell: Cell) -> Bool {
    guard cell.field == Cell.existence else { return false }
    return cell.merge == .deletion || cell.merge == .creation && cell.value.bytes.isEmpty
  }

  func bindKey(
    _ statement: Statement, _ key: RecordKey, space: Int64, isUnknown: Bool
  ) throws(StoreError) {
    try statement.bind(1, space)
    try statement.bind(2, key.id)
    if isUnknown { try statement.bind(3, Int64(key.entity)) }
  }

  private func writeUnknown(
    _ cells: [Cell], _ key: RecordKey, space: Int64
  ) throws(StoreError) {
    let delete = try connection.statement(
      "DELETE FROM reunion_unknown_cell WHERE space = ?1 AND record = ?2 AND entity = ?3")
    try bindKey(delete, key, space: space, isUnknown: true)
    try delete.run()
    var last: Cell?
    var twins: Int64 = 0
    // Two parts under one number are of two histories of a site that nobody has told apart yet. Both stay:
    // the kind of the second one is higher by 256, and whoever reads it takes the lowest byte alone.
    for cell in cells {
      let isTwin = last.map { ($0.field, $0.merge, $0.dot) == (cell.field, cell.merge, cell.dot) }
      twins = isTwin == true ? twins + 1 : 0
      last = cell
      let insert = try connection.statement(
        """
        INSERT INTO reunion_unknown_cell\
        (space, record, entity, field, merge, site, seq, stamp, replaced, kind, value) \
        VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """)
      try bindKey(insert, key, space: space, isUnknown: true)
      try bindCell(insert, cell)
      if twins > 0 { try insert.bind(5, Int64(cell.merge.rawValue) + 256 * twins) }
      try insert.run()
    }
  }

  /// Binds a cell whole, from position 4 on.
  func bindCell(_ statement: Statement, _ cell: Cell) throws(StoreError) {
    try statement.bind(4, Int64(cell.field))
    try statement.bind(5, Int64(cell.merge.rawValue))
    try statement.bind(6, try numbers.number(of: cell.dot.site))
    try statement.bind(7, Int64(bitPattern: cell.dot.seq))
    try statement.bind(8, Int64(bitPattern: cell.stamp.rawValue))
    try statement.bind(9, Int64(bitPattern: cell.replaced.rawValue))
    try statement.bind(10, Int64(cell.value.kind.rawValue))
    try statement.bind(11, cell.value.bytes)
  }

  /// Keeps the rows of blob references equal to the cells; the newly named blobs are returned.
  private func writeReferences(
    _ record: StoredRecord, over previous: StoredRecord?, space: Int64
  ) throws(StoreError) -> [BlobReference] {
    let new = Self.references(record.state)
    let old = previous.map { Self.references($0.state) } ?? []
    if new.isEmpty && old.isEmpty { return [] }
    let key = record.key
    for (field, blob) in old where !new.contains(where: { $0 == (field, blob) }) {
      let delete = try connection.statement(
        """
        DELETE FROM reunion_blob_reference \
        WHERE space = ?1 AND record = ?2 AND entity = ?3 AND field = ?4 AND hash = ?5
        """)
      try bindKey(delete, key, space: space, isUnknown: true)
      try delete.bind(4, Int64(field))
      try delete.bind(5, blob.hash.bytes)
      try delete.run()
      // A space that lets go of bytes may want them again.
      if try reader.holdsBlob(blob.hash) { try addTenant(space, of: blob.hash) }
    }
    if let previous, !previous.state.isSurelyAlive, !previous.state.isAlive, record.state.isAlive {
      for (_, blob) in new { try unmark(blob.hash) }
    }
    var added: [BlobReference] = []
    for (field, blob) in new where !old.contains(where: { $0 == (field, blob) }) {
      let insert = try connection.statement(
        """
        INSERT OR REPLACE INTO reunion_blob_reference\
        (space, record, entity, field, hash, byte_count) VALUES(?1, ?2, ?3, ?4, ?5, ?6)
        """)
      try bindKey(insert, key, space: space, isUnknown: true)
      try insert.bind(4, Int64(field))
      try insert.bind(5, blob.hash.bytes)
      try insert.bind(6, Int64(bitPattern: blob.byteCount))
      try insert.run()
      // What was unused before counts from anew when it is again.
      try unmark(blob.hash)
      try removeTenant(space, of: blob.hash)
      added.append(blob)
    }
    return added
  }

  private static func references(_ state: RecordState) -> [(UInt32, BlobReference)] {
    state.cells.compactMap { cell in cell.value.blob.map { (cell.field, $0) } }
  }
}
