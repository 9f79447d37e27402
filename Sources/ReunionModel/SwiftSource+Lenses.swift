/// The Swift of an entity's lenses and indexes.
extension SwiftSource {
  /// What follows the fields in a schema.
  func rest(of entity: ModelFile.Entity) -> String {
    var text = ""
    if !entity.indexes.isEmpty {
      let indexes = entity.indexes.map { index in
        "[" + index.line.fields.map { "\\.\(Self.name($0))" }.joined(separator: ", ") + "]"
      }
      text += ",\n    indexes: [\(indexes.joined(separator: ", "))]"
    }
    if !entity.lenses.isEmpty {
      text += ",\n    lenses: [\n"
      for lens in entity.lenses { text += "      \(call(lens.line, in: entity)),\n" }
      text += "    ]"
    }
    return text
  }

  private func call(_ lens: LensLine, in entity: ModelFile.Entity) -> String {
    let sources = lens.sources.compactMap { entity.field($0) }.map { source($0, in: entity) }
      .joined(separator: ", ")
    let targets = lens.targets.compactMap { entity.field($0) }.map { "\\.\(Self.name($0.name))" }
      .joined(separator: ", ")
    let way = lens.verb == .fill ? "\(targets), from: \(sources)" : "\(sources), to: \(targets)"
    return ".\(lens.verb)(\(way), by: \(lens.conversion.swift))"
  }

  /// `OldField(4, Int.self, initial: 0)`
  private func source(_ field: FieldLine, in entity: ModelFile.Entity) -> String {
    var type =
      field.swiftType ?? (field.type.kind == .reference ? "RecordID" : Self.plain(field.type.kind))
    if field.type.isOptional { type += "?" }
    var text = "OldField(\(field.number), \(type).self"
    if !field.type.isOptional {
      // What it began with while it was shown: a hidden line does not say it.
      let shown = history.versions.reversed().lazy.compactMap { version in
        version.entities.first { $0.line.number == entity.line.number }?.field(field.number)
      }.first { !$0.isHidden }
      var line = shown ?? field
      line.swiftType = field.swiftType
      text += ", initial: \(Self.initial(line))"
    }
    return text + ")"
  }
}

extension ConversionWord {
  /// As Swift has it.
  fileprivate var swift: String {
    switch self {
    case .same: ".same"
    case .text: ".text"
    case .number: ".number"
    case .times(let factor): ".times(\(factor.text))"
    case .over(let divisor): ".over(\(divisor))"
    case .cases(let cases):
      ".cases([\(cases.map { "\($0.from.text): \($0.to.text)" }.joined(separator: ", "))])"
    case .separator(let text): ".separator(\(ModelLiteral.text(text).text))"
    case .custom(let name): ".\(name)"
    }
  }
}
