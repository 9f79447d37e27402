/// Swift of a model: a struct for each entity, with its schema and the queries that lead back to it.
///
/// The same model gives the same text. What is written by hand stands in extensions, in files of their own.
package struct SwiftSource {
  let history: ModelHistory
  private var model: ModelFile { history.current }

  package init(_ history: ModelHistory) { self.history = history }

  package var text: String {
    let entities = model.entities.filter { !$0.line.isHidden }
    let lines = entities.flatMap { (entity: ModelFile.Entity) -> [FieldLine] in
      let read = Set(entity.lenses.flatMap(\.line.sources))
      return entity.fields.map(\.line).filter {
        (!$0.isHidden || read.contains($0.number)) && $0.swiftType == nil
      }
    }
    let kinds = lines.flatMap { [$0.type.kind, $0.type.element] }
    var modules = model.imports.isEmpty ? ["Reunion"] : model.imports
    if kinds.contains(.date) || kinds.contains(.uuid) { modules.append("Foundation") }
    let version = history.versions.count
    let numbers =
      ["version: \(version)"] + (model.minimumReader.map { ["minimumReader: \($0.line)"] } ?? [])
    var text = """
      // Made of \(history.name).reunionmodel/v\(version).model. Change the model, not this file.
      \(Set(modules).sorted().map { "import \($0)\n" }.joined())
      extension Model {
        /// The model \(history.name), version \(version).
        static let \(Self.name(ModelName.property(history.name))) = Model(
          \((entities.map { "\($0.line.swiftType).schema" } + numbers).joined(separator: ", ")))

        /// The SHA-256 of the version's file, by which model.lock knows it.
        static let \(ModelName.property(history.name))Hash =
          "\(model.hash)"
      }

      """
    for entity in entities { text += "\n" + structure(entity) }
    return text
  }

  /// An extension for each entity, by the name of its file: what `scaffold` writes once.
  package var scaffold: [(name: String, text: String)] {
    model.entities.filter { !$0.line.isHidden }.map {
      (
        "\($0.line.swiftType).swift",
        "\(($0.documentation + ["extension \($0.line.swiftType) {}"]).joined(separator: "\n"))\n"
      )
    }
  }

  private func structure(_ entity: ModelFile.Entity) -> String {
    let fields = entity.fields.filter { !$0.line.isHidden }
    let type = entity.line.swiftType
    var text = entity.documentation.map { $0 + "\n" }.joined()
    text += """
      struct \(type): Entity, Equatable {
        /// The record's id.
        let id: RecordID

      """
    for field in fields {
      for line in field.documentation { text += "  \(line)\n" }
      text +=
        "  var \(Self.name(field.line.name)): \(Self.fullType(field.line, model)) = \(Self.initial(field.line))\n"
    }
    text += """

        /// Makes a record with the defaults of all fields.
        init(id: RecordID) { self.id = id }

        static let schema = EntitySchema<\(type)>(
          \(entity.line.number), "\(entity.line.name)",
          [

      """
    for field in fields { text += "      \(Self.schema(field.line, in: model)),\n" }
    text += "    ]\(rest(of: entity)))\n}\n"
    for other in model.entities where !other.line.isHidden {
      for field in other.fields
      where !field.line.isHidden && field.line.type.target == entity.line.name {
        guard let inverse = field.line.inverse else { continue }
        text += Self.inverseQuery(inverse, of: type, by: field.line, of: other.line.swiftType)
      }
    }
    return text
  }

  private static func inverseQuery(
    _ inverse: String, of type: String, by field: FieldLine, of other: String
  ) -> String {
    let value = field.swiftType == nil ? "Reference(self)" : "\(field.swiftType ?? "")(self.id)"
    let named = field.swiftType == "RecordID" ? "id" : value
    return """

      extension \(type) {
        /// The records \(other) whose \(field.name) is this one.
        func \(name(inverse))(in space: SpaceID) -> Query<\(other)> {
          Query<\(other)>(in: space).filter(\\\(other).\(name(field.name)) == \(named))
        }
      }

      """
  }

  private static func schema(_ field: FieldLine, in model: ModelFile) -> String {
    var text = ".field(\(field.number), \"\(field.name)\", \\.\(name(field.name))"
    if field.isSearchable { text += ", .searchable" }
    if let bytesMax = field.bytesMax { text += ", bytesMax: \(bytesMax)" }
    if let inlineBelow = field.inlineBelow { text += ", inlineBelow: \(inlineBelow)" }
    if let rule = field.onDelete {
      if field.swiftType != nil { text += ", to: \(target(of: field, in: model)).self" }
      text += ", onDelete: .\(rule)"
    }
    if field.swiftType != nil, let initial = field.initial {
      text += ", initial: .\(field.type.kind)(\(initial.text))"
    }
    return text + ")"
  }

  // Types and values

  private static func fullType(_ field: FieldLine, _ model: ModelFile) -> String {
    let type = field.type
    let name: String
    switch type.kind {
    case .set: name = "Set<\(field.swiftType ?? plain(type.element ?? .text))>"
    case .list: name = "OrderedList<\(field.swiftType ?? plain(type.element ?? .text))>"
    case .reference:
      name = field.swiftType ?? "Reference<\(target(of: field, in: model))>"
    default: name = field.swiftType ?? plain(type.kind)
    }
    return name + (type.isOptional ? "?" : "")
  }

  /// The Swift type of the entity that a reference names.
  private static func target(of field: FieldLine, in model: ModelFile) -> String {
    field.type.target.flatMap { model.entity(named: $0) }?.line.swiftType ?? ""
  }

  static func plain(_ kind: ModelKind) -> String {
    switch kind {
    case .bool: "Bool"
    case .int: "Int"
    case .double: "Double"
    case .text: "String"
    case .bytes: "[UInt8]"
    case .date: "Date"
    case .uuid: "UUID"
    case .blob: "Blob"
    case .counter: "Counter"
    case .reference, .set, .list: ""
    }
  }

  static func initial(_ field: FieldLine) -> String {
    guard !field.type.isOptional else { return "nil" }
    let kind = field.type.kind
    if let type = field.swiftType, kind.isSingle { return "\(type)()" }
    if let initial = field.initial { return initial.text }
    return switch kind {
    case .bool: "false"
    case .int, .counter: "0"
    case .double: "0.0"
    case .text: "\"\""
    case .bytes, .set, .list: "[]"
    case .date: "Date(timeIntervalSince1970: 0)"
    case .uuid: "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))"
    case .blob: "Blob([])"
    case .reference: "nil"
    }
  }

  /// A name as Swift takes it.
  static func name(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit",
    "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
    "guard", "if",
    "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
    "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
    "while",
  ]
}
