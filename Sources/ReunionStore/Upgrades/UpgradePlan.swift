import ReunionCore
import ReunionDisk

/// What opening a store with a model does to it, told before it is done. A pure value: it is
/// computed from what the store has and the model alone.
///
/// ```swift
/// let plan = try Store.plan(folder: "album", model: model)
/// for step in plan.steps { print(step.word, step.subject?.description ?? "the store") }
/// ```
/// Nothing is removed by any step. Those that touch rows go through the guard (`UpgradeReport`);
/// the others are guarded by their one transaction: rows, blobs and clocks are none of their
/// business.
public struct UpgradePlan: Sendable {
  /// What is done, in this order; none if the store fits the model.
  public let steps: [UpgradeStep]
  /// Whether the store is new: its tables are made, and nothing is upgraded.
  public let isNew: Bool
  /// The layout from then on.
  let layout: Layout
  /// The SQL that renews the views; none where they stay.
  let views: [String]
  /// The indexes over fields, before and from then on.
  let indexes: IndexUpgrade
  /// The columns that do not simply hold their cells; nil where the store says so already.
  let columns: ShownColumns?
  /// The names that the model gives; nil where the store keeps them already.
  let names: FieldNames?

  /// Whether any step writes to rows of records, or changes the file's own tables, so that the
  /// guard watches it. Then the disk needs room for a copy of the database, and opening takes time
  /// for reading all of it twice.
  public var touchesRows: Bool { steps.contains(where: \.touchesRows) }

  /// Whether lenses alone make something anew. A tool that has none of the app's functions does
  /// that, and the app does it again: neither is a version to go back to.
  var isComputedAlone: Bool {
    steps.allSatisfy { if case .compute = $0 { true } else { false } }
  }

  /// Computes what brings a store to a model.
  ///
  /// - Throws: `invalidModel` where the two contradict each other.
  init(from stored: StoredLayout, to model: Model) throws(StoreError) {
    var layout = try stored.layout.adding(model)
    layout.textIndexes = stored.layout.textIndexes
    for entity in model.entities {
      let fields = entity.fields.filter(\.isSearchable).map(\.number)
      layout.textIndexes[entity.number] =
        fields.isEmpty ? nil : TextIndex(entity: entity.number, fields: fields)
    }
    self.layout = layout
    let columns = ShownColumns(layout)
    self.columns = columns == stored.columns ? nil : columns
    let wanted = model.entities.map { EntityView($0) }
    let isShown =
      stored.views
      == Dictionary(wanted.map { ($0.name, $0.create) }, uniquingKeysWith: { first, _ in first })
    views =
      isShown
      ? [] : stored.views.keys.sorted().map(EntityView.drop) + wanted.map(\.create).sorted()
    let names = FieldNames(model)
    self.names = stored.names.contains(names) ? nil : names
    isNew = stored.isNew
    indexes = IndexUpgrade(from: stored.indexes, to: model)
    let steps = Steps(stored: stored, model: model, layout: layout)
    let format = Int(DatabaseSchema.version)
    self.steps =
      (stored.format < format ? [.format(from: stored.format, to: format)] : [])
      + steps.additions() + steps.computations() + steps.namings(isRenewed: !isShown)
      + steps.words()
      + indexes.steps(model, stored.names)
  }
}

/// Tells what differs between a store and a model.
private struct Steps {
  let stored: StoredLayout
  let model: Model
  let layout: Layout

  /// New tables and columns, and what they take in.
  func additions() -> [UpgradeStep] {
    model.entities.flatMap { entity -> [UpgradeStep] in
      let subject = UpgradeSubject(entity)
      let fields = stored.layout.added(entity).map {
        UpgradeStep.addField(UpgradeSubject(entity, $0), kind: $0.kind)
      }
      let isKnown = stored.layout.isKnown(entity.number)
      // Where all records are written anew, that takes in the unknown too.
      let isComputed = isKnown && !computed(entity.number).isEmpty
      let unknown = isComputed ? nil : stored.unknownRecords[entity.number]
      return (isKnown ? [] : [.addEntity(subject)]) + fields
        + (unknown.map { [.takeIn(subject, records: $0)] } ?? [])
    }
  }

