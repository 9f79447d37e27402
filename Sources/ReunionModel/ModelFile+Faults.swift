import ReunionCore

/// What a file must hold to as a whole, beside its lines.
extension ModelFile {
  func faults() -> [ModelProblem] {
    var problems: [ModelProblem] = []
    func tell(_ line: Int, _ sentence: String, _ instead: String? = nil) {
      problems.append(
        ModelProblem(file: name, line: line, column: 1, sentence: sentence, instead: instead))
    }
    if !imports.isEmpty, !imports.contains("Reunion"), !imports.contains("ReunionStore") {
      tell(1, "The code that is made needs Reunion, or ReunionStore.", "import Reunion")
    }
    if entities.isEmpty { tell(1, "The model has no entity.", "entity note @1") }
    var numbers: [UInt32: String] = [:]
    var names: Set<String> = []
    var types: Set<String> = []
    for entity in entities {
      let line = entity.line
      if let other = numbers.updateValue(line.name, forKey: line.number) {
        tell(
          entity.at, "The number \(line.number) is \(other)'s. Give \(line.name) one of its own.")
      }
      if !line.isHidden, !names.insert(line.name.lowercased()).inserted {
        tell(
          entity.at,
          "There are two entities \(line.name), and SQL cannot tell them apart. Rename one.")
      }
      if line.name.lowercased().hasPrefix("sqlite") || line.name.lowercased().hasPrefix("reunion") {
        tell(
          entity.at, "Names that begin with reunion or sqlite are the libraries' own. Take another."
        )
      }
      if !line.isHidden,
        !types.insert(line.swiftType).inserted || Self.typeNames.contains(line.swiftType)
      {
        tell(
          entity.at, "Swift has a type \(line.swiftType) already. Give it another with as.",
          EntityLine(name: line.name, number: line.number, type: "\(line.swiftType)Record").text)
      }
      faults(of: entity, tell)
      guard !line.isHidden else { continue }
      entity.indexFaults(tell)
      entity.lensFaults(tell)
    }
    return problems
  }

  private func faults(
    of entity: Entity, _ tell: (Int, String, String?) -> Void
  ) {
    var numbers: [UInt32: String] = [:]
    var names: Set<String> = []
    for field in entity.fields {
      let line = field.line
      if let other = numbers.updateValue(line.name, forKey: line.number) {
        tell(
          field.at,
          "The number \(line.number) is \(other)'s, in \(entity.line.name). Give \(line.name) one of its own.",
          nil)
      }
      if !line.isHidden, !names.insert(line.name.lowercased()).inserted {
        tell(field.at, "\(entity.line.name) has two fields \(line.name). Rename one.", nil)
      }
      if ["id", "space", "creator", "alive", "entity", "schema"].contains(line.name.lowercased()) {
        tell(field.at, "Each record has a \(line.name) already. Take another name.", nil)
      }
      guard let target = line.type.target, !line.isHidden else { continue }
      guard let other = self.entity(named: target) else {
        let isHidden = entities.contains { $0.line.name == target }
        tell(
          field.at,
          isHidden
            ? "\(target) is left out of this version. Leave the field out too."
            : "There is no entity \(target).",
          isHidden ? line.hidden.text : nil)
        continue
      }
      guard let inverse = line.inverse else { continue }
      let isTaken =
        other.fields.contains { $0.line.name == inverse }
        || entities.contains { each in
          each.fields.contains {
            ($0.at, $0.line.type.target, $0.line.inverse) != (field.at, target, inverse)
              && $0.line.type.target == target && $0.line.inverse == inverse
          }
        }
      if isTaken {
        tell(field.at, "\(target) has a \(inverse) already. Name the inverse otherwise.", nil)
      }
    }
  }

  /// Types that generated code names, or that every file has.
  static let typeNames: Set<String> = [
    "Any", "Array", "Blob", "BlobReference", "Bool", "Counter", "Date", "Double", "Entity",
    "EntitySchema", "Field", "Int", "Model", "OrderedList", "Protocol", "Query", "RecordID",
    "Reference", "Replica", "Self", "Set", "SpaceID", "String", "Type", "UUID",
  ]
}
