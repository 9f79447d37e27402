@testable import ReunionModel

/// A model that grows: a first version, and edits of all kinds that a later one may make.
struct RandomModel {
  struct Entity {
    var line: EntityLine
    var fields: [FieldLine] = []
    var indexes: [IndexLine] = []
    var lenses: [LensLine] = []
    /// What stands above it.
    var documentation: [ModelLine] = []

    var shown: [Int] { fields.indices.filter { !fields[$0].isHidden } }
    var nextNumber: UInt32 { (fields.map(\.number).max() ?? 0) + 1 }
    /// The fields that a lens reads or makes, whose kinds stay.
    var bound: Set<UInt32> { Set(lenses.flatMap { $0.sources + $0.targets }) }

    /// Leaves a field out, and out of the indexes.
    mutating func hide(_ index: Int) {
      let name = fields[index].name
      fields[index] = fields[index].hidden
      indexes = indexes.compactMap { index in
        let rest = index.fields.filter { $0 != name }
        return rest.isEmpty ? nil : IndexLine(fields: rest)
      }
      indexes = indexes.enumerated().filter { at, index in !indexes[..<at].contains(index) }
        .map(\.element)
    }
  }

  private(set) var entities: [Entity] = []
  private(set) var minimumReader: Int?
  private var random: Seeded
  private var nameCount = 0
  /// How many entities came back that had been left out.
  private(set) var returnCount = 0
  /// The name and the signature of each function of the app's that a lens needs.
  private(set) var customs: [(name: String, from: [FieldLine], to: [FieldLine])] = []

  init(seed: UInt64) {
    random = Seeded(state: seed)
    for _ in 0..<(1 + chance(4)) { addEntity() }
  }

  /// The file of the version.
  var text: String {
    var lines: [ModelLine] = [.import("ReunionStore")]
    if let minimumReader { lines.append(.minimumReader(minimumReader)) }
    for entity in entities {
      lines += [.blank] + entity.documentation + [.entity(entity.line)]
      // Half of those that are left out stand without their fields, as the cure of the check has it.
      if entity.line.isHidden, entity.line.number.isMultiple(of: 2) { continue }
      for field in entity.fields {
        if field.number.isMultiple(of: 5) { lines += entity.documentation.map(\.indented) }
        lines.append(.field(field))
      }
      lines += entity.indexes.map { .index($0) }
      lines += entity.lenses.map { .lens($0) }
    }
    return lines.map { $0.text + "\n" }.joined()
  }

  /// Makes the next version of it.
  mutating func edit(to version: Int) {
    for _ in 0...chance(4) {
      switch chance(12) {
      case 0: addEntity()
      case 1, 2: withEntity { model, index in model.addField(to: index) }
      case 3: rename()
      case 4: withEntity { model, index in model.hideField(of: index) }
      case 5: withEntity { model, index in model.widen(in: index) }
      case 6: withEntity { model, index in model.retype(in: index) }
      case 7: withEntity { model, index in model.splitOrMerge(in: index) }
      case 8: withEntity { model, index in model.fill(in: index) }
      case 9: withEntity { model, index in model.index(index) }
      case 10: minimumReader = Swift.max(minimumReader ?? 1, chance(version) + 1)
      default: if chance(2) == 0 { hideEntity() } else { showEntity() }
      }
    }
  }

  private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func some<C: Collection>(_ choices: C) -> C.Element? {
    choices.randomElement(using: &random)
  }

  private mutating func name() -> String {
    nameCount += 1
    let words = ["class", "in", "default", "init", "Type", "value", "of", "some", "repeat"]
    // A word of Swift's, once.
    if nameCount <= words.count, chance(2) == 0 { return words[nameCount - 1].lowercased() }
    return "\(["note", "place", "size", "x"][nameCount % 4])\(nameCount)"
  }

  private mutating func withEntity(_ body: (inout RandomModel, Int) -> Void) {
    let shown = entities.indices.filter { !entities[$0].line.isHidden }
    if let index = some(shown) { body(&self, index) }
  }

  private mutating func addEntity() {
    let number = (entities.map(\.line.number).max() ?? 0) + 1
    entities.append(
      Entity(
        line: EntityLine(name: "thing\(number)", number: number), documentation: documentation()))
    if chance(3) == 0 { entities[entities.count - 1].line.type = "Kind\(number)" }
    let isFirst = entities.count == 1
    for _ in 0..<(isFirst ? 2 : 1) + chance(8) { addField(to: entities.count - 1) }
  }

