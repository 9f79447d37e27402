import ReunionCore
import ReunionStore

/// A view over the living records of an entity, by the names of its model.
struct SQLView: Sendable {
  let name: String
  let columns: [(name: String, sql: String)]
  let table: String

  /// The views of a store, by name. Where a name was given twice over time, the number tells apart.
  static func all(_ layout: Layout, _ names: FieldNames) -> [SQLView] {
    var views: [SQLView] = []
    var taken: Set<String> = []
    for table in layout.tables where !table.isUnknown {
      guard let name = names.entity(table.entity) else { continue }
      let own = unique(name, table.entity, &taken)
      views.append(SQLView(own, table, names))
    }
    return views.sorted { $0.name < $1.name }
  }

  private init(_ name: String, _ table: Table, _ names: FieldNames) {
    self.name = name
    self.table = table.name
    var taken: Set<String> = ["id", "space", "creator"]
    var columns = [
      (name: "id", sql: "id"),
      (name: "space", sql: "(SELECT s.id FROM reunion_space AS s WHERE s.number = r.space)"),
      (name: "creator", sql: "(SELECT c.id FROM reunion_site AS c WHERE c.number = r.creator)"),
    ]
    for column in table.columns {
      guard let name = names.field(column.field, of: table.entity) else { continue }
      let initial = names.initial(column.field, of: table.entity)
      columns.append((Self.unique(name, column.field, &taken), Self.sql(of: column, initial)))
    }
    self.columns = columns
  }

  private static func unique(_ name: String, _ number: UInt32, _ taken: inout Set<String>) -> String
  {
    if taken.insert(name.lowercased()).inserted { return name }
    let numbered = "\(name)_\(number)"
    taken.insert(numbered.lowercased())
    return numbered
  }

  /// A field's value as SQL reads it; what it begins with, where nothing was written.
  private static func sql(of column: FieldColumn, _ initial: Value) -> String {
    let column = (kind: column.kind, name: "f\(column.field)")
    let name = initial.sqlLiteral.map { "ifnull(\(column.name), \($0))" } ?? column.name
    switch column.kind {
    // NaN is kept as bytes; to SQL it is no value.
    case .double: return "CASE WHEN typeof(\(column.name)) = 'blob' THEN NULL ELSE \(name) END"
    case .set, .list: return "\(SQLFunctions.elements)(\(name))"
    case .blob: return "\(SQLFunctions.blob)(\(name))"
    default: return name
    }
  }

  /// The statements that make it, over one more of a secret name: what reads tables for that one is
  /// ours, since nobody else can name it.
  func create(secret: String) -> [String] {
    let inner = SQLView.quoted(secret + name)
    let select = columns.map { "\($0.sql) AS \(SQLView.quoted($0.name))" }.joined(separator: ", ")
    return [
      "CREATE TEMP VIEW \(inner) AS SELECT \(select) FROM main.\(table) AS r WHERE alive",
      "CREATE TEMP VIEW \(SQLView.quoted(name)) AS SELECT * FROM \(inner)",
    ]
  }

  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
