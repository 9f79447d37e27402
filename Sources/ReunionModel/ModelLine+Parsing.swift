import ReunionCore

extension ModelLine {
  /// The highest number that an entity may have; those above are the library's.
  static let entityMax: UInt32 = 16_777_199

  /// Reads a line, however it is spaced.
  init(parsing line: Substring) throws(LineFault) {
    let trimmed = line.drop { $0 == " " }
    if trimmed.isEmpty {
      self = .blank
    } else if trimmed.hasPrefix("///"), !trimmed.hasPrefix("////") {
      self = .documentation(String(line))
    } else if trimmed.hasPrefix("//") {
      self = .comment(String(line))
    } else {
      var reader = LineReader(line)
      self = try Self.statement(&reader)
      if let rest = reader.peek {
        throw LineFault(reader.column, "“\(rest)” is one word too many, or in the wrong place.")
      }
    }
  }

  private static func statement(_ reader: inout LineReader) throws(LineFault) -> ModelLine {
    let isHidden = reader.take("hidden")
    if reader.take("entity") {
      var entity = EntityLine(
        name: try reader.name("entity"),
        number: try reader.place("entity", in: 1...entityMax), isHidden: isHidden)
      if reader.take("as") {
        let column = reader.column
        let type = try reader.name("Swift type", isType: true)
        guard !type.contains(".") else {
          throw LineFault(
            column,
            "“\(type)” has a dot, and what is made stands in no other type. Take"
              + " \(type.filter { $0 != "." }).")
        }
        entity.type = type
      }
      return .entity(entity)
    }
    if isHidden || reader.take("field") {
      var field = FieldLine(
        name: try reader.name("field"), number: try reader.place("field", in: 1...Cell.fieldMax),
        type: try FieldType(&reader), isHidden: isHidden)
      try field.readOptions(&reader)
      return .field(field)
    }
    if reader.take("index") { return .index(try IndexLine(&reader)) }
    for verb in LensLine.Verb.allCases where reader.take(verb.rawValue) {
      return .lens(try LensLine(verb, &reader))
    }
    if reader.take("minimumReader") {
      return .minimumReader(try reader.number("version", in: 1...100_000))
    }
    if reader.take("import") { return .import(try reader.name("module", isType: true)) }
    let word = try reader.word("a line")
    throw LineFault(
      word.column,
      "“\(word.text)” begins no line: a line begins with import, minimumReader, entity, field, hidden, index, retype,"
        + " split, merge or fill.")
  }
}

extension FieldType {
  fileprivate init(_ reader: inout LineReader) throws(LineFault) {
    let word = try reader.word("the kind, such as text,")
    let isOptional = word.text.last == "?"
    guard let kind = ModelKind(rawValue: String(isOptional ? word.text.dropLast() : word.text))
    else {
      let kinds = ModelKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw LineFault(word.column, "“\(word.text)” is no kind. The kinds are \(kinds).")
    }
    self.init(kind: kind, isOptional: isOptional)
    guard kind.isSingle || !isOptional else {
      throw LineFault(
        word.column, "A \(kind) is never none, but empty: leave out the question mark.")
    }
    switch kind {
    case .reference:
      try Self.of(&reader, "reference? of photo")
      target = try reader.name("entity")
      guard isOptional else {
        throw LineFault(word.column, "A reference may name nothing: put a question mark behind it.")
      }
    case .set, .list:
      try Self.of(&reader, "\(kind) of text")
      let word = try reader.word("what the \(kind) is of")
      guard let element = ModelKind(rawValue: String(word.text)),
        ModelKind.elements.contains(element)
      else {
        let kinds = ModelKind.elements.map(\.rawValue).joined(separator: ", ")
        throw LineFault(word.column, "A \(kind) is of one of \(kinds), and not of “\(word.text)”.")
      }
      self.element = element
    default: break
    }
  }

  private static func of(_ reader: inout LineReader, _ example: String) throws(LineFault) {
    guard reader.take("of") else {
      throw LineFault(reader.column, "It needs to say of what: \(example).")
    }
  }
}

extension FieldLine {
  /// Reads what follows the kind, in its order.
  fileprivate mutating func readOptions(_ reader: inout LineReader) throws(LineFault) {
    if reader.take("as") { swiftType = try reader.name("Swift type", isType: true) }
    if reader.peek == "default" { initial = try literal(&reader) }
    let column = reader.column
    if reader.take("max") {
      guard [.text, .bytes].contains(type.kind) else {
        throw LineFault(column, "Only texts and bytes have a limit, and this is a \(type.kind).")
      }
      bytesMax = try reader.number("limit in bytes", in: 1...Value.bytesMax)
    }
    if reader.take("inlineBelow") {
      guard type.kind == .blob, swiftType == nil else {
        throw LineFault(column, "Only a blob, without a type of your own, has a threshold.")
      }
      inlineBelow = try reader.number("threshold in bytes", in: 0...Value.bytesMax)
    }
    if reader.take("searchable") {
      guard type.kind == .text || type.element == .text else {
        throw LineFault(column, "Only words are searched: texts, and sets and lists of them.")
      }
      isSearchable = true
    }
    if reader.take("inverse") {
      guard type.kind == .reference else {
        throw LineFault(column, "Only a reference has an inverse, and this is a \(type.kind).")
      }
      inverse = try reader.name("inverse")
    }
    if reader.peek == "onDelete" { onDelete = try deleteWord(&reader) }
  }

  private func deleteWord(_ reader: inout LineReader) throws(LineFault) -> DeleteWord {
    let column = reader.column
    _ = reader.take("onDelete")
    guard type.kind == .reference else {
      throw LineFault(
        column, "Only a reference has a rule for deletes, and this is a \(type.kind).")
    }
    let word = try reader.word("what a delete does")
    guard let rule = DeleteWord(rawValue: String(word.text)) else {
      let rules = DeleteWord.allCases.map(\.rawValue).joined(separator: ", ")
      throw LineFault(word.column, "“\(word.text)” is no rule for deletes. The rules are \(rules).")
    }
    return rule
  }

  private func literal(_ reader: inout LineReader) throws(LineFault) -> ModelLiteral {
    let column = reader.column
    _ = reader.take("default")
    let word = try reader.word("what the field begins with")
    guard !type.isOptional else {
      throw LineFault(column, "A field with a question mark begins as none: leave out the default.")
    }
    let text = String(word.text)
    switch type.kind {
    case .bool: if let value = Bool(text) { return .bool(value) }
    case .int:
      if let value = Int64(text), "\(value)" == text { return .int(value) }
    case .double:
      if let value = Double(text), value.isFinite { return .double(value) }
    case .text: if let value = ModelLiteral.unquoted(word.text) { return .text(value) }
    default:
      throw LineFault(
        column, "A \(type.kind) has no default in the file: it begins empty, or at zero.")
    }
    let example = [.bool: "true", .int: "12", .double: "1.5"][type.kind] ?? "\"a text\""
    throw LineFault(word.column, "“\(word.text)” is no \(type.kind): write one such as \(example).")
  }
}
