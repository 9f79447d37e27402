import ReunionCore
package import ReunionDisk

/// What a store has of entities and fields: tables, columns, names, views and indexes of words.
struct StoredLayout {
  /// The version of the file's own tables.
  let format: Int
  /// The tables and the indexes of words.
  let layout: Layout
  /// The columns that do not simply hold their cells.
  let columns: ShownColumns
  /// The names that the store keeps, those of hidden fields too.
  let names: FieldNames
  /// The SQL of each view, by its name.
  let views: [String: String]
  /// The SQL of each index over fields, by its name.
  let indexes: [String: String]
  /// By entity: the records of which a column, or the table, that a model adds has something to take
  /// in.
  let unknownRecords: [UInt32: Int]
  /// How many records the tables have, deleted ones too; counted where all of them are written anew.
  let records: [UInt32: Int]
  /// By entity that a model shows no longer: its living records, and how many fields refer to one.
  let hidden: [UInt32: (records: Int, references: Int)]

  /// Reads what a store has, and how many rows an upgrade to a model is about. *Cost*: a handful of
  /// pages; where the model adds or removes something, a look through what is unknown or refers to
  /// it.
  init(_ connection: DatabaseConnection, for model: Model?) throws(StoreError) {
    format = Int(try connection.number("PRAGMA user_version") ?? 0)
    let layout = try Layout(connection)
    self.layout = layout
    columns = try ShownColumns(connection)
    names = try FieldNames(connection)
    var views: [String: String] = [:]
    let select = try connection.statement("SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
    defer { select.reset() }
    while try select.step() { views[select.text(0)] = select.text(1) }
    self.views = views
    indexes = try IndexUpgrade.read(connection)
    var unknown: [UInt32: Int] = [:]
    for entity in model?.entities ?? [] {
      let sql: String
      if layout.isKnown(entity.number) {
        let added = layout.added(entity)
        guard !added.isEmpty else { continue }
        sql = "SELECT count(*) FROM (\(RecordMove.select(of: entity.number, added)))"
      } else {
        sql = "SELECT count(*) FROM reunion_unknown_record WHERE entity = \(entity.number)"
      }
      unknown[entity.number] = Int(try connection.number(sql) ?? 0)
    }
    unknownRecords = unknown.filter { $0.value > 0 }
    var records: [UInt32: Int] = [:]
    let wanted = try model.map { (model) throws(StoreError) in
      ShownColumns(try layout.adding(model))
    }
    for table in layout.tables where !table.isUnknown {
      guard let wanted, !wanted.fields(of: table.entity, otherThanIn: columns).isEmpty else {
        continue
      }
      records[table.entity] = Int(
        try connection.number("SELECT count(*) FROM \(table.name)") ?? 0)
    }
    self.records = records
    var hidden: [UInt32: (Int, Int)] = [:]
    for table in layout.tables where !table.isUnknown && model != nil {
      guard let name = names.entity(table.entity), views[name] != nil,
        model?.entities.contains(where: { $0.number == table.entity }) == false
      else { continue }
      hidden[table.entity] = try Self.count(table, in: layout, connection)
    }
    self.hidden = hidden
  }

  /// The living records of an entity, and how many fields of living records name one of them.
  private static func count(
    _ table: Table, in layout: Layout, _ connection: DatabaseConnection
  ) throws(StoreError) -> (Int, Int) {
    let records = try connection.number("SELECT count(*) FROM \(table.name) WHERE alive") ?? 0
    guard records > 0 else { return (0, 0) }
    var references: Int64 = 0
    for other in layout.tables where other.entity != table.entity {
      for column in other.columns where column.kind == .reference {
        references +=
          try connection.number(
            """
            SELECT count(*) FROM \(other.name) AS o JOIN \(table.name) AS t \
            ON t.space = o.space AND t.id = o.f\(column.field) WHERE o.alive AND t.alive
            """) ?? 0
      }
    }
    return (Int(records), Int(references))
  }

  /// Whether no model has opened the store yet.
  var isNew: Bool { layout.tables.count == 1 && views.isEmpty && unknownRecords.isEmpty }

  /// What its views show of entities. One that is not exact is in other words than this version's,
  /// and counts as if it showed every column.
  var shown: [(view: EntityView, isExact: Bool)] {
    layout.tables.filter { !$0.isUnknown }.compactMap { table in
      guard let name = names.entity(table.entity), let sql = views[name] else { return nil }
      let columns = names.columns(of: table)
      let view = EntityView(sql: sql, entity: table.entity, name: name, fields: columns)
      return (view ?? EntityView(entity: table.entity, name: name, columns: columns), view != nil)
    }
  }
}

extension FieldNames {
  /// The columns of a table that have names, as a view shows them.
  func columns(of table: Table) -> [EntityView.Column] {
    table.columns.compactMap { column in
      field(column.field, of: table.entity).map {
        EntityView.Column(
          field: column.field, name: $0, initial: initial(column.field, of: table.entity))
      }
    }
  }
}

extension Layout {
  /// The layout that a store has.
  package init(_ connection: DatabaseConnection) throws(StoreError) {
    let shown = try ShownColumns(connection)
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
      let clockKind = ValueKind(rawValue: kind)
      let column = FieldColumn(
        field: field, kind: shown.kind(of: field, entity) ?? clockKind, clockKind: clockKind)
      tables[tables.count - 1].columns.append(column)
    }
    self.init(tables.map { Table(entity: $0.entity, columns: $0.columns) })
    textIndexes = try TextIndexUpgrade.read(connection)
  }

  /// The fields of an entity for which it has no column.
  func added(_ entity: EntityDescription) -> [FieldDescription] {
    guard isKnown(entity.number) else { return entity.columns }
    let table = table(entity.number)
    return entity.columns.filter { table.column(of: $0.number) == nil }
  }

  /// With the tables and columns that a model needs beside its own.
  ///
  /// - Throws: `invalidModel` where a field has another kind than it had.
  func adding(_ model: Model) throws(StoreError) -> Layout {
    var tables = tables.filter { !$0.isUnknown }
    for entity in model.entities {
      let index = tables.firstIndex { $0.entity == entity.number }
      var columns = index.map { tables[$0].columns } ?? []
      for field in entity.columns {
        guard let index = columns.firstIndex(where: { $0.field == field.number }) else { continue }
        let column = columns[index]
        guard column.kind.widens(to: field.kind) else {
          throw StoreError(
            .invalidModel,
            "The field \(entity.name).\(field.name) had another kind: give it a new number.")
        }
        columns[index] = FieldColumn(
          field: field.number, kind: field.kind, clockKind: column.clockKind)
      }
      let added = added(entity).map { FieldColumn(field: $0.number, kind: $0.kind) }
      let table = Table(
        entity: entity.number, columns: columns + added, lenses: entity.lenses)
      if let index { tables[index] = table } else { tables.append(table) }
    }
    return Layout(tables)
  }
}

extension EntityDescription {
  /// The fields that have a column: those of the model, and what its lenses read and make beside them.
  var columns: [FieldDescription] {
    var columns = fields
    for end in lenses.flatMap({ $0.sources + $0.targets })
    where !columns.contains(where: { $0.number == end.field }) {
      columns.append(
        FieldDescription(number: end.field, name: "field \(end.field)", kind: end.kind))
    }
    return columns
  }
}
