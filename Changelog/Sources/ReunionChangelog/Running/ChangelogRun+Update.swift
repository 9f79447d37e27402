extension ChangelogRun {
  /// What an update did.
  package struct Outcome: Sendable {
    package var ran: [ChangesetKey] = []
    package var marked: [ChangesetKey] = []
    package var leftOut: [ChangesetKey] = []
    package var failed: [ChangesetKey] = []
    /// Those that had been run before.
    package var doneCount = 0
  }

  /// Runs what was not run yet. Each changeset is on the disk with its row, or not at all.
  ///
  /// All files and all statements are read first. Where nothing is to do, the lock is not asked for.
  package func update(_ limit: UpdatePlan.Limit = .all) throws(ChangelogError) -> Outcome {
    for warning in changelog.warnings { report(.warning(warning)) }
    let rows = try rows()
    let preview = try updatePlan(rows ?? [], limit)
    try refuse(preview.problems)
    for step in preview.runs { try check(step.changeset) }
    guard !preview.steps.isEmpty else {
      if script == nil { try lock.heal() }
      return Outcome(doneCount: preview.doneCount)
    }
    return try locked { () throws(ChangelogError) in
      // Another run may have done it all while we waited.
      let rows = try lockedRows()
      let plan = try updatePlan(rows, limit)
      try refuse(plan.problems)
      try checkMasters()
      let known = try faults()
      let outcome = try perform(plan, rows)
      for fault in try faults().subtracting(known).sorted() {
        report(
          .warning(
            Warning(Place(changelog.path, 1), "The run leaves what SQLite cannot use: \(fault).")))
      }
      return outcome
    }
  }

  /// What the database would complain of later; none where nothing is run.
  private func faults() throws(ChangelogError) -> Set<String> {
    guard script == nil else { return [] }
    return try asking(database) { () throws(DatabaseError) in
      try database.faults(withRows: false)
    }
  }

  private func perform(
    _ plan: UpdatePlan, _ rows: [HistoryRow]
  ) throws(ChangelogError) -> Outcome {
    var outcome = Outcome(doneCount: plan.doneCount)
    let version = checksumVersion(rows)
    let deployment = deployment()
    var order = rows.map(\.order).max() ?? 0
    let count = plan.runs.count
    for step in plan.steps {
      if case .fill(let row) = step.action {
        try transaction { () throws(ChangelogError) in
          let checksum = step.changeset.checksum(version, database.dialect)
          try asking(database) { () throws(DatabaseError) in
            try history.setChecksum(of: row, to: checksum)
          }
        }
        continue
      }
      if case .move(let row) = step.action {
        try move(row, to: step.changeset)
        continue
      }
      if step.action == .adopt {
        order += 1
        let row = row(
          of: step.changeset, .executed, order: order, version: version, deployment)
        try transaction { () throws(ChangelogError) in try write(row, over: nil) }
        report(.marked(step.changeset.key, why: "Liquibase ran its whole file"))
        continue
      }
      let number =
        outcome.ran.count + outcome.marked.count + outcome.leftOut.count
        + outcome.failed.count + 1
      report(.began(step.changeset.key, number, of: count))
      let row = row(
        of: step.changeset, .executed, order: order + 1, version: version, deployment)
      do throws(ChangelogError) {
        let result = try run(step, row)
        outcome.add(step.changeset.key, result)
        if result == .ran || result == .marked { order += 1 }
      } catch {
        var error = error
        if error.kind == .failed, !outcome.ran.isEmpty { error.kind = .partial }
        throw error
      }
    }
    return outcome
  }

  /// Gives the row of a changeset the path that it has now.
  func move(_ row: HistoryRow, to changeset: Changeset) throws(ChangelogError) {
    try transaction { () throws(ChangelogError) in
      try asking(database) { () throws(DatabaseError) in
        try history.setPath(of: row, to: changeset.path)
      }
    }
    report(.moved(changeset.key, from: row.path))
  }

  /// Checks what the master files ask for before anything is run.
  private func checkMasters() throws(ChangelogError) {
    for preconditions in changelog.preconditions {
      switch try verdict(on: preconditions) {
      case .met: continue
      case .warned(let why):
        report(.warning(Warning(Place(changelog.path, 1), why)))
      case .halted(let error): throw error
      case .leftOut(let why), .marked(let why):
        throw ChangelogError(.refused, "\(changelog.path) is not for this database: \(why)")
      }
    }
  }

  enum StepResult {
    case ran
    case marked
    case leftOut
    case failed
  }

  /// Runs one changeset with its row.
  private func run(
    _ step: UpdatePlan.Step, _ row: HistoryRow
  ) throws(ChangelogError) -> StepResult {
    let changeset = step.changeset
    let key = changeset.key
    var row = row
    var old: HistoryRow?
    if case .rerun(let ran) = step.action {
      old = ran
      row.outcome = .reran
    }
    if let preconditions = changeset.preconditions {
      switch try verdict(on: preconditions) {
      case .met: break
      case .warned(let why): report(.warning(Warning(changeset.place, why)))
      case .halted(let error): throw error
      case .leftOut(let why):
        report(.leftOut(key, why: why))
        return .leftOut
      case .marked(let why):
        row.outcome = .markedRan
        try transaction { () throws(ChangelogError) in try write(row, over: old) }
        report(.marked(key, why: why))
        return .marked
      }
    }
    let start = clock.now()
    do throws(ChangelogError) {
      try perform(changeset.changes, of: changeset) { () throws(ChangelogError) in
        try write(row, over: old)
      }
    } catch  where !changeset.attributes.failsOnError && error.kind == .failed {
      report(.failed(key, error))
      return .failed
    }
    report(.ran(key, milliseconds: clock.now() - start, isAgain: old != nil))
    return .ran
  }

  func write(_ row: HistoryRow, over old: HistoryRow?) throws(ChangelogError) {
    try asking(database) { () throws(DatabaseError) in
      guard let old else { return try history.insert(row) }
      var row = row
      row.id = old.id
      row.author = old.author
      row.path = old.path
      try history.update(row)
    }
  }
}

extension ChangelogRun.Outcome {
  fileprivate mutating func add(_ key: ChangesetKey, _ result: ChangelogRun.StepResult) {
    switch result {
    case .ran: ran.append(key)
    case .marked: marked.append(key)
    case .leftOut: leftOut.append(key)
    case .failed: failed.append(key)
    }
  }
}
