/// What the lines below an entity's fields must hold to: its indexes and its lenses.
extension ModelFile.Entity {
  typealias Tell = (_ line: Int, _ sentence: String, _ instead: String?) -> Void

  func indexFaults(_ tell: Tell) {
    var seen: Set<[String]> = []
    for index in indexes {
      let names = index.line.fields
      if !seen.insert(names).inserted {
        tell(index.at, "The index stands here twice. Delete one.", nil)
      }
      if names.count > 8 { tell(index.at, "An index has eight fields at most.", nil) }
      if Set(names).count < names.count {
        let once = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(
          \.element)
        tell(index.at, "The index has a field twice.", IndexLine(fields: once).text)
      }
      for name in names {
        guard let field = fields.first(where: { $0.line.name == name && !$0.line.isHidden }) else {
          let isHidden = fields.contains { $0.line.name == name }
          tell(
            index.at,
            isHidden
              ? "\(name) is left out of this version. Take it out of the index too."
              : "There is no field \(name) in \(line.name).", nil)
          continue
        }
        if [.set, .list, .blob].contains(field.line.type.kind) {
          tell(
            index.at, "\(name) is a \(field.line.type.kind), which no index has. Take it out.", nil)
        }
      }
    }
  }

  func lensFaults(_ tell: Tell) {
    var makers: [UInt32: LensLine] = [:]
    for lens in lenses {
      let line = lens.line
      var isWhole = true
      func fail(_ sentence: String) {
        isWhole = false
        tell(lens.at, sentence, nil)
      }
      for number in Set(line.sources + line.targets).sorted() where field(number) == nil {
        fail(
          "There is no field @\(number) in \(self.line.name). If an earlier version has it, leave it out by"
            + " name: hidden, its name, @\(number) and its type.")
      }
      for number in line.targets {
        if makers.updateValue(line, forKey: number) != nil {
          fail("@\(number) comes from two lenses. Delete one.")
        }
        if line.sources.contains(number) { fail("@\(number) cannot come from itself.") }
      }
      if Set(line.sources).count < line.sources.count { fail("The lens reads a field twice.") }
      guard isWhole else { continue }
      if let fault = line.fault(
        sources: line.sources.compactMap { field($0)?.type },
        targets: line.targets.compactMap { field($0)?.type })
      {
        tell(lens.at, fault, nil)
      }
    }
    for lens in lenses where isCircle(lens.line, makers) {
      tell(lens.at, "The lens makes what it is made of. Read another field.", nil)
    }
  }

  /// The field of a number, shown or not.
  package func field(_ number: UInt32) -> FieldLine? {
    fields.first { $0.line.number == number }?.line
  }

  /// Whether what a lens makes leads back to it.
  private func isCircle(_ lens: LensLine, _ makers: [UInt32: LensLine]) -> Bool {
    var seen: Set<UInt32> = []
    var next = lens.sources
    while let number = next.popLast() {
      if lens.targets.contains(number) { return true }
      if seen.insert(number).inserted { next += makers[number]?.sources ?? [] }
    }
    return false
  }
}

extension LensLine {
  /// Why the conversion does not fit the fields; nil where it does.
  func fault(sources: [FieldType], targets: [FieldType]) -> String? {
    if let odd = (sources + targets).first(where: { !$0.kind.isSingle || $0.kind == .blob }) {
      return "A lens has single values, and this is a \(odd.kind). Write what it needs in code."
    }
    let isRightCount =
      switch verb {
      case .retype: sources.count == 1 && targets.count == 1
      case .split: sources.count == 1 && targets.count > 1
      case .merge: sources.count > 1 && targets.count == 1
      case .fill: targets.count == 1
      }
    guard isRightCount else {
      return switch verb {
      case .retype: "A retype has one field on each side. More are a split or a merge."
      case .split: "A split has one field in front and several behind, such as split @4 to @7 @8."
      case .merge: "A merge has several fields in front and one behind, such as merge @4 @5 to @7."
      case .fill: "A fill has one field in front, such as fill @7 from @4 @5."
      }
    }
    guard conversion.fits(sources.map(\.kind), targets.map(\.kind)) else {
      let (from, to) = (sources.map(\.text), targets.map(\.text))
      return
        "“\(conversion.name)” does not make \(to.joined(separator: ", ")) of \(from.joined(separator: ", ")):"
        + " \(conversion.rule)."
    }
    return nil
  }
}

extension ConversionWord {
  /// The word that it begins with.
  var name: String { String(text.prefix { $0 != " " }) }

  /// Whether it makes values of these kinds of those.
  func fits(_ from: [ModelKind], _ to: [ModelKind]) -> Bool {
    if case .custom = self { return true }
    if case .separator = self {
      return (from + to).allSatisfy { $0 == .text } && min(from.count, to.count) == 1
        && max(from.count, to.count) > 1
    }
    guard from.count == 1, to.count == 1, let from = from.first, let to = to.first else {
      return false
    }
    let whole: [ModelKind] = [.int, .date]
    switch self {
    case .same: return from == to
    case .times(.int): return whole.contains(from) && whole.contains(to) || isScaled(from, to)
    case .times: return isScaled(from, to)
    case .over: return whole.contains(from) && whole.contains(to)
    case .text: return [.int, .double, .bool].contains(from) && to == .text
    case .number: return from == .text && [.int, .double].contains(to)
    case .cases(let cases):
      return cases.allSatisfy { $0.from.kind == from && $0.to.kind == to }
    case .separator, .custom: return false
    }
  }

  private func isScaled(_ from: ModelKind, _ to: ModelKind) -> Bool {
    [.int, .double].contains(from) && to == .double
  }

  /// What it is for.
  var rule: String {
    switch self {
    case .same: "it leaves values as they are, of one kind"
    case .times(.int): "it makes ints, dates or doubles of such, and never an int of a double"
    case .times: "it makes doubles of ints or doubles"
    case .over: "it makes ints or dates of such"
    case .text: "it makes a text of an int, a double or a bool"
    case .number: "it makes an int or a double of a text"
    case .cases: "it makes what stands behind the colons of what stands before them"
    case .separator: "it cuts one text into several, or joins several into one"
    case .custom: "it takes what the app's function takes"
    }
  }

  /// What would make one kind of another; the app's own function where no word does.
  static func between(_ from: ModelKind, _ to: ModelKind, named name: String) -> ConversionWord {
    let words: [ConversionWord] = [.same, .times(.double(1)), .text, .number]
    return words.first { $0.fits([from], [to]) } ?? .custom(name)
  }
}

extension ModelLiteral {
  /// The kind of such a value.
  var kind: ModelKind {
    switch self {
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .text: .text
    }
  }
}