  /// Lines that would end a comment if they were taken as they are.
  private mutating func documentation() -> [ModelLine] {
    (0..<chance(4)).map { _ in
      let texts = ["An entity.", "It ends */ here.", "A star: *", "", "`${x}` \\"]
      if chance(4) == 0 { return .comment(some(["//////", "////", "//"]) ?? "//") }
      let text = some(texts) ?? ""
      return .documentation("///" + (text.isEmpty ? "" : " " + text))
    }
  }

  private mutating func addField(to index: Int) {
    var field = FieldLine(
      name: name(), number: entities[index].nextNumber, type: FieldType(kind: .text))
    field.type.kind = some(ModelKind.allCases) ?? .text
    switch field.type.kind {
    case .reference:
      let target = some(entities.filter { !$0.line.isHidden }) ?? entities[index]
      (field.type.target, field.type.isOptional) = (target.line.name, true)
      if chance(2) == 0 { field.inverse = "named\(nameCount)" }
      if chance(2) == 0 { field.onDelete = some(DeleteWord.allCases) }
      if chance(3) == 0 { field.swiftType = "RecordID" }
    case .set, .list: field.type.element = some([.text, .int, .double, .bool, .date, .uuid])
    case .counter: break
    default: field.type.isOptional = chance(3) == 0
    }
    if let initial = initial(field.type.kind), !field.type.isOptional, chance(2) == 0 {
      field.initial = initial
    }
    if field.type.kind == .text, chance(3) == 0 { field.isSearchable = true }
    if [.text, .bytes].contains(field.type.kind), chance(3) == 0 { field.bytesMax = 100 }
    if field.type.kind == .blob, chance(3) == 0 { field.inlineBelow = 100 }
    if field.type.kind == .text, field.initial != nil, chance(3) == 0 {
      (field.swiftType, field.initial) = ("Mark", .text("mark"))
    }
    entities[index].fields.append(field)
  }

  private mutating func initial(_ kind: ModelKind) -> ModelLiteral? {
    switch kind {
    case .bool: .bool(chance(2) == 0)
    case .int: .int(Int64(chance(2000)) - 1000)
    case .double: .double(Double(chance(2000)) / 8)
    case .text: .text(some(["", "a \"b\" \\ c", "é\n\t", "\\(1 + 1)", "*/ /* '${x}"]) ?? "")
    default: nil
    }
  }

  private mutating func rename() {
    withEntity { model, index in
      guard let field = model.some(model.entities[index].shown) else { return }
      let (old, new) = (model.entities[index].fields[field].name, model.name())
      model.entities[index].fields[field].name = new
      for at in model.entities[index].indexes.indices {
        model.entities[index].indexes[at].fields = model.entities[index].indexes[at].fields
          .map { $0 == old ? new : $0 }
      }
    }
  }

  private mutating func hideField(of index: Int) {
    guard entities[index].shown.count > 1, let field = some(entities[index].shown) else { return }
    entities[index].hide(field)
  }

  private mutating func hideEntity() {
    let shown = entities.indices.filter { !entities[$0].line.isHidden }
    guard shown.count > 1, let index = some(shown) else { return }
    let name = entities[index].line.name
    entities[index].line.isHidden = true
    entities[index].line.type = nil
    entities[index].indexes = []
    for other in entities.indices {
      for field in entities[other].shown
      where entities[other].fields[field].type.target == name {
        entities[other].hide(field)
      }
    }
  }

  /// Takes in again what an earlier version left out, with all of its fields.
  private mutating func showEntity() {
    guard let index = some(entities.indices.filter({ entities[$0].line.isHidden })) else { return }
    entities[index].line.isHidden = false
    returnCount += 1
  }

  private mutating func widen(in index: Int) {
    let free = entities[index].shown.filter {
      let field = entities[index].fields[$0]
      return !entities[index].bound.contains(field.number) && field.swiftType == nil
        && field.type.kind.isValue
    }
    guard let at = some(free) else { return }
    var field = entities[index].fields[at]
    if field.type.kind == .int, chance(2) == 0 {
      field.type.kind = .double
      if case .int(let number)? = field.initial { field.initial = .double(Double(number)) }
    } else {
      (field.type.isOptional, field.initial) = (true, nil)
    }
    entities[index].fields[at] = field
  }

  private mutating func index(_ index: Int) {
    if chance(3) == 0, !entities[index].indexes.isEmpty {
      entities[index].indexes.removeLast()
      return
    }
    let names = entities[index].shown.map { entities[index].fields[$0] }
      .filter { $0.type.kind.isValue || $0.type.kind == .reference }.map(\.name)
    let line = IndexLine(fields: Array(names.shuffled(using: &random).prefix(1 + chance(3))))
    guard !line.fields.isEmpty, !entities[index].indexes.contains(line) else { return }
    entities[index].indexes.append(line)
  }

