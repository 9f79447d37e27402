import ReunionCore
import ReunionDisk

/// The rules of a model for deletes, by the entity that is deleted.
struct DeleteRules: Sendable {
  /// A field that names records of the deleted entity.
  struct Naming: Sendable {
    let entity: EntityDescription
    let field: FieldDescription
    let onDelete: DeleteRule
  }

  private var byTarget: [UInt32: [Naming]] = [:]

  init(_ model: Model) {
    for entity in model.entities {
      for field in entity.fields {
        guard let rule = field.rule else { continue }
        byTarget[rule.target, default: []].append(
          Naming(entity: entity, field: field, onDelete: rule.onDelete))
      }
    }
  }

  /// The fields with a rule for when a record of an entity is deleted.
  subscript(target: UInt32) -> [Naming] { byTarget[target] ?? [] }
}

/// What deletes some records and does to those that name them what the rules say.
///
/// It is made whole before any of it is done: a refusal leaves nothing half deleted. *Cost*: a look into an
/// index for each deleted record and each field that may name it.
struct DeletePlan {
  /// A record that may not be without the one that it names.
  struct Refusal {
    let naming: DeleteRules.Naming
    let record: RecordID
    let named: RecordKey
    /// Which of the records that were to be deleted it is about.
    let root: Int
  }

  /// What is deleted, the records that were asked for first.
  private(set) var deleted: [RecordKey] = []
  /// The fields that name nothing from then on.
  private(set) var cleared: [FieldID] = []
  private(set) var refusals: [Refusal] = []

  /// `namers` finds the living records of which a field names a record.
  init(
    _ roots: [RecordKey], by rules: DeleteRules,
    namers: (DeleteRules.Naming, RecordID) throws(StoreError) -> [RecordID]
  ) throws(StoreError) {
    deleted = roots
    var rootOf = Array(roots.indices)
    // A record in this set is not visited again, so that circles end.
    var seen = Set(roots)
    var next = 0
    while next < deleted.count {
      let (named, root) = (deleted[next], rootOf[next])
      next += 1
      for naming in rules[named.entity] {
        for record in try namers(naming, named.id) {
          let key = RecordKey(entity: naming.entity.number, id: record)
          switch naming.onDelete {
          case .clear:
            cleared.append(
              FieldID(entity: key.entity, record: record, field: naming.field.number))
          case .delete:
            guard seen.insert(key).inserted else { continue }
            deleted.append(key)
            rootOf.append(root)
          case .refuse:
            refusals.append(Refusal(naming: naming, record: record, named: named, root: root))
          }
        }
      }
    }
    cleared.removeAll { seen.contains(RecordKey(entity: $0.entity, id: $0.record)) }
    refusals.removeAll {
      seen.contains(RecordKey(entity: $0.naming.entity.number, id: $0.record))
    }
  }
}

extension WriteTransaction {
  /// Deletes a record that is alive, and does to those that name it what the model's rules say.
  ///
  /// - Throws: `referenced`, and then nothing of it is done.
  func deleteNamed(_ key: RecordKey) throws(StoreError) {
    let bugs = store.options.seededBugs
    guard !store.deleteRules[key.entity].isEmpty, !bugs.deleteRulesIgnored else {
      return try perform(.delete, on: key)
    }
    let plan = try deletePlan([key])
    if let refusal = plan.refusals.first {
      if bugs.refusalTooLate { try perform(plan) }
      throw StoreError.referenced(refusal, store.model)
    }
    try perform(plan)
  }

  /// Deletes records that are alive as one act, as an undo does; returns those that something refuses to
  /// be without, and that stay.
  func deleteUnlessRefused(_ keys: [RecordKey]) throws(StoreError) -> [RecordKey] {
    guard keys.contains(where: { !store.deleteRules[$0.entity].isEmpty }) else {
      for key in keys { try perform(.delete, on: key) }
      return []
    }
    var (going, staying) = (keys, [RecordKey]())
    while true {
      let plan = try deletePlan(going)
      guard !plan.refusals.isEmpty else {
        try perform(plan)
        return staying
      }
      let refused = Set(plan.refusals.map { going[$0.root] })
      staying += going.filter(refused.contains)
      going.removeAll(where: refused.contains)
    }
  }

  private func deletePlan(_ keys: [RecordKey]) throws(StoreError) -> DeletePlan {
    try flush()
    return try DeletePlan(keys, by: store.deleteRules) { (naming, id) throws(StoreError) in
      try records.reader.namers(of: id, naming, space: space)
    }
  }

  private func perform(_ plan: DeletePlan) throws(StoreError) {
    for key in plan.deleted { try perform(.delete, on: key) }
    guard !store.options.seededBugs.clearedFieldStays else { return }
    for field in plan.cleared { try set(field, to: .null) }
  }
}

extension RecordReader {
  /// The living records of which a field names a record.
  fileprivate func namers(
    of id: RecordID, _ naming: DeleteRules.Naming, space: Int64
  ) throws(StoreError) -> [RecordID] {
    let table = layout.table(naming.entity.number)
    guard !table.isUnknown else { return [] }
    let statement = try connection.statement(
      "SELECT id FROM \(table.name) WHERE space = ?1 AND"
        + " \(naming.field.counted("f\(naming.field.number)")) = ?2 AND alive")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, id)
    var found: [RecordID] = []
    while try statement.step() { found.append(try statement.identifier(0)) }
    return found
  }
}

extension StoreError {
  fileprivate static func referenced(_ refusal: DeletePlan.Refusal, _ model: Model) -> StoreError {
    let named = refusal.named
    let name = model.entities.first { $0.number == named.entity }?.name ?? "record"
    let (entity, field) = (refusal.naming.entity.name, refusal.naming.field.name)
    return StoreError(
      .referenced,
      "The \(name) \(named.id.description) stays, because the \(entity) \(refusal.record.description)"
        + " names it: delete that \(entity) first, or change its \(field).")
  }
}
