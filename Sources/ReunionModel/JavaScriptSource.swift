/// A JavaScript module of a model: the value that `new Model` takes, and a JSDoc type of each record.
package struct JavaScriptSource {
  let history: ModelHistory

  package init(_ history: ModelHistory) { self.history = history }

  package var text: String {
    let version = history.versions.count
    let entities = history.current.entities.filter { !$0.line.isHidden }
    let name = ModelName.property(history.name)
    var text =
      "// Made of \(history.name).reunionmodel/v\(version).model. Change the model, not this file.\n"
    for entity in entities { text += "\n" + Self.type(entity) }
    let reader = history.current.minimumReader.map { "\n  minimumReader: \($0.line)," } ?? ""
    text += """

      /**
       * The model \(history.name).
       * @type {{version: number, minimumReader?: number, hash: string,
       *   entities: import('/reunion/reunion.js').EntitySchema[]}}
       */
      export const \(name) = {
        version: \(version),\(reader)
        hash: '\(history.current.hash)',
        entities: [

      """
    for entity in entities {
      text +=
        "    {\n      number: \(entity.line.number),\n      name: '\(entity.line.name)',\n      fields: [\n"
      for field in entity.fields where !field.line.isHidden {
        text += "        \(description(field.line)),\n"
      }
      text += "      ],\n\(lenses(of: entity))    },\n"
    }
    return text + "  ],\n};\n"
  }

  private func description(_ field: FieldLine) -> String {
    var text = "{ number: \(field.number), name: '\(field.name)', kind: '\(field.type.kind)'"
    if let initial = Self.initial(field) { text += ", initial: \(initial)" }
    if let bytesMax = field.bytesMax { text += ", bytesMax: \(bytesMax)" }
    if let element = field.type.element { text += ", element: '\(element)'" }
    if let target = field.type.target.flatMap({ history.current.entity(named: $0) }) {
      text += ", target: \(target.line.number)"
    }
    if let onDelete = field.onDelete { text += ", onDelete: '\(onDelete)'" }
    return text + " }"
  }

  /// What shows where nothing was written; nil where that is nothing.
  private static func initial(_ field: FieldLine) -> String? {
    guard !field.type.isOptional else { return nil }
    if let initial = field.initial { return initial.script }
    if field.swiftType != nil { return nil }
    return switch field.type.kind {
    case .bool: "false"
    case .int, .double, .date: "0"
    case .text: "''"
    case .bytes, .uuid, .reference, .blob, .counter, .set, .list: nil
    }
  }

  private static func type(_ entity: ModelFile.Entity) -> String {
    let comment = entity.documentation.map { " *" + said($0) + "\n" }.joined()
    var text = "/**\n\(comment) * @typedef {object} \(entity.line.swiftType)\n"
    text += """
       * @property {string} id
       * @property {'\(entity.line.name)'} entity
       * @property {?string} creator
       * @property {boolean} alive

      """
    for field in entity.fields where !field.line.isHidden {
      let about = field.documentation.map(said).joined()
      text += " * @property {\(type(field.line))} \(field.line.name)\(about)\n"
    }
    return text + " */\n" + draft(entity)
  }

  /// The type of what `t.edit` gives, where it is another.
  private static func draft(_ entity: ModelFile.Entity) -> String {
    let shown = entity.fields.map(\.line).filter { !$0.isHidden }
    guard shown.contains(where: { !$0.type.kind.isSingle }) else { return "" }
    let name = entity.line.swiftType
    var text = """

      /**
       * What a transaction changes of it: `t.edit(record)`.
       * @typedef {object} \(name)Draft

      """
    for line in shown {
      let element = type(line.type.element ?? .text)
      let type =
        switch line.type.kind {
        case .counter: "import('/reunion/reunion.js').CounterDraft"
        case .set: "import('/reunion/reunion.js').SetDraft<\(element)>"
        case .list: "import('/reunion/reunion.js').ListDraft<\(element)>"
        default: type(line)
        }
      text += " * @property {\(type)} \(line.name)\n"
    }
    return text + " */\n"
  }

  /// A line of documentation, which ends no comment: it never begins with a slash, so that no star of the
  /// line before it meets one.
  private static func said(_ line: String) -> String {
    String(line.dropFirst(3)).replacing("*/", with: "*\\/")
  }

  private static func type(_ line: FieldLine) -> String {
    let isNullable = initial(line) == nil && line.type.kind.isSingle
    return (isNullable ? "?" : "") + type(line.type.kind, of: line.type.element)
  }

  private static func type(_ kind: ModelKind, of element: ModelKind? = nil) -> String {
    switch kind {
    case .bool: "boolean"
    case .int: "(number|bigint)"
    case .double, .date: "number"
    case .text, .uuid, .reference: "string"
    case .bytes: "Uint8Array"
    case .blob: "({hash: string, size: number}|Uint8Array)"
    case .counter: "(number|bigint)"
    case .set: "ReadonlySet<\(type(element ?? .text))>"
    case .list: "ReadonlyArray<\(type(element ?? .text))>"
    }
  }
}