  /// Columns that come to show numbers of another kind, or what lenses make.
  func computations() -> [UpgradeStep] {
    stored.layout.tables.filter { !$0.isUnknown }.flatMap { table -> [UpgradeStep] in
      let fields = computed(table.entity)
      guard !fields.isEmpty else { return [] }
      let entity = model.entities.first { $0.number == table.entity }
      let name = entity?.name ?? stored.names.entity(table.entity) ?? "entity \(table.entity)"
      func fieldName(_ field: UInt32) -> String {
        entity?.columns.first { $0.number == field }?.name
          ?? stored.names.field(field, of: table.entity) ?? "field \(field)"
      }
      let widened = fields.compactMap { field -> UpgradeStep? in
        let new = layout.table(table.entity)
        guard let was = table.column(of: field), let index = new.column(of: field),
          table.columns[was].kind != new.columns[index].kind
        else { return nil }
        return .widen(
          UpgradeSubject(table.entity, name, field: field, fieldName(field)),
          to: new.columns[index].kind)
      }
      return widened + [
        .compute(
          UpgradeSubject(table.entity, name), fields: fields.map(fieldName),
          records: stored.records[table.entity] ?? 0)
      ]
    }
  }

  /// The fields of an entity that show something else, rising.
  private func computed(_ entity: UInt32) -> [UInt32] {
    ShownColumns(layout).fields(of: entity, otherThanIn: stored.columns).sorted()
  }

  /// What names and views come to say.
  func namings(isRenewed: Bool) -> [UpgradeStep] {
    let shown = stored.shown
    var steps: [UpgradeStep] = []
    for entity in model.entities where stored.layout.isKnown(entity.number) {
      let subject = UpgradeSubject(entity)
      let view = shown.first { $0.view.entity == entity.number }?.view
      let name = stored.names.entity(entity.number)
      if let name, name != entity.name { steps.append(.rename(subject, from: name)) }
      if name.flatMap({ stored.views[$0] }) == nil { steps.append(.show(subject)) }
      steps += namings(of: entity, view)
    }
    for table in stored.layout.tables {
      guard let hidden = stored.hidden[table.entity] else { continue }
      let subject = UpgradeSubject(
        table.entity, stored.names.entity(table.entity) ?? "entity \(table.entity)")
      steps.append(
        .hideEntity(subject, records: hidden.records, references: hidden.references))
    }
    let isInOtherWords = shown.contains { !$0.isExact }
    let isSaid = !steps.isEmpty || !additions().isEmpty
    return steps + (isRenewed && (isInOtherWords || !isSaid) ? [.renewViews] : [])
  }

  private func namings(of entity: EntityDescription, _ view: EntityView?) -> [UpgradeStep] {
    var steps: [UpgradeStep] = []
    for field in entity.fields
    where stored.layout.table(entity.number).column(of: field.number) != nil {
      let subject = UpgradeSubject(entity, field)
      let name = stored.names.field(field.number, of: entity.number)
      if let name, name != field.name {
        steps.append(.rename(subject, from: "\(entity.name).\(name)"))
      }
      if stored.names.initial(field.number, of: entity.number) != field.initial {
        steps.append(.begin(subject, with: field.initial))
      }
      if let view, !view.columns.contains(where: { $0.field == field.number }) {
        steps.append(.show(subject))
      }
    }
    for column in view?.columns ?? []
    where !entity.fields.contains(where: { $0.number == column.field }) {
      steps.append(
        .hide(
          UpgradeSubject(entity.number, entity.name, field: column.field, column.name)))
    }
    return steps
  }

  /// Indexes of words that come and go.
  func words() -> [UpgradeStep] {
    model.entities.compactMap { entity in
      let (old, new) = (
        stored.layout.textIndexes[entity.number], layout.textIndexes[entity.number]
      )
      guard old != new else { return nil }
      guard let new else { return .dropWords(UpgradeSubject(entity)) }
      return .indexWords(
        UpgradeSubject(entity),
        fields: entity.fields.filter { new.fields.contains($0.number) }.map(\.name))
    }
  }
}

extension UpgradePlan: CustomStringConvertible {
  /// A line for each step, and what guards them; for a person.
  public var description: String {
    guard !steps.isEmpty else { return "Nothing is to be done." }
    let guarded =
      touchesRows
      ? "Some steps write to records: a snapshot is kept, and all is compared before it counts."
      : "No step writes to a record: one transaction does all of it, or nothing."
    return steps.map { "- \($0)\n" }.joined() + guarded
  }
}
