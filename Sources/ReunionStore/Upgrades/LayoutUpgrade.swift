import ReunionCore
package import ReunionDisk

/// Brings the tables of a store to a model: new tables, new columns, and what was unknown into them.
///
/// *Durability*: one transaction. Rows keep their clocks and arrival numbers. Nothing is removed.
package struct LayoutUpgrade {
  package let connection: Connection
  package let model: Model

  package init(connection: Connection, model: Model) {
    self.connection = connection
    self.model = model
  }

  /// Upgrades, and returns the layout from now on.
  package func run() throws(StoreError) -> Layout {
    let old = try read()
    let texts = try TextIndexUpgrade(connection: connection, model: model)
    var new = try merged(old)
    new.textIndexes = texts.kept
    let views = try views(new)
    let names = FieldNames(model)
    let isRenamed = try !FieldNames(connection).contains(names)
    guard
      new.tables.map(\.columns) != old.tables.map(\.columns)
        || new.tables.map(\.entity) != old.tables.map(\.entity) || !views.isEmpty
        || isRenamed || texts.isNeeded
    else { return old }
    try connection.transaction { () throws(StoreError) in
      for table in new.tables where !table.isUnknown { try make(table, old: old, new: new) }
      for sql in views { try connection.execute(sql) }
      try texts.run(new)
      if isRenamed { try names.write(connection) }
    }
    new.textIndexes = texts.wanted
    return new
  }

  /// The layout that the store has.
  package func read() throws(StoreError) -> Layout {
    let statement = try connection.statement(
      "SELECT entity, field, kind FROM reunion_field ORDER BY entity, field")
    defer { statement.reset() }
    var tables: [(entity: UInt32, columns: [FieldColumn])] = []
    while try statement.step() {
      guard let entity = UInt32(exactly: statement.int(0)),
        let field = UInt32(exactly: statement.int(1)), let kind = UInt8(exactly: statement.int(2))
      else { throw statement.damaged("a field") }
      if tables.last?.entity != entity { tables.append((entity, [])) }
      guard field != Cell.existence else { continue }
      let column = FieldColumn(field: field, kind: ValueKind(rawValue: kind))
      tables[tables.count - 1].columns.append(column)
    }
    var layout = Layout(tables.map { Table(entity: $0.entity, columns: $0.columns) })
    layout.textIndexes = try TextIndexUpgrade.read(connection)
    return layout
  }

  /// The layout that the store has; throws where the model needs more.
  func readWhole() throws(StoreError) -> Layout {
    let old = try read()
    let new = try merged(old)
    guard new.tables.map(\.entity) == old.tables.map(\.entity),
      new.tables.map(\.columns) == old.tables.map(\.columns)
    else {
      throw StoreError(
        .invalidModel,
        "The model is newer than the store at \(connection.path): read it with an earlier"
          + " one, or salvage it first.")
    }
    return old
  }

  private func merged(_ old: Layout) throws(StoreError) -> Layout {
    var tables = old.tables.filter { !$0.isUnknown }
    for entity in model.entities {
      let index = tables.firstIndex { $0.entity == entity.number }
      var columns = index.map { tables[$0].columns } ?? []
      for field in entity.fields {
        if let column = columns.first(where: { $0.field == field.number }) {
          guard column.kind == field.kind else {
            throw StoreError(
              .invalidModel,
              "The field \(entity.name).\(field.name) had another kind: give it a new number.")
          }
        } else {
          columns.append(FieldColumn(field: field.number, kind: field.kind))
        }
      }
      let table = Table(entity: entity.number, columns: columns)
      if let index { tables[index] = table } else { tables.append(table) }
    }
    return Layout(tables)
  }

  private func make(_ table: Table, old: Layout, new: Layout) throws(StoreError) {
    let isNew = !old.isKnown(table.entity)
    let known = isNew ? [] : old.table(table.entity).columns
    let added = table.columns.filter { !known.contains($0) }
    guard isNew || !added.isEmpty else { return }
    if isNew {
      try connection.execute(table.create)
    } else {
      for column in added {
        try connection.execute("ALTER TABLE \(table.name) ADD COLUMN f\(column.field)")
      }
    }
    let insert = try connection.statement("INSERT INTO reunion_field VALUES(?1, ?2, ?3)")
    let rows = (isNew ? [FieldColumn(field: Cell.existence, kind: .null)] : []) + added
    for column in rows {
      try insert.bind(1, Int64(table.entity))
      try insert.bind(2, Int64(column.field))
      try insert.bind(3, Int64(column.kind.rawValue))
      try insert.run()
    }
    try moveRecords(of: table, isNew: isNew, old: old, new: new)
  }

  /// Writes each record that has unknown cells anew, into columns where there now are some.
  private func moveRecords(
    of table: Table, isNew: Bool, old: Layout, new: Layout
  ) throws(StoreError) {
    let source = RecordReader(connection, layout: isNew ? old : new)
    // What it logs of arrivals is never written: the records keep the numbers that they have in it.
    let writer = try RecordWriter(RecordReader(connection, layout: new))
    let sql =
      isNew
      ? "SELECT space, id FROM reunion_unknown_record WHERE entity = ?1"
      : "SELECT DISTINCT space, record FROM reunion_unknown_cell WHERE entity = ?1"
    let statement = try connection.statement(sql)
    try statement.bind(1, Int64(table.entity))
    var records: [(Int64, RecordID)] = []
    while try statement.step() { records.append((statement.int(0), try statement.identifier(1))) }
    for (space, id) in records {
      let key = RecordKey(entity: table.entity, id: id)
      guard let record = try source.record(key, space: space) else { continue }
      if isNew {
        try writer.remove(record, space: space)
        try writer.removeRow(key, from: old.unknown, space: space)
        try writer.write(record, over: nil, space: space)
      } else {
        try writer.write(record, over: record, space: space)
      }
    }
  }

  /// The SQL that makes the views, by the model's names; none where they are there already.
  private func views(_ layout: Layout) throws(StoreError) -> [String] {
    var wanted: [String: String] = [:]
    for entity in model.entities {
      let columns = entity.fields.map { field in
        let column = "f\(field.number)"
        let shown = field.initial.sqlLiteral.map { "ifnull(\(column), \($0))" } ?? column
        return ", \(shown) AS \(quoted(field.name))"
      }.joined()
      wanted[entity.name] =
        "CREATE VIEW \(quoted(entity.name)) AS SELECT id, "
        + "(SELECT id FROM reunion_space WHERE number = space) AS space, "
        + "(SELECT id FROM reunion_site WHERE number = creator) AS creator\(columns) "
        + "FROM \(layout.table(entity.number).name) WHERE alive"
    }
    var present: [String: String] = [:]
    let statement = try connection.statement(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
    while try statement.step() { present[statement.text(0)] = statement.text(1) }
    guard present != wanted else { return [] }
    return present.keys.sorted().map { "DROP VIEW \(quoted($0))" }
      + wanted.keys.sorted().compactMap { wanted[$0] }
  }

  private func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
