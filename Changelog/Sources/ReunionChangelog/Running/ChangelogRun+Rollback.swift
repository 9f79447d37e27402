extension ChangelogRun {
  /// Undoes changesets, the newest first, and gives those that it undid.
  ///
  /// Where one of them has no inverse, or one that cannot be read, nothing is touched. A file of SQLite
  /// is copied first. Each changeset is undone with its row, or not at all.
  package func rollBack(_ target: RollbackPlan.Target) throws(ChangelogError) -> [ChangesetKey] {
    guard let rows = try rows() else {
      throw ChangelogError(
        .refused, "The database \(database.name) has no history: nothing was ever run.")
    }
    guard try !checked(target, rows).steps.isEmpty else {
      if script == nil { try lock.heal() }
      return []
    }
    return try locked(
      first: { () throws(ChangelogError) in
        guard options.keepsCopy else { return }
        let path = try asking(database) { () throws(DatabaseError) in try database.keepCopy() }
        if let path { report(.copied(path: path)) }
      },
      { () throws(ChangelogError) in
        try perform(checked(target, lockedRows()))
      })
  }

  /// Writes the SQL that would undo what is still to be run.
  package func writeFutureRollback(_ limit: UpdatePlan.Limit = .all) throws(ChangelogError) {
    let plan = try plan(limit)
    try refuse(plan.problems)
    let rows = plan.runs.map {
      row(of: $0.changeset, .executed, order: 0, version: 9, deployment())
    }
    let keys = Set(plan.runs.map { $0.changeset.key })
    _ = try perform(checked(.keys(keys), rows))
  }

  /// A plan whose statements can all be read.
  private func checked(
    _ target: RollbackPlan.Target, _ rows: [HistoryRow]
  ) throws(ChangelogError) -> RollbackPlan {
    let plan = try RollbackPlan(changelog, rows, selection, target)
    for step in plan.steps {
      _ = try Statements.check(step.changes, of: step.changeset, database.dialect)
    }
    return plan
  }

  private func perform(_ plan: RollbackPlan) throws(ChangelogError) -> [ChangesetKey] {
    var done: [ChangesetKey] = []
    for (index, step) in plan.steps.enumerated() {
      let key = step.changeset.key
      report(.began(key, index + 1, of: plan.steps.count))
      let start = clock.now()
      do throws(ChangelogError) {
        try perform(step.changes, of: step.changeset, isInverse: true) {
          () throws(ChangelogError) in
          try asking(database) { () throws(DatabaseError) in try history.delete(step.row) }
        }
      } catch {
        var error = error
        if error.kind == .failed, !done.isEmpty { error.kind = .partial }
        throw error
      }
      report(.rolledBack(key, milliseconds: clock.now() - start))
      done.append(key)
    }
    return done
  }
}
