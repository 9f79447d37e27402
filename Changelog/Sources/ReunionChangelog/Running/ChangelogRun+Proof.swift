extension ChangelogRun {
  /// Proves on a scratch copy that all that is to be run can be undone, and then runs it.
  ///
  /// Up, down and up again: after down, schema and data are those of before; after the second up, the
  /// schema is that of the first. Where that does not hold, the database itself is not touched.
  package func updateTestingRollback(
    _ limit: UpdatePlan.Limit = .all
  ) throws(ChangelogError) -> Outcome {
    try proveRollback(limit)
    return try update(limit)
  }

  /// The proof alone.
  package func proveRollback(_ limit: UpdatePlan.Limit = .all) throws(ChangelogError) {
    let plan = try plan(limit)
    try refuse(plan.problems)
    let keys = Set(plan.steps.filter { $0.action == .run }.map { $0.changeset.key })
    guard !keys.isEmpty else { return }
    let database = script?.database ?? database
    let scratch = try asking(database) { () throws(DatabaseError) in try database.scratchCopy() }
    defer { scratch.close() }
    try prove(keys, limit, on: scratch)
  }

  private func prove(
    _ keys: Set<ChangesetKey>, _ limit: UpdatePlan.Limit, on scratch: any ChangelogDatabase
  ) throws(ChangelogError) {
    var options = options
    options.keepsCopy = false
    let trial = ChangelogRun(changelog, on: scratch, selection, options, clock: clock)
    func state() throws(ChangelogError) -> DatabaseState {
      try asking(scratch) { () throws(DatabaseError) in
        try scratch.state(without: Self.ownTables)
      }
    }
    func faults() throws(ChangelogError) -> Set<String> {
      try asking(scratch) { () throws(DatabaseError) in try scratch.faults(withRows: true) }
    }
    let before = try state()
    let known = try faults()
    func attempt<Value>(
      _ body: () throws(ChangelogError) -> Value
    ) throws(ChangelogError) -> Value {
      do throws(ChangelogError) {
        return try body()
      } catch {
        // Of a copy it is nothing that some changesets were done.
        throw ChangelogError(
          error.kind == .partial ? .failed : error.kind,
          error.sentence + " That was on a scratch copy; the database itself was not touched.",
          at: error.place, write: error.remedy)
      }
    }
    _ = try attempt { () throws(ChangelogError) in try trial.update(limit) }
    let up = try state()
    try Self.refuse(faults().subtracting(known).sorted(), "Up leaves what SQLite cannot use")
    _ = try attempt { () throws(ChangelogError) in try trial.rollBack(.keys(keys)) }
    let down = try state()
    try Self.refuse(
      faults().subtracting(known).sorted(), "Up and down again leaves what SQLite cannot use")
    try Self.refuse(before.differences(from: down), "Up and down again is not as before")
    report(.proved("after down, schema and data are as before"))
    _ = try attempt { () throws(ChangelogError) in try trial.update(limit) }
    var again = try state()
    again.data = up.data
    try Self.refuse(up.differences(from: again), "The second up is not as the first")
    report(.proved("after the second up, the schema is as after the first"))
  }

  private static func refuse(_ differences: [String], _ what: String) throws(ChangelogError) {
    guard !differences.isEmpty else { return }
    let shown = differences.prefix(20).map { "\n    \($0)" }.joined()
    let more = differences.count > 20 ? "\n    and \(differences.count - 20) more" : ""
    throw ChangelogError(
      .refused,
      "\(what), on a scratch copy: \(shown)\(more)\n  The database itself was not touched.",
      write: what.hasPrefix("Up leaves")
        ? "changes that leave nothing so" : "rollbacks that undo this, too")
  }
}

extension DatabaseState {
  /// What differs in another state, a line each.
  func differences(from other: DatabaseState) -> [String] {
    var lines: [String] = []
    for name in Set(schema.keys).union(other.schema.keys).sorted() {
      switch (schema[name], other.schema[name]) {
      case (let old?, let new?) where old != new: lines.append("\(name): \(old) became \(new)")
      case (_?, nil): lines.append("\(name) is gone")
      case (nil, _?): lines.append("\(name) is left over")
      default: continue
      }
    }
    for name in data.keys.sorted() {
      guard let old = data[name], let new = other.data[name], old != new else { continue }
      lines.append(
        old.rowCount == new.rowCount
          ? "table \(name): \(old.rowCount) rows, with other values"
          : "table \(name): \(old.rowCount) rows became \(new.rowCount)")
    }
    return lines
  }
}
