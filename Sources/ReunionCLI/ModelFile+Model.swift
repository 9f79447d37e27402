import ReunionCore
import ReunionModel
import ReunionStore

extension Model {
  /// What a version of a model's file says, without the app's types.
  init(_ file: ModelFile) {
    self.init(
      entities: file.entities.filter { !$0.line.isHidden }.map { entity in
        let shown = entity.fields.map(\.line).filter { !$0.isHidden }
        return EntityDescription(
          number: entity.line.number, name: entity.line.name,
          fields: shown.map { FieldDescription($0, in: file) },
          indexes: entity.indexes.map { index in
            index.line.fields.compactMap { name in shown.first { $0.name == name }?.number }
          })
      })
  }
}

extension FieldDescription {
  fileprivate init(_ line: FieldLine, in file: ModelFile) {
    let begins = Self.begins(line)
    let isShown = [.bool, .int, .double, .text].contains(begins.kind)
    let target = line.type.target.flatMap { file.entity(named: $0) }?.line.number
    self.init(
      number: line.number, name: line.name, kind: Self.kind(line.type.kind),
      isSearchable: line.isSearchable, bytesMax: line.bytesMax, initial: isShown ? begins : .null,
      rule: target.flatMap { target in
        line.onDelete.flatMap { DeleteRule(rawValue: $0.rawValue) }
          .map { ReferenceRule(target: target, onDelete: $0) }
      }, begins: begins)
  }

  private static func kind(_ kind: ModelKind) -> ValueKind {
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

  /// What a record has where nobody wrote the field; none where the file does not know, as for a type of
  /// the app's without a default.
  private static func begins(_ line: FieldLine) -> Value {
    guard !line.type.isOptional else { return .null }
    switch line.initial {
    case .bool(let value)?: return .bool(value)
    case .int(let value)?: return .int(value)
    case .double(let value)?: return .double(value)
    case .text(let value)?: return .text(value)
    case nil: break
    }
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
