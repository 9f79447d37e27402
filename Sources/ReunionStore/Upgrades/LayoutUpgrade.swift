import ReunionCore
package import ReunionDisk

/// Brings the tables of a store to a model, as a plan says.
///
/// *Durability*: one transaction. Rows keep their clocks and arrival numbers. Nothing is removed.
package struct LayoutUpgrade {
  package let connection: DatabaseConnection
  package let model: Model
  private let bugs: SeededBugs

  package init(connection: DatabaseConnection, model: Model, bugs: SeededBugs = SeededBugs()) {
    self.connection = connection
    self.model = model
    self.bugs = bugs
  }

  /// Brings the tables of a database that nobody has used yet to the model, and returns the layout from
  /// now on.
  package func run() throws(StoreError) -> Layout { try run(guardedBy: nil).layout }

  /// Upgrades, and returns the layout from now on, and what was done; nil where that is nothing.
  func run(
    guardedBy guarding: UpgradeGuard?
  ) throws(StoreError) -> (layout: Layout, report: UpgradeReport?) {
    let start = ContinuousClock.now
    let stored = try StoredLayout(connection, for: model)
    let plan = try UpgradePlan(from: stored, to: model)
    guard !plan.steps.isEmpty || plan.names != nil else { return (plan.layout, nil) }
    var report = UpgradeReport(steps: plan.steps)
    if plan.touchesRows, let guarding {
      report = try guarding.run(self, plan, from: stored)
    } else {
      try connection.transaction { () throws(StoreError) in
        try perform(plan, from: stored.layout)
      }
    }
    guard !stored.isNew, !plan.steps.isEmpty else { return (plan.layout, nil) }
    report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return (plan.layout, report)
  }

  /// The layout that the store has; throws where the model needs more.
  func readWhole() throws(StoreError) -> Layout {
    let old = try Layout(connection)
    var new = try old.adding(model)
    let columns = try ShownColumns(connection)
    guard ShownColumns(new).isContained(in: columns),
      new.tables.map(\.entity) == old.tables.map(\.entity),
      new.tables.map(\.columns) == old.tables.map(\.columns)
    else {
      throw StoreError(
        .invalidModel,
        "The model is newer than the store at \(connection.path): read it with an earlier"
          + " one, or salvage it first.")
    }
    new.textIndexes = old.textIndexes
    return new
  }

  /// Performs a plan, in the transaction that is under way. SQLite refuses it every write to the tables
  /// that name blobs.
  func perform(_ plan: UpgradePlan, from old: Layout) throws(StoreError) {
    try connection.refusingWrites(to: UpgradeGuard.outOfReach) { () throws(StoreError) in
      try performSteps(plan, from: old)
    }
  }

  private func performSteps(_ plan: UpgradePlan, from old: Layout) throws(StoreError) {
    if bugs.upgradeReachesBlobs {
      try connection.execute("DELETE FROM reunion_blob; DELETE FROM reunion_blob_reference")
    }
    let words = TextIndexUpgrade(connection: connection, old: old, new: plan.layout)
    for step in plan.steps {
      switch step {
      case .format(let old, let new): try FormatUpgrade.run(connection, from: old, to: new)
      case .addEntity(let subject):
        try connection.execute(plan.layout.table(subject.entity).create)
        try note(subject.entity, Cell.existence, .null)
      case .addField(let subject, let kind): try add(subject, kind, isNew: old)
      case .takeIn(let subject, _): try takeIn(subject, old: old, new: words.kept)
      case .indexWords(let subject, _), .dropWords(let subject): try words.run(subject.entity)
      case .compute(let subject, _, _):
        try ComputeUpgrade(connection: connection, old: old, new: words.kept).run(subject.entity)
      case .widen, .rename, .hide, .hideEntity, .show, .begin, .index, .dropIndex,
        .renewViews:
        break
      }
      if bugs.upgradeInPieces { try connection.execute("COMMIT; BEGIN IMMEDIATE") }
    }
    try plan.columns?.write(connection)
    // What the steps of names and indexes come to.
    try plan.indexes.run(connection)
    for sql in plan.views { try connection.execute(sql) }
    try plan.names?.write(connection)
  }

  private func add(
    _ subject: UpgradeSubject, _ kind: ValueKind, isNew old: Layout
  ) throws(StoreError) {
    guard let field = subject.field else { return }
    // A table that is made has its columns.
    if old.isKnown(subject.entity) {
      let table = Table.name(of: subject.entity)
      try connection.execute("ALTER TABLE \(table) ADD COLUMN f\(field)")
    }
    try note(subject.entity, field, kind)
  }

  private func note(_ entity: UInt32, _ field: UInt32, _ kind: ValueKind) throws(StoreError) {
    let insert = try connection.statement("INSERT INTO reunion_field VALUES(?1, ?2, ?3)")
    try insert.bind(1, Int64(entity))
    try insert.bind(2, Int64(field))
    try insert.bind(3, Int64(kind.rawValue))
    try insert.run()
  }

  private func takeIn(
    _ subject: UpgradeSubject, old: Layout, new: Layout
  ) throws(StoreError) {
    guard let entity = model.entities.first(where: { $0.number == subject.entity }) else { return }
    try RecordMove(connection: connection, old: old, new: new, bugs: bugs).run(entity)
  }
}