  // Lenses

  /// The fields that a lens may read.
  private func sources(in index: Int, _ kinds: [ModelKind]) -> [Int] {
    entities[index].shown.filter {
      let field = entities[index].fields[$0]
      return kinds.contains(field.type.kind) && field.swiftType == nil
    }
  }

  private mutating func target(_ kind: ModelKind, in index: Int) -> FieldLine {
    FieldLine(
      name: name(), number: entities[index].nextNumber,
      type: FieldType(kind: kind, isOptional: chance(3) == 0))
  }

  private mutating func custom(_ from: [FieldLine], _ to: [FieldLine]) -> ConversionWord {
    let name = "custom\(customs.count)"
    customs.append((name, from, to))
    return .custom(name)
  }

  private mutating func retype(in index: Int) {
    guard let at = some(sources(in: index, [.int, .double, .text, .bool, .date])) else { return }
    let from = entities[index].fields[at]
    let kinds: [ModelKind: [ModelKind]] = [
      .int: [.double, .text, .date, .int], .double: [.double, .text], .text: [.int, .double],
      .bool: [.text], .date: [.int, .date],
    ]
    var to = target(some(kinds[from.type.kind] ?? []) ?? .text, in: index)
    var word: ConversionWord
    switch (from.type.kind, to.type.kind) {
    case (.int, .int), (.int, .date), (.date, .int), (.date, .date):
      word = chance(2) == 0 ? .times(.int(60)) : .over(60)
    case (.int, .double), (.double, .double): word = .times(.double(0.5))
    case (.text, _): word = .number
    case (.bool, _):
      word = .cases([
        .init(from: .bool(true), to: .text("yes")), .init(from: .bool(false), to: .text("no: \"")),
      ])
    default: word = .text
    }
    if chance(4) == 0 { word = custom([from], [to]) }
    to.type.isOptional = to.type.isOptional || from.type.isOptional
    add(
      LensLine(verb: .retype, sources: [from.number], targets: [to.number], conversion: word), [to],
      in: index)
    if let place = entities[index].fields.firstIndex(where: { $0.number == from.number }) {
      entities[index].hide(place)
    }
  }

  private mutating func splitOrMerge(in index: Int) {
    let texts = sources(in: index, [.text]).filter { !entities[index].fields[$0].type.isOptional }
    if chance(2) == 0, let at = some(texts) {
      let from = entities[index].fields[at]
      var parts: [FieldLine] = []
      for _ in 0..<2 + chance(2) {
        var part = target(.text, in: index)
        (part.type.isOptional, part.number) = (false, part.number + UInt32(parts.count) * 4)
        parts.append(part)
      }
      add(
        LensLine(
          verb: .split, sources: [from.number], targets: parts.map(\.number),
          conversion: .separator(", ")), parts, in: index)
    } else if texts.count > 1 {
      let from = Array(texts.shuffled(using: &random).prefix(2)).map { entities[index].fields[$0] }
      var to = target(.text, in: index)
      to.type.isOptional = false
      let word = chance(2) == 0 ? ConversionWord.separator("\n") : custom(from, [to])
      add(
        LensLine(verb: .merge, sources: from.map(\.number), targets: [to.number], conversion: word),
        [to], in: index)
    }
  }

  private mutating func fill(in index: Int) {
    guard let at = some(sources(in: index, [.text, .int, .date, .uuid])) else { return }
    let from = entities[index].fields[at]
    var to = target(.text, in: index)
    if chance(2) == 0 { (to.swiftType, to.type.isOptional) = ("Mark", false) }
    let word = custom([from], [to])
    add(
      LensLine(verb: .fill, sources: [from.number], targets: [to.number], conversion: word), [to],
      in: index)
  }

  private mutating func add(_ lens: LensLine, _ targets: [FieldLine], in index: Int) {
    entities[index].fields += targets
    entities[index].lenses.append(lens)
  }
}

extension ModelKind {
  /// Whether it is one value that widens and that an index has.
  fileprivate var isValue: Bool {
    [.bool, .int, .double, .text, .bytes, .date, .uuid].contains(self)
  }
}

extension ModelLine {
  /// The line as it stands above a field.
  fileprivate var indented: ModelLine {
    switch self {
    case .comment(let text): .comment("  " + text)
    case .documentation(let text): .documentation("  " + text)
    default: self
    }
  }
}

/// A generator of random numbers that gives the same ones for the same seed. Source: SplitMix64.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}
