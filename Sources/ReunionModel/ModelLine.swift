/// A line of a model's file.
package enum ModelLine: Hashable, Sendable {
  case blank
  /// `// …`, or a line of more slashes
  case comment(String)
  /// `/// …`, about what follows.
  case documentation(String)
  /// `import Reunion`, a module that the generated Swift needs.
  case `import`(String)
  case entity(EntityLine)
  case field(FieldLine)
  /// `index album, takenAt`, over fields of the entity above.
  case index(IndexLine)
  /// `retype @4 to @7 by times 60`, in the entity above.
  case lens(LensLine)
  /// `minimumReader 3`, the version that a device must have to read what this one writes.
  case minimumReader(Int)

  /// The line as it must stand in the file.
  package var text: String {
    switch self {
    case .blank: ""
    case .comment(let text), .documentation(let text): text
    case .import(let module): "import \(module)"
    case .entity(let entity): entity.text
    case .field(let field): field.text
    case .index(let index): index.text
    case .lens(let lens): lens.text
    case .minimumReader(let version): "minimumReader \(version)"
    }
  }
}

/// `entity photo @3`
package struct EntityLine: Hashable, Sendable {
  package var name: String
  package var number: UInt32
  /// The Swift type's name, where it is not the name with a capital letter.
  package var type: String?
  /// Whether this version leaves it out; its records stay, and its number stays taken.
  package var isHidden = false

  package var text: String {
    (isHidden ? "hidden " : "") + "entity \(name) @\(number)" + (type.map { " as \($0)" } ?? "")
  }

  /// The Swift type's name.
  package var swiftType: String { type ?? name.prefix(1).uppercased() + name.dropFirst() }
}

/// `  field caption @3 text max 4096`
package struct FieldLine: Hashable, Sendable {
  package var name: String
  package var number: UInt32
  package var type: FieldType
  /// A Swift type of the app's over the kind.
  package var swiftType: String?
  package var initial: ModelLiteral?
  /// The most bytes of a text, or of bytes.
  package var bytesMax: Int?
  /// From how many bytes on a blob is a file.
  package var inlineBelow: Int?
  package var isSearchable = false
  /// What the entity that a reference names calls those that name it.
  package var inverse: String?
  /// What becomes of its record when the one that a reference names is deleted.
  package var onDelete: DeleteWord?
  /// Whether this version leaves it out; its values stay, and its number stays taken.
  package var isHidden = false

  /// The line that leaves it out.
  package var hidden: FieldLine {
    FieldLine(name: name, number: number, type: type, isHidden: true)
  }

  package var text: String {
    var text = "  \(isHidden ? "hidden" : "field") \(name) @\(number) \(type.text)"
    if let swiftType { text += " as \(swiftType)" }
    if let initial { text += " default \(initial.text)" }
    if let bytesMax { text += " max \(bytesMax)" }
    if let inlineBelow { text += " inlineBelow \(inlineBelow)" }
    if isSearchable { text += " searchable" }
    if let inverse { text += " inverse \(inverse)" }
    if let onDelete { text += " onDelete \(onDelete)" }
    return text
  }
}
