import Reunion
import ReunionCore
import ReunionModel

extension Model {
  /// What a version of a model says, from 1 on, without the app's types.
  init(_ history: ModelHistory, version: Int) {
    let file = history.versions[version - 1]
    self.init(
      entities: file.entities.filter { !$0.line.isHidden }.map { entity in
        let shown = entity.fields.map(\.line).filter { !$0.isHidden }
        return EntityDescription(
          number: entity.line.number, name: entity.line.name,
          fields: shown.map { FieldDescription($0, in: file) },
          indexes: entity.indexes.map { index in
            index.line.fields.compactMap { name in shown.first { $0.name == name }?.number }
          },
          lenses: entity.lenses.map {
            $0.line.stored(in: entity) { number in
              history.line(of: number, in: entity.line.number, upTo: version)
            }
          })
      }, version: version, minimumReader: file.minimumReader?.line ?? 1)
  }
}

extension ModelHistory {
  /// A field as the last version had it that showed it.
  fileprivate func line(of field: UInt32, in entity: UInt32, upTo version: Int) -> FieldLine? {
    versions.prefix(version).reversed().lazy.compactMap { file in
      file.entities.first { $0.line.number == entity }?.field(field)
    }.first { !$0.isHidden }
  }
}

extension LensLine {
  /// The lens as a store tells it from others.
  fileprivate func stored(
    in entity: ModelFile.Entity, shown: (UInt32) -> FieldLine?
  ) -> String {
    func ends(_ numbers: [UInt32], areSources: Bool) -> String {
      numbers.compactMap { entity.field($0) }.map { line in
        let kind = ValueKind(line.type.kind)
        var end = "\(line.number):\(kind.rawValue)\(line.type.isOptional ? "?" : "")"
        if areSources { end += "=\(FieldDescription.begins(shown(line.number) ?? line).listed)" }
        return end
      }.joined(separator: " ")
    }
    return
      "\(verb == .fill ? "fill" : "lens") \(ends(sources, areSources: true)) to"
      + " \(ends(targets, areSources: false)) by \(conversion.stored)"
  }
}

extension ConversionWord {
  /// As a store tells it from others.
  fileprivate var stored: String {
    switch self {
    case .times(.double(let factor)): "times \(factor) as double"
    case .separator(let text): "separator \(Value.text(text).digits)"
    case .cases(let cases):
      "cases "
        + cases.map { "\(Value($0.from).listed):\(Value($0.to).listed)" }
        .joined(separator: " ")
    case .custom(let name): "custom \(Value.text(name).digits)"
    default: text
    }
  }
}

extension Value {
  fileprivate init(_ literal: ModelLiteral) {
    switch literal {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .text(let value): self = .text(value)
    }
  }

  /// The bytes in digits.
  fileprivate var digits: String { String(listed.drop { $0 != "." }.dropFirst()) }
}

extension ValueKind {
  fileprivate init(_ kind: ModelKind) {
    self =
      switch kind {
      case .bool: .bool
      case .int: .int
      case .double: .double
      case .text: .text
      case .bytes: .bytes
      case .date: .date
      case .uuid: .uuid
      case .reference: .reference
      case .blob: .blob
      case .counter: .counter
      case .set: .set
      case .list: .list
      }
  }
}

extension FieldDescription {
  fileprivate init(_ line: FieldLine, in file: ModelFile) {
    let begins = Self.begins(line)
    let isShown = [.bool, .int, .double, .text].contains(begins.kind)
    let target = line.type.target.flatMap { file.entity(named: $0) }?.line.number
    self.init(
      number: line.number, name: line.name, kind: ValueKind(line.type.kind),
      isSearchable: line.isSearchable, bytesMax: line.bytesMax, initial: isShown ? begins : .null,
      rule: target.flatMap { target in
        line.onDelete.flatMap { DeleteRule(rawValue: $0.rawValue) }
          .map { ReferenceRule(target: target, onDelete: $0) }
      }, element: line.type.element.map { ValueKind($0) }, begins: begins)
  }

  /// The value that a record has until somebody writes the field. It is `null` if the file does not
  /// know the value, as for a type of the app's without a default.
  fileprivate static func begins(_ line: FieldLine) -> Value {
    guard !line.type.isOptional else { return .null }
    if let initial = line.initial { return Value(initial) }
    guard line.swiftType == nil else { return .null }
    return switch line.type.kind {
    case .bool: .bool(false)
    case .int: .int(0)
    case .double: .double(0)
    case .text: .text("")
    case .bytes: .bytes([])
    case .date: .date(milliseconds: 0)
    case .uuid: Value(kind: .uuid, bytes: Array(repeating: 0, count: 16))
    case .counter: .counter(0)
    case .reference, .blob, .set, .list: .null
    }
  }
}
