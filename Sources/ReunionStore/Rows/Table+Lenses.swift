import ReunionCore

/// What shows of a field, and when that was written, by whom.
struct ShownValue {
  /// Nil where the field's column can show nothing of it.
  var value: Value?
  var stamp: Stamp
  var site: Site
  /// Whether a lens has made it of other fields.
  var isComputed = false

  /// Whether it was written before another.
  func isEarlier(than other: ShownValue) -> Bool {
    stamp != other.stamp ? stamp < other.stamp : site < other.site
  }
}

/// What the columns of a record show: its cells, and what lenses make of them (decision 43).
///
/// All of it follows from the cells alone, so that it is the same on every replica of a model, whatever
/// the order in which the cells came.
extension Table {
  /// The value that a field shows; nil if nobody wrote it and no lens makes it.
  func shown(_ field: UInt32, _ state: RecordState) -> ShownValue? {
    let own = state.register(field).map { cell in
      ShownValue(value: shown(cell), stamp: cell.stamp, site: cell.dot.site)
    }
    guard let lens = lenses.first(where: { $0.makes(field) }) else { return own }
    if lens.fills, own != nil { return own }
    let sources = lens.sources.map { shown($0.field, state) }
    var newest = lens.fills ? ShownValue(stamp: .none, site: Site(device: 0, incarnation: 0)) : nil
    for source in sources.compactMap({ $0 }) where newest?.isEarlier(than: source) != false {
      newest = source
    }
    guard let newest, own?.isEarlier(than: newest) != false else { return own }
    if bugs.olderDeviceIgnored, own != nil { return own }
    guard let inputs = Self.inputs(sources, of: lens), let made = lens.forward(inputs),
      let index = lens.targets.firstIndex(where: { $0.field == field })
    else { return own }
    return ShownValue(
      value: made[index], stamp: newest.stamp, site: newest.site, isComputed: true)
  }

  /// The value that stands in a field: what a lens made, or that of the field's own cell.
  func standing(_ field: UInt32, _ state: RecordState) -> Value? {
    if let shown = shown(field, state), shown.isComputed { return shown.value }
    return state.register(field).map { shown($0) ?? $0.value }
  }

  /// Whether a write of a field still shows: it was not written again, and if a lens has made something
  /// of later writes, that is the same.
  func stands(_ dot: Dot, in field: UInt32, _ state: RecordState) -> Bool {
    guard let cell = state.register(field), cell.dot == dot else { return false }
    guard let shown = shown(field, state), shown.isComputed else { return true }
    return shown.value == self.shown(cell)
  }

  /// A cell's value as its column shows it.
  private func shown(_ cell: Cell) -> Value? {
    column(of: cell.field).map { columns[$0].shown(cell.value) } ?? cell.value
  }

  /// What a lens reads; nil where a source has nothing that it can read.
  private static func inputs(_ sources: [ShownValue?], of lens: FieldLens) -> [Value]? {
    var inputs: [Value] = []
    for (source, end) in zip(sources, lens.sources) {
      var value = source == nil ? end.initial : source?.value
      if value == .null, !end.isOptional { value = end.initial }
      guard let value else { return nil }
      inputs.append(value)
    }
    return inputs
  }

  /// What lenses have made, by column. Cost: nothing where the entity has no lens.
  func computed(_ state: RecordState) -> [Int: Value] {
    var computed: [Int: Value] = [:]
    for lens in lenses {
      for target in lens.targets {
        guard let index = column(of: target.field), let shown = shown(target.field, state),
          shown.isComputed
        else { continue }
        computed[index] = shown.value
      }
    }
    return computed
  }

  /// What the seeded bug takes for cells: what lenses have made, under the dots of what they read.
  func mistaken(_ state: RecordState) -> RecordState {
    guard bugs.computedValueSent else { return state }
    var mistaken = state
    for (index, value) in computed(state) {
      let field = columns[index].field
      let source = lenses.first { $0.makes(field) }?.sources.compactMap { state.register($0.field) }
      guard var cell = source?.first else { continue }
      cell.field = field
      cell.value = value
      _ = mistaken.merge(cell)
    }
    return mistaken
  }

  /// The lenses that make something of a field.
  func lenses(reading field: UInt32) -> [FieldLens] {
    lenses.filter { lens in lens.sources.contains { $0.field == field } }
  }

  /// Whether no value of a lens's sources is longer than the model says.
  func isWithinLimits(_ values: [Value], of lens: FieldLens) -> Bool {
    zip(lens.sources, values).allSatisfy { source, value in
      column(of: source.field).map { value.bytes.count <= columns[$0].bytesMax } ?? true
    }
  }

  /// Whether a lens makes a field.
  func isMade(_ field: UInt32) -> Bool { lenses.contains { $0.makes(field) } }

  /// The fields that show others when one of these changes, and these.
  func touched(_ fields: FieldSet) -> FieldSet {
    var touched = fields
    for lens in lenses where lens.sources.contains(where: { touched.contains($0.field) }) {
      for target in lens.targets { touched.formUnion(FieldSet(target.field)) }
    }
    return touched
  }

  /// Whether what is written into one field may decide what another shows.
  func isLinked(_ field: UInt32, _ other: UInt32) -> Bool {
    field == other || links.contains { $0.contains(field) && $0.contains(other) }
  }

  /// Whether a lens reads or makes a field.
  func hasLens(_ field: UInt32) -> Bool { links.contains { $0.contains(field) } }

  /// The fields of each group of lenses that build on each other.
  static func links(_ lenses: [FieldLens]) -> [Set<UInt32>] {
    var links: [Set<UInt32>] = []
    for lens in lenses {
      var link = Set((lens.sources + lens.targets).map(\.field))
      for other in links where !other.isDisjoint(with: link) { link.formUnion(other) }
      links.removeAll { !$0.isDisjoint(with: link) }
      links.append(link)
    }
    return links
  }
}
