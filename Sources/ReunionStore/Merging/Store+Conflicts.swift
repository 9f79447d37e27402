import FoundationEssentials
public import ReunionCore
public import ReunionDisk
public import ReunionFlow

/// Losers of true conflicts are kept until somebody decides: on each device where the two writes
/// met (one that got the winner alone never heard of the other), and of each field the last four.
/// Counters, sets and lists have none: there nothing loses.
///
/// The list is this device's own: what is restored or dismissed here stays on the lists of others.
extension Store {
  /// The conflicts of a space that nobody has decided here, the latest loser first. What lost in a
  /// field that became another one is listed under that.
  ///
  /// ```swift
  /// for conflict in try store.conflicts(in: space) {
  ///   print(conflict)
  ///   try store.write(in: space) { try $0.dismiss(conflict) }
  /// }
  /// ```
  /// A conflict whose losing value is in the field again, because another device restored it, is
  /// not listed. *Cost*: one look-up for each conflict.
  public func conflicts(in space: SpaceID) throws -> [Conflict] {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      return try reader.conflicts(model, space: number)
    }
  }

  /// The conflicts of one record that nobody has decided here, the latest loser first.
  public func conflicts<E: Entity>(
    of _: E.Type, _ id: RecordID, in space: SpaceID
  ) throws -> [Conflict] {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      return try reader.conflicts(
        model, of: RecordKey(entity: E.schema.number, id: id), space: number)
    }
  }

  /// The conflicts of a space, now and after each commit that changes them.
  ///
  /// ```swift
  /// let conflicts = try store.liveConflicts(in: space)
  /// let watching = conflicts.observe { print("To decide:", $0.count) }
  /// watching.cancel()
  /// ```
  /// *Thread* and *lifetime*: as for `live(_:)`, and in one turn with it. *Cost*: reads the list at
  /// each commit in the space.
  public func liveConflicts(in space: SpaceID) throws -> Signal<[Conflict]> {
    try following(space) { [model] (reader, number) throws(StoreError) in
      try number.map { (number) throws(StoreError) in try reader.conflicts(model, space: number) }
        ?? []
    }
  }
}

extension WriteTransaction {
  /// Writes the value that lost, like any other write, and takes the conflict off the list. A
  /// deleted record comes back by it. With `write(in:undo:_:)` the write can be undone, and the
  /// list stays without it.
  ///
  /// - Throws: `notFound` if it is no longer on the list: it was restored or dismissed, or four
  ///   later ones replaced it. Read the list again then.
  public func restore(_ conflict: Conflict) throws(StoreError) {
    try dismiss(conflict)
    try set(conflict.field, to: conflict.lost)
  }

  /// Takes a conflict off the list, for good; the field keeps its value. Other devices keep theirs.
  ///
  /// - Throws: `notFound` as `restore(_:)`.
  public func dismiss(_ conflict: Conflict) throws(StoreError) {
    guard try records.removeConflict(conflict, space: space) else {
      throw StoreError(
        .notFound, "The conflict is no longer on the list: read the list again.")
    }
    changesLocalTables = true
  }
}

extension RecordReader {
  fileprivate func conflicts(
    _ model: Model, of key: RecordKey? = nil, space: Int64
  ) throws(StoreError) -> [Conflict] {
    let statement = try connection.statement(
      """
      SELECT field, merge, site, seq, stamp, replaced, kind, value, entity, record \
      FROM reunion_conflict WHERE space = ?1\(key == nil ? "" : " AND entity = ?2 AND record = ?3") \
      ORDER BY stamp DESC, number DESC
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    if let key {
      try statement.bind(2, Int64(key.entity))
      try statement.bind(3, key.id)
    }
    var conflicts: [Conflict] = []
    var rows: [(key: RecordKey, cell: Cell)] = []
    while try statement.step() {
      let key = RecordKey(
        entity: UInt32(truncatingIfNeeded: statement.int(8)), id: try statement.identifier(9))
      rows.append((key, try wholeCell(statement)))
    }
    for (key, cell) in rows {
      let table = layout.table(key.entity)
      // A device that wrote a field made by a lens wrote the old one, too: that is one conflict.
      let isWayBack = rows.contains { other in
        other.key == key && other.cell.stamp == cell.stamp && other.cell.dot.site == cell.dot.site
          && table.lenses(reading: cell.field).contains { $0.makes(other.cell.field) }
      }
      guard !isWayBack, let state = try record(key, space: space)?.state else { continue }
      let (field, lost) = table.shownLoser(cell)
      guard let standing = table.standing(field, state), standing != lost else { continue }
      conflicts.append(
        Conflict(
          field: FieldID(entity: key.entity, record: key.id, field: field), lost: lost,
          date: Date(timeIntervalSince1970: Double(cell.stamp.milliseconds) / 1000),
          standing: standing, name: model.name(of: field, in: key.entity),
          author: cell.dot.site, dot: cell.dot, keptIn: cell.field))
    }
    return conflicts
  }
}

extension RecordWriter {
  /// Whether there was such a conflict.
  fileprivate func removeConflict(
    _ conflict: Conflict, space: Int64
  ) throws(StoreError) -> Bool {
    guard let site = try reader.numbers.existingNumber(of: conflict.dot.site) else { return false }
    let delete = try reader.connection.statement(
      """
      DELETE FROM reunion_conflict WHERE space = ?1 AND entity = ?2 AND record = ?3 AND field = ?4 \
      AND site = ?5 AND seq = ?6 RETURNING stamp
      """)
    defer { delete.reset() }
    try delete.bind(1, space)
    try delete.bind(2, Int64(conflict.field.entity))
    try delete.bind(3, conflict.field.record)
    try delete.bind(4, Int64(conflict.keptIn))
    try delete.bind(5, site)
    try delete.bind(6, Int64(bitPattern: conflict.dot.seq))
    guard try delete.step() else { return false }
    let stamp = delete.int(0)
    try delete.run()
    let table = reader.layout.table(conflict.field.entity)
    for column in table.columns where table.isLinked(column.field, conflict.keptIn) {
      let twins = try reader.connection.statement(
        """
        DELETE FROM reunion_conflict WHERE space = ?1 AND entity = ?2 AND record = ?3 \
        AND field = ?4 AND site = ?5 AND stamp = ?6
        """)
      try twins.bind(1, space)
      try twins.bind(2, Int64(conflict.field.entity))
      try twins.bind(3, conflict.field.record)
      try twins.bind(4, Int64(column.field))
      try twins.bind(5, site)
      try twins.bind(6, stamp)
      try twins.run()
    }
    return true
  }
}

extension Table {
  /// The field and the value that a person knows of a write that lost: of a field that became
  /// another one, what that would show.
  fileprivate func shownLoser(_ cell: Cell) -> (field: UInt32, value: Value) {
    let value = column(of: cell.field).flatMap { columns[$0].shown(cell.value) } ?? cell.value
    for lens in lenses(reading: cell.field) {
      guard lens.sources.count == 1, lens.targets.count == 1, lens.sources[0].isHidden, !lens.fills,
        let made = lens.forward([value])
      else { continue }
      return (lens.targets[0].field, made[0])
    }
    return (cell.field, value)
  }
}
