/// The JavaScript of an entity's lenses, as `Web/writing/lenses.js` takes it.
extension JavaScriptSource {
  /// What follows the fields of an entity; empty without lenses.
  func lenses(of entity: ModelFile.Entity) -> String {
    guard !entity.lenses.isEmpty else { return "" }
    var text = "      lenses: [\n"
    for lens in entity.lenses.map(\.line) {
      let sources = lens.sources.compactMap { entity.field($0) }.map { source($0, in: entity) }
      let targets = lens.targets.compactMap { entity.field($0) }.map { "{ \(end($0)) }" }
      text += """
                {
                  sources: [\(sources.joined(separator: ", "))],
                  targets: [\(targets.joined(separator: ", "))],
                  by: \(lens.conversion.script),\(lens.verb == .fill ? "\n          fills: true," : "")
                },

        """
    }
    return text + "      ],\n"
  }

  private func end(_ field: FieldLine) -> String {
    "number: \(field.number), kind: '\(field.type.kind)'"
      + (field.type.isOptional ? ", isOptional: true" : "")
  }

  private func source(_ field: FieldLine, in entity: ModelFile.Entity) -> String {
    let initial = Self.written(history.asShown(field, in: entity))
    return "{ \(end(field))\(initial.map { ", initial: \($0)" } ?? "") }"
  }

  /// What counts of a field that nobody wrote, of bytes the hexadecimal digits; nil where that is nothing, or
  /// the Swift type of the app alone knows it.
  private static func written(_ field: FieldLine) -> String? {
    guard !field.type.isOptional else { return nil }
    if let initial = field.initial { return initial.script }
    if field.swiftType != nil { return nil }
    return switch field.type.kind {
    case .bool: "false"
    case .int, .double, .date: "0"
    case .text, .bytes: "''"
    case .uuid: "'\(String(repeating: "0", count: 32))'"
    case .reference, .blob, .counter, .set, .list: nil
    }
  }
}

extension ModelLiteral {
  /// As JavaScript has it: with an n where it knows a whole number beyond 2^53 alone.
  var script: String {
    if case .int(let number) = self, number.magnitude > 1 << 53 - 1 { return text + "n" }
    return text
  }
}

extension ConversionWord {
  /// As `Web/writing/conversions.js` takes it.
  fileprivate var script: String {
    switch self {
    case .same: "['same']"
    case .text: "['text']"
    case .number: "['number']"
    case .times(.double(let factor)): "['scale', \(ModelLiteral.double(factor).script)]"
    case .times(let factor): "['times', \(factor.script)]"
    case .over(let divisor): "['over', \(ModelLiteral.int(divisor).script)]"
    case .cases(let cases):
      "['cases', [\(cases.map { "[\($0.from.script), \($0.to.script)]" }.joined(separator: ", "))]]"
    case .separator(let text): "['separator', \(ModelLiteral.text(text).script)]"
    case .custom: "['custom']"
    }
  }
}
