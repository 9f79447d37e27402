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
    let shown = lens.targets.compactMap { entity.field($0) }
    let conversion = lens.conversion.swift
    guard !shown.contains(where: \.isHidden) else {
      // What a later version leaves out has no property; other lenses may read it.
      let targets = shown.map { Self.old($0) + ")" }.joined(separator: ", ")
      let end = lens.verb == .fill ? ", fills: true" : ""
      return ".earlier(\(sources), to: \(targets), by: \(conversion)\(end))"
    }
    let targets = shown.map { "\\.\(Self.name($0.name))" }.joined(separator: ", ")
    let way = lens.verb == .fill ? "\(targets), from: \(sources)" : "\(sources), to: \(targets)"
    return ".\(lens.verb)(\(way), by: \(conversion))"
  }

  /// `OldField(4, Int.self`, to be closed.
  private static func old(_ field: FieldLine) -> String {
    let type =
      field.swiftType ?? (field.type.kind == .reference ? "RecordID" : plain(field.type.kind))
    return "OldField(\(field.number), \(type)\(field.type.isOptional ? "?" : "").self"
  }

  /// `OldField(4, Int.self, initial: 0)`
  private func source(_ field: FieldLine, in entity: ModelFile.Entity) -> String {
    var text = Self.old(field)
    if !field.type.isOptional {
      var line = history.asShown(field, in: entity)
      line.swiftType = field.swiftType
      text += ", initial: \(Self.initial(line))"
    }
    return text + ")"
  }
}

extension ModelHistory {
  /// A field as the last version had it that showed it, with what it began with: a hidden line does not say
  /// that.
  func asShown(_ field: FieldLine, in entity: ModelFile.Entity) -> FieldLine {
    versions.reversed().lazy.compactMap { version in
      version.entities.first { $0.line.number == entity.line.number }?.field(field.number)
    }.first { !$0.isHidden } ?? field
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
