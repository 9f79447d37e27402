/// Reads `preConditions` of a master file.
enum XMLPreconditions {
  static func read(_ element: XMLElement, _ path: String) throws(ChangelogError) -> Preconditions {
    var preconditions = Preconditions()
    let place = Place(path, element.line)
    if let value = element.attributes["onFail"] {
      preconditions.onFail = try PreconditionLine.reaction(value, "onFail", place)
    }
    if let value = element.attributes["onError"] {
      preconditions.onError = try PreconditionLine.reaction(value, "onError", place)
    }
    if let value = element.attributes["onSqlOutput"] ?? element.attributes["onUpdateSQL"] {
      try PreconditionLine.reactions("onSqlOutput:\(value)", into: &preconditions, at: place)
    }
    for child in element.children { preconditions.conditions.append(try condition(child, path)) }
    return preconditions
  }

  private static func condition(
    _ element: XMLElement, _ path: String
  ) throws(ChangelogError) -> Precondition {
    let place = Place(path, element.line)
    func need(_ name: String) throws(ChangelogError) -> String {
      if let value = element.attributes[name], !value.isEmpty { return value }
      throw ChangelogError(
        .refused, "<\(element.name)> has no \(name).", at: place,
        write: "<\(element.name) \(name)=\"…\"/>")
    }
    func parts() throws(ChangelogError) -> [Precondition] {
      var parts: [Precondition] = []
      for child in element.children { parts.append(try condition(child, path)) }
      return parts
    }
    switch element.name {
    case "sqlCheck":
      return .query(element.text.trimmed, expected: try need("expectedResult"), place)
    case "tableExists":
      return .table(try need("tableName"), schema: element.attributes["schemaName"], place)
    case "viewExists":
      return .view(try need("viewName"), schema: element.attributes["schemaName"], place)
    case "dbms": return .dbms(try need("type"))
    case "and": return .all(try parts())
    case "or": return .any(try parts())
    case "not": return .not(.all(try parts()))
    default:
      throw ChangelogError(
        .refused, "There is no precondition <\(element.name)> here.", at: place,
        write: "<sqlCheck expectedResult=\"0\">SELECT count(*) FROM …</sqlCheck>")
    }
  }
}
