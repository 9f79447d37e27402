package import ReunionCore
package import ReunionDisk

/// Which record: its entity and its id.
package struct RecordKey: Hashable, Sendable {
  package let entity: UInt32
  package let id: RecordID

  package init(entity: UInt32, id: RecordID) {
    self.entity = entity
    self.id = id
  }

  init(_ name: RecordName) { self.init(entity: name.entity, id: name.record) }
}

/// A record as its row holds it.
package struct StoredRecord {
  package var key: RecordKey
  package var state: RecordState
  /// The number under which its last change arrived here.
  package var arrival: UInt64
  /// Whether some of its cells are in `reunion_unknown_cell`.
  package var hasUnknownCells = false

  package init(
    key: RecordKey, state: RecordState, arrival: UInt64, hasUnknownCells: Bool = false
  ) {
    self.key = key
    self.state = state
    self.arrival = arrival
    self.hasUnknownCells = hasUnknownCells
  }
}

/// Reads records, vectors and cursors on one connection.
///
/// *Thread*: that of its connection.
package final class RecordReader {
  package let connection: DatabaseConnection
  package let layout: Layout
  package let numbers: Numbers

  package init(_ connection: DatabaseConnection, layout: Layout) {
    self.connection = connection
    self.layout = layout
    numbers = Numbers(connection)
  }

  /// One record, nil where nothing is known of it.
  package func record(_ key: RecordKey, space: Int64) throws(StoreError) -> StoredRecord? {
    let table = layout.table(key.entity)
    let statement = try connection.statement(table.select)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, key.id)
    if table.isUnknown { try statement.bind(3, Int64(key.entity)) }
    guard try statement.step() else { return nil }
    return try row(statement, table: table, space: space)
  }

  /// The record of a row that a statement of its table stands on.
  func row(
    _ statement: Statement, table: Table, space: Int64
  ) throws(StoreError) -> StoredRecord {
    let id = try statement.identifier(0, RecordID.self)
    guard let entity = UInt32(exactly: statement.int(3)) else {
      throw statement.damaged("an entity")
    }
    let key = RecordKey(entity: entity, id: id)
    let clock: (entries: [PackedClock.Entry], hasMore: Bool)
    do throws(WireError) {
      clock = try PackedClock.decode(statement.bytes(2), table: table)
    } catch {
      throw statement.damaged("a clock")
    }
    var cells: [Cell] = []
    cells.reserveCapacity(clock.entries.count)
    for entry in clock.entries {
      var value = Value(kind: entry.kind, bytes: entry.bytes)
      if entry.merge.isRegister {
        guard let index = table.column(of: entry.field) else {
          throw statement.damaged("a clock")
        }
        let column = table.columns[index]
        let shown = try statement.value(Int32(4 + index), kind: column.kind)
        guard let held = column.cellValue(shown, kind: entry.kind) else {
          throw statement.damaged("a value")
        }
        value = held
      }
      cells.append(
        Cell(
          field: entry.field, merge: entry.merge,
          dot: Dot(site: try numbers.site(entry.site), seq: entry.seq),
          stamp: Stamp(rawValue: entry.stamp), replaced: Stamp(rawValue: entry.replaced),
          value: value))
    }
    if clock.hasMore { cells += try unknownCells(key, space: space) }
    return StoredRecord(
      key: key, state: RecordState(cells), arrival: UInt64(bitPattern: statement.int(1)),
      hasUnknownCells: clock.hasMore)
  }

  private func unknownCells(_ key: RecordKey, space: Int64) throws(StoreError) -> [Cell] {
    let statement = try connection.statement(
      """
      SELECT field, merge, site, seq, stamp, replaced, kind, value FROM reunion_unknown_cell \
      WHERE space = ?1 AND entity = ?2 AND record = ?3
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, Int64(key.entity))
    try statement.bind(3, key.id)
    var cells: [Cell] = []
    while try statement.step() {
      cells.append(try wholeCell(statement))
    }
    return cells
  }

  /// The cell of a row of the tables that keep cells whole.
  package func wholeCell(_ statement: Statement) throws(StoreError) -> Cell {
    Cell(
      field: UInt32(truncatingIfNeeded: statement.int(0)),
      merge: MergeKind(rawValue: UInt8(truncatingIfNeeded: statement.int(1))),
      dot: Dot(
        site: try numbers.site(statement.int(2)), seq: UInt64(bitPattern: statement.int(3))),
      stamp: Stamp(rawValue: UInt64(bitPattern: statement.int(4))),
      replaced: Stamp(rawValue: UInt64(bitPattern: statement.int(5))),
      value: Value(
        kind: ValueKind(rawValue: UInt8(truncatingIfNeeded: statement.int(6))),
        bytes: statement.bytes(7)))
  }

  /// What is held of each site in a space.
  package func vector(space: Int64) throws(StoreError) -> VersionVector {
    let statement = try connection.statement(
      """
      SELECT site, seq FROM reunion_vector WHERE space = ?1 \
      UNION ALL SELECT site, seq FROM reunion_space WHERE number = ?1 AND site IS NOT NULL
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    var vector = VersionVector()
    while try statement.step() {
      let seq = UInt64(bitPattern: statement.int(1))
      vector.raise(try numbers.site(statement.int(0)), to: seq)
    }
    return vector
  }

  /// The space of a number.
  func space(_ number: Int64) throws(StoreError) -> SpaceID {
    let statement = try connection.statement("SELECT id FROM reunion_space WHERE number = ?1")
    defer { statement.reset() }
    try statement.bind(1, number)
    guard try statement.step() else { throw statement.damaged("a space's number") }
    return try statement.identifier(0, SpaceID.self)
  }

  /// The row of a space; nil if there is none.
  package func spaceRow(_ space: Int64) throws(StoreError) -> SpaceRow? {
    let statement = try connection.statement(
      "SELECT arrival, site, seq, at, recent, tags FROM reunion_space WHERE number = ?1")
    defer { statement.reset() }
    try statement.bind(1, space)
    guard try statement.step() else { return nil }
    let tags: Tags
    do throws(WireError) {
      tags = try Tags(decoding: statement.bytes(5))
    } catch {
      throw statement.damaged("a space's tags")
    }
    return SpaceRow(
      arrival: UInt64(bitPattern: statement.int(0)),
      lastSite: statement.isNull(1) ? nil : statement.int(1),
      lastSeq: UInt64(bitPattern: statement.int(2)), lastAt: UInt64(bitPattern: statement.int(3)),
      recent: try Arrivals.keys(statement.bytes(4), statement), tags: tags)
  }

  /// The highest arrival number of a space.
  func arrival(space: Int64) throws(StoreError) -> UInt64 {
    let statement = try connection.statement(
      "SELECT arrival FROM reunion_space WHERE number = ?1")
    defer { statement.reset() }
    try statement.bind(1, space)
    return try statement.step() ? UInt64(bitPattern: statement.int(0)) : 0
  }

  /// The entities of which a space holds records, by number.
  package func entities(space: Int64) throws(StoreError) -> [UInt32] {
    var entities = layout.tables.map(\.entity).filter { $0 != 0 }
    let statement = try connection.statement(
      "SELECT DISTINCT entity FROM reunion_unknown_record WHERE space = ?1")
    defer { statement.reset() }
    try statement.bind(1, space)
    while try statement.step() { entities.append(UInt32(truncatingIfNeeded: statement.int(0))) }
    return entities.sorted()
  }

  /// Calls a closure with each record of an entity, by id.
  package func forEach(
    entity: UInt32, space: Int64, _ body: (StoredRecord) throws(StoreError) -> Void
  ) throws(StoreError) {
    let table = layout.table(entity)
    let statement = try connection.prepare(table.selectAll)
    defer { statement.finalize() }
    try statement.bind(1, space)
    if table.isUnknown { try statement.bind(3, Int64(entity)) }
    while try statement.step() { try body(try row(statement, table: table, space: space)) }
  }

  /// How many entities that the model lacks are each looked for among all records that it lacks.
  static let scannedEntitiesMax = 8

  /// Calls a closure with each record of a space, entity after entity and by id. Cost: reads every record
  /// once, however many entities a peer invents.
  package func forEach(
    space: Int64, _ body: (StoredRecord) throws(StoreError) -> Void
  ) throws(StoreError) {
    let entities = try entities(space: space)
    let known = entities.filter { !layout.table($0).isUnknown }
    guard entities.count - known.count > Self.scannedEntitiesMax else {
      for entity in entities { try forEach(entity: entity, space: space, body) }
      return
    }
    let keys = try connection.prepare(
      "SELECT entity, id FROM reunion_unknown_record WHERE space = ?1 ORDER BY entity, id")
    defer { keys.finalize() }
    try keys.bind(1, space)
    var later = known[...]
    while try keys.step() {
      let entity = UInt32(truncatingIfNeeded: keys.int(0))
      while let next = later.first, next < entity {
        try forEach(entity: later.removeFirst(), space: space, body)
      }
      let key = RecordKey(entity: entity, id: try keys.identifier(1))
      if let record = try record(key, space: space) { try body(record) }
    }
    for entity in later { try forEach(entity: entity, space: space, body) }
  }

  /// Calls a closure with each record that arrived after a number, in that order.
  func forEach(
    space: Int64, after arrival: UInt64, _ body: (StoredRecord) throws(StoreError) -> Void
  ) throws(StoreError) {
    try scan(space: space, after: arrival) { (record) throws(StoreError) in
      try body(record)
      return true
    }
  }

  /// Calls a closure with each record that arrived after a number, in that order, until it gives
  /// false.
  func scan(
    space: Int64, after arrival: UInt64, _ body: (StoredRecord) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let row = try spaceRow(space) else { return }
    let start = ArrivalLog.number(arrival, space: space)
    let recent = ArrivalLog.number(row.arrival + 1, space: space) - Int64(row.recent.count)
    if start < recent - 1 {
      guard try scanRows(space: space, after: start, body) else { return }
    }
    _ = try scan(row.recent, from: recent, after: start, space: space, body)
  }

  /// Scans the rows of the log; those that arrived last stand in the row of their space.
  private func scanRows(
    space: Int64, after start: Int64, _ body: (StoredRecord) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let statement = try connection.prepare(
      """
      SELECT number, records FROM reunion_arrival WHERE number >= ifnull((SELECT max(number) \
      FROM reunion_arrival WHERE number <= ?1), ?1) AND number < ?2 ORDER BY number
      """)
    defer { statement.finalize() }
    try statement.bind(1, start)
    try statement.bind(2, ArrivalLog.number(0, space: space + 1))
    while try statement.step() {
      let keys = try Arrivals.keys(statement.bytes(1), statement)
      guard try scan(keys, from: statement.int(0), after: start, space: space, body) else {
        return false
      }
    }
    return true
  }

  private func scan(
    _ keys: [RecordKey?], from first: Int64, after start: Int64, space: Int64,
    _ body: (StoredRecord) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    for (index, key) in keys.enumerated() where first + Int64(index) > start {
      // Where the record arrived again since, or was taken back, the entry is stale.
      guard let key, let record = try record(key, space: space),
        ArrivalLog.number(record.arrival, space: space) == first + Int64(index)
      else { continue }
      guard try body(record) else { return false }
    }
    return true
  }
}

/// A space as its row holds it.
package struct SpaceRow: Equatable {
  /// The highest arrival number.
  package var arrival: UInt64
  /// The site whose entry of the vector stands in the row, the entry, and at which arrival it rose.
  var lastSite: Int64?
  var lastSeq: UInt64
  var lastAt: UInt64
  /// The newest entries of the log of arrivals; the last one has the space's number.
  package var recent: [RecordKey?]
  var tags: Tags
}
