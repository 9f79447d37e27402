import ReunionCore

/// The view by which SQL sees an entity: its fields by name, what they begin with where nothing was
/// written, and living records alone.
struct EntityView: Equatable {
  /// A field as a view shows it.
  struct Column: Equatable {
    let field: UInt32
    let name: String
    let initial: Value

    var sql: String {
      let column = "f\(field)"
      let shown = initial.sqlLiteral.map { "ifnull(\(column), \($0))" } ?? column
      return ", \(shown) AS \(EntityView.quoted(name))"
    }
  }

  let entity: UInt32
  let name: String
  let columns: [Column]

  init(entity: UInt32, name: String, columns: [Column]) {
    self.entity = entity
    self.name = name
    self.columns = columns
  }

  /// The view that a model wants.
  init(_ entity: EntityDescription) {
    self.init(
      entity: entity.number, name: entity.name,
      columns: entity.fields.map {
        Column(field: $0.number, name: $0.name, initial: $0.initial)
      })
  }

  /// What a view's SQL shows of an entity whose fields have these names; nil where it is in other
  /// words than ours.
  init?(sql: String, entity: UInt32, name: String, fields: [Column]) {
    let whole = EntityView(entity: entity, name: name, columns: [])
    guard sql.hasPrefix(whole.start), sql.hasSuffix(whole.end) else { return nil }
    var rest = sql.dropFirst(whole.start.count).dropLast(whole.end.count)
    var columns: [Column] = []
    for field in fields where rest.hasPrefix(field.sql) {
      columns.append(field)
      rest = rest.dropFirst(field.sql.count)
    }
    guard rest.isEmpty else { return nil }
    self.init(entity: entity, name: name, columns: columns)
  }

  private var start: String {
    "CREATE VIEW \(Self.quoted(name)) AS SELECT id, "
      + "(SELECT id FROM reunion_space WHERE number = space) AS space, "
      + "(SELECT id FROM reunion_site WHERE number = creator) AS creator"
  }

  private var end: String { " FROM \(Table.name(of: entity)) WHERE alive" }

  /// The SQL that makes it.
  var create: String { start + columns.map(\.sql).joined() + end }

  /// The SQL that removes a view.
  static func drop(_ name: String) -> String { "DROP VIEW \(quoted(name))" }

  private static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
