/// Reads `preConditions` of a master file.
enum MasterPreconditions {
  static func read(
    _ element: MasterElement, _ path: String
  ) throws(ChangelogError) -> (preconditions: Preconditions, warnings: [Warning]) {
    var preconditions = Preconditions()
    let place = Place(path, element.line)
    if let value = element.attributes["onFail"] {
      preconditions.onFail = try reaction(value, "onFail", place)
    }
    if let value = element.attributes["onError"] {
      preconditions.onError = try reaction(value, "onError", place)
    }
    if let value = element.attributes["onSqlOutput"] ?? element.attributes["onUpdateSQL"] {
      try PreconditionLine.reactions("onSqlOutput:\(value)", into: &preconditions, at: place)
    }
    var warnings: [Warning] = []
    for child in element.children where !reactions.contains(child.name) {
      // A value with a name that nobody knows is an attribute that was misspelt.
      if child.isValue, !kinds.contains(child.name) {
        warnings.append(
          Warning(Place(path, child.line), "\(child.name.prefix(80)) is not known, and not read."))
      } else {
        preconditions.conditions.append(try condition(child, path))
      }
    }
    return (preconditions, warnings)
  }

  private static let reactions: Set<String> = [
    "onFail", "onError", "onSqlOutput", "onUpdateSQL", "onFailMessage", "onErrorMessage",
  ]
  private static let kinds: Set<String> = [
    "sqlCheck", "tableExists", "viewExists", "columnExists", "indexExists", "sequenceExists",
    "tableIsEmpty", "rowCount", "changeSetExecuted", "dbms", "and", "or", "not",
  ]

  /// In capital letters alone: Liquibase runs a changeset whose `onFail` is `mark_ran`.
  private static func reaction(
    _ value: String, _ name: String, _ place: Place
  ) throws(ChangelogError) -> Preconditions.Reaction {
    if let reaction = Preconditions.Reaction(rawValue: value) { return reaction }
    throw ChangelogError(
      .refused, "\(name) is \(value).", at: place,
      write: "MARK_RAN (or HALT, CONTINUE, WARN) in capital letters")
  }

  private static func condition(
    _ element: MasterElement, _ path: String
  ) throws(ChangelogError) -> Precondition {
    let place = Place(path, element.line)
    func need(_ name: String) throws(ChangelogError) -> String {
      if let value = element.attributes[name], !value.isEmpty { return value }
      throw ChangelogError(
        .refused, "\(element.title) has no \(name).", at: place,
        write: element.form.example(element.name, name))
    }
    func parts() throws(ChangelogError) -> [Precondition] {
      var parts: [Precondition] = []
      for child in element.children { parts.append(try condition(child, path)) }
      return parts
    }
    let schema = element.attributes["schemaName"]
    switch element.name {
    case "sqlCheck":
      let query = element.attributes["sql"] ?? element.text
      return .query(query.trimmed, expected: try need("expectedResult"), place)
    case "tableExists": return .table(try need("tableName"), schema: schema, place)
    case "viewExists": return .view(try need("viewName"), schema: schema, place)
    case "columnExists":
      return .column(try need("columnName"), of: try need("tableName"), schema: schema, place)
    case "indexExists":
      return .index(
        try need("indexName"), of: element.attributes["tableName"], schema: schema, place)
    case "sequenceExists": return .sequence(try need("sequenceName"), schema: schema, place)
    case "tableIsEmpty":
      return .rowCount(try need("tableName"), schema: schema, expected: "0", place)
    case "rowCount":
      return .rowCount(
        try need("tableName"), schema: schema, expected: try need("expectedRows"), place)
    case "changeSetExecuted":
      return .changeset(
        id: try need("id"), author: try need("author"),
        path: element.attributes["changeLogFile"] ?? path, place)
    case "dbms": return .dbms(try need("type"))
    case "and": return .all(try parts())
    case "or": return .any(try parts())
    case "not": return .not(.all(try parts()))
    default:
      throw ChangelogError(
        .refused, "There is no precondition \(element.title) here.", at: place,
        write: sqlCheck(element.form))
    }
  }

  private static func sqlCheck(_ form: MasterForm) -> String {
    form == .xml
      ? "<sqlCheck expectedResult=\"0\">SELECT count(*) FROM …</sqlCheck>"
      : form.example("sqlCheck", "expectedResult", "sql")
  }
}
