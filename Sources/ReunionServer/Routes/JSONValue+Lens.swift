import ReunionCore
import ReunionStore

/// A lens as pages take it.
extension JSONValue {
  init(_ lens: FieldLens) {
    var fields: [String: JSONValue] = [
      "sources": .list(lens.sources.map(JSONValue.init)),
      "targets": .list(lens.targets.map(JSONValue.init)), "by": .list(Self.words(lens.words)),
    ]
    if lens.fills { fields["fills"] = .bool(true) }
    self = .object(fields)
  }

  private init(_ end: LensEnd) {
    var fields: [String: JSONValue] = [
      "number": .number(Int64(end.field)), "kind": .number(Int64(end.kind.rawValue)),
    ]
    if end.isOptional { fields["isOptional"] = .bool(true) }
    fields["initial"] = end.initial.flatMap(Self.literal)
    self = .object(fields)
  }

  private static func words(_ words: ConversionWords) -> [JSONValue] {
    switch words {
    case .plain(let name): [.text(name)]
    case .times(let factor): [.text("times"), whole(factor)]
    case .scaled(let factor): [.text("scale"), .double(factor)]
    case .over(let divisor): [.text("over"), whole(divisor)]
    case .separator(let text): [.text("separator"), .text(text)]
    case .cases(let cases):
      [
        .text("cases"),
        .list(cases.map { .list([literal($0) ?? .text(""), literal($1) ?? .text("")]) }),
      ]
    }
  }

  /// A value; of bytes and ids the hexadecimal digits.
  private static func literal(_ value: Value) -> JSONValue? {
    if let int = value.int { return whole(int) }
    if [.bytes, .uuid, .reference].contains(value.kind) {
      return .text(Hexadecimal.text(value.bytes))
    }
    return JSONValue(value)
  }

  /// A whole number; beyond those that JavaScript knows exactly its digits.
  private static func whole(_ number: Int64) -> JSONValue {
    number.magnitude < 1 << 53 ? .number(number) : .text("\(number)")
  }
}
