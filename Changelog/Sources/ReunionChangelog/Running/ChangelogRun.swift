/// Runs a changelog on a database. What is done is decided by plans; this performs it.
///
/// *Thread*: one. *Durability*: what was reported as run is on the disk.
package final class ChangelogRun {
  let changelog: Changelog
  let database: any ChangelogDatabase
  let selection: Selection
  let options: RunOptions
  let clock: RunClock
  let report: (RunEvent) -> Void
  /// Where SQL is only written down: then there is no lock and no copy.
  let script: ScriptDatabase?
  let history: HistoryTable
  let lock: ChangelogLock
  /// What is in nobody's schema: our own tables.
  package static let ownTables: Set<String> = [
    HistoryTable.name, LockTable.name, StepTable.name,
  ]

  /// A run. With a `script`, nothing is changed: it is given the SQL that would be run.
  package init(
    _ changelog: Changelog, on database: any ChangelogDatabase, _ selection: Selection,
    _ options: RunOptions = RunOptions(), clock: RunClock = .system,
    script: ((String) -> Void)? = nil, report: @escaping (RunEvent) -> Void = { _ in }
  ) {
    self.changelog = changelog
    self.selection = selection
    self.options = options
    self.clock = clock
    self.report = report
    self.script = script.map { ScriptDatabase(database, write: $0) }
    self.database = self.script ?? database
    history = HistoryTable(self.database)
    lock = ChangelogLock(self.database, options, clock, report)
  }

  // MARK: Reading

  /// The history as it is now; nil if there is none.
  package func rows() throws(ChangelogError) -> [HistoryRow]? {
    try asking(database) { () throws(DatabaseError) in try history.rows() }
  }

  /// What an update would do.
  package func plan(_ limit: UpdatePlan.Limit = .all) throws(ChangelogError) -> UpdatePlan {
    try updatePlan(rows() ?? [], limit)
  }

  func updatePlan(
    _ rows: [HistoryRow], _ limit: UpdatePlan.Limit
  ) throws(ChangelogError) -> UpdatePlan {
    try UpdatePlan(changelog, rows, selection, limit, adoptsPaths: options.adoptsPaths)
  }

  /// What forbids an update, whole: edited changesets, and SQL that cannot be cut into statements.
  package func problems() throws(ChangelogError) -> [ChangelogError] {
    let plan = try plan()
    var problems = plan.problems
    for step in plan.runs {
      do throws(ChangelogError) { try check(step.changeset) } catch { problems.append(error) }
    }
    return problems
  }

  /// Throws the first of them, and says how many more there are.
  func refuse(_ problems: [ChangelogError]) throws(ChangelogError) {
    guard let first = problems.first else { return }
    guard problems.count > 1 else { throw first }
    throw ChangelogError(
      .refused,
      first.sentence + " There are \(problems.count - 1) more: see reunion changelog validate.",
      at: first.place, write: first.remedy)
  }

  /// Reads all that a changeset would run, so that nothing is run of what cannot be read.
  func check(_ changeset: Changeset) throws(ChangelogError) {
    _ = try Statements.check(changeset.changes, of: changeset, database.dialect)
    if case .sql(let changes) = changeset.rollback {
      _ = try Statements.check(changes, of: changeset, database.dialect)
    }
  }

  // MARK: Means

  /// Does something with both locks.
  func locked<Value>(
    first: () throws(ChangelogError) -> Void = {},
    _ body: () throws(ChangelogError) -> Value
  ) throws(ChangelogError) -> Value {
    guard script == nil else { return try body() }
    try lock.take(first: first)
    let value: Value
    do throws(ChangelogError) {
      value = try body()
    } catch {
      // The run's own trouble is told, not that of a connection which may be gone.
      try? lock.release()
      throw error
    }
    try asking(database) { () throws(DatabaseError) in try lock.release() }
    return value
  }

  /// Does something in a transaction in which the lock is still ours.
  func transaction(_ body: () throws(ChangelogError) -> Void) throws(ChangelogError) {
    try asking(database) { () throws(DatabaseError) in try database.begin() }
    do throws(ChangelogError) {
      try needLock()
      try body()
      try commit()
    } catch {
      // Where even this fails the connection is gone, and the transaction with it.
      try? database.rollBack()
      throw error
    }
  }

  func needLock() throws(ChangelogError) {
    guard script == nil else { return }
    guard try asking(database, { () throws(DatabaseError) in try lock.isHeld() }) else {
      throw ChangelogError(
        .locked, "Somebody released our lock meanwhile. Nothing more was run.",
        write: "the command again, once nobody else runs")
    }
  }

  /// The history, made where it was not there, read with the lock.
  func lockedRows() throws(ChangelogError) -> [HistoryRow] {
    var rows: [HistoryRow] = []
    try transaction { () throws(ChangelogError) in
      rows = try asking(database) { () throws(DatabaseError) in
        try history.make()
        return try history.rows() ?? []
      }
    }
    return rows
  }

  /// The version of new checksums.
  func checksumVersion(_ rows: [HistoryRow]) -> Int {
    options.checksumVersion ?? (rows.contains { $0.checksum?.version == 8 } ? 8 : 9)
  }

  /// The number of this run, by which its rows are known.
  func deployment() -> String { String(String(clock.now()).suffix(10)) }

  /// The row that a changeset gets.
  func row(
    of changeset: Changeset, _ outcome: HistoryRow.Outcome, order: Int, version: Int,
    _ deployment: String
  ) -> HistoryRow {
    var row = HistoryRow()
    row.id = changeset.id
    row.author = changeset.author
    row.path = changeset.path
    row.order = order
    row.outcome = outcome
    row.checksum = changeset.checksum(version, database.dialect)
    row.description = Self.short(changeset.summary)
    row.comment = Self.short(changeset.comment)
    row.tag = changeset.tag
    row.program = options.program
    row.contexts = changeset.storedContexts
    row.labels = changeset.attributes.labels
    row.deployment = deployment
    return row
  }

  /// As much as a column of 255 characters takes.
  private static func short(_ text: String) -> String {
    text.utf16.count <= 250 ? text : text.prefix(247) + "..."
  }
}
