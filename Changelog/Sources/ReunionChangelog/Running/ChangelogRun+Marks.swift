/// What only the history is told.
extension ChangelogRun {
  /// Counts what was not run yet as run: all of it, what stands up to a tag, or the next one.
  package func markRan(_ limit: UpdatePlan.Limit) throws(ChangelogError) -> [ChangesetKey] {
    try locked { () throws(ChangelogError) in
      let rows = try lockedRows()
      let plan = try updatePlan(rows, limit)
      try refuse(plan.problems)
      let version = checksumVersion(rows)
      let deployment = deployment()
      var order = rows.map(\.order).max() ?? 0
      var keys: [ChangesetKey] = []
      try transaction { () throws(ChangelogError) in
        for step in plan.steps where step.action == .run || step.action == .adopt {
          order += 1
          let row = row(
            of: step.changeset, .executed, order: order, version: version, deployment)
          try write(row, over: nil)
          keys.append(step.changeset.key)
        }
      }
      for step in plan.steps {
        if case .move(let row) = step.action { try move(row, to: step.changeset) }
      }
      for key in keys { report(.marked(key, why: "by wish")) }
      return keys
    }
  }

  /// Gives the newest row a tag. Where nothing was run, a row is made for it, as Liquibase does.
  package func setTag(_ tag: String) throws(ChangelogError) {
    guard !tag.isEmpty, tag.utf16.count <= 255 else {
      throw ChangelogError(.misunderstood, "A tag has 1 to 255 characters.")
    }
    try locked { () throws(ChangelogError) in
      let rows = try lockedRows()
      try transaction { () throws(ChangelogError) in
        try asking(database) { () throws(DatabaseError) in
          if let last = rows.last { return try history.setTag(of: last, to: tag) }
          var row = HistoryRow()
          row.id = String(clock.now())
          row.author = "liquibase"
          row.path = HistoryRow.internalPath
          row.order = 1
          row.tag = tag
          row.program = options.program
          row.description = "empty"
          row.deployment = deployment()
          try history.insert(row)
        }
      }
    }
  }

  /// Takes the checksums out of the history: the next update writes those of the files as they are then.
  package func clearChecksums() throws(ChangelogError) -> Int {
    guard try rows() != nil else { return 0 }
    return try locked { () throws(ChangelogError) in
      let count = try lockedRows().count { $0.checksum != nil }
      try transaction { () throws(ChangelogError) in
        try asking(database) { () throws(DatabaseError) in try history.clearChecksums() }
      }
      return count
    }
  }

  // MARK: Locks

  /// The holders of the locks.
  package struct Locks: Sendable {
    package let holder: LockTable.Holder?
    /// The process of ours that runs just now.
    package let owner: String?
  }

  package func locks() throws(ChangelogError) -> Locks {
    try asking(database) { () throws(DatabaseError) in
      let table = LockTable(database)
      return Locks(
        holder: try table.exists() ? try table.holder() : nil, owner: try database.lockOwner())
    }
  }

  /// Writes that nobody has the lock, and gives who had it. One of ours that is running keeps it.
  package func releaseLocks() throws(ChangelogError) -> LockTable.Holder? {
    try asking(database) { () throws(DatabaseError) in
      try database.takeLock()
    } ? try clearRow() : try refuseRelease()
  }

  private func clearRow() throws(ChangelogError) -> LockTable.Holder? {
    try asking(database) { () throws(DatabaseError) in
      let table = LockTable(database)
      let holder = try table.exists() ? try table.holder() : nil
      if holder != nil { try table.clear(of: nil) }
      try database.releaseLock()
      return holder
    }
  }

  private func refuseRelease() throws(ChangelogError) -> LockTable.Holder? {
    let owner = try asking(database) { () throws(DatabaseError) in try database.lockOwner() }
    throw ChangelogError(
      .locked, "\(owner ?? "Another process") is running, and keeps its lock until it ends.",
      write: "the command again when it is over, or end that process")
  }
}
