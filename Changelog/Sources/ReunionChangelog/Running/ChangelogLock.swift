/// Holds both locks: the real one, which ends with the process, and the row that Liquibase knows.
final class ChangelogLock {
  private let database: any ChangelogDatabase
  private let table: LockTable
  private let options: RunOptions
  private let clock: RunClock
  private let report: (RunEvent) -> Void
  /// What stands in LOCKEDBY.
  private let name: String
  private var hasRow = false

  init(
    _ database: any ChangelogDatabase, _ options: RunOptions, _ clock: RunClock,
    _ report: @escaping (RunEvent) -> Void
  ) {
    self.database = database
    self.options = options
    self.clock = clock
    self.report = report
    table = LockTable(database)
    name = "\(Machine.name)\(LockTable.mark)\(database.session) at=\(clock.now())"
  }

  /// Takes both, and waits while another has one of them. What is `first` is done once, with the real
  /// lock and before the row says so.
  func take(first: () throws(ChangelogError) -> Void = {}) throws(ChangelogError) {
    let start = clock.now()
    var nextReport = start + 1000
    var isFirst = true
    while true {
      let blocker: Blocker?
      if let owner = try owner() {
        blocker = owner
      } else {
        if isFirst { try first() }
        isFirst = false
        blocker = try asking(database) { () throws(DatabaseError) in try attempt() }
      }
      guard let blocker else { return }
      do throws(ChangelogError) {
        try options.checkStop()
      } catch {
        try? release()
        throw error
      }
      let now = clock.now()
      guard now - start < options.lockWaitMilliseconds else {
        try? release()
        throw Self.refusal(blocker, now - start)
      }
      if now >= nextReport {
        report(.waiting(holder: blocker.name, since: blocker.since))
        nextReport = now + 10_000
      }
      clock.sleep(50)
    }
  }

  /// Clears the row that a dead process of ours left, if there is nobody to wait for. A run that
  /// finds nothing to do asks for no lock, and a Liquibase would wait for that row for ever.
  func heal() throws(ChangelogError) {
    let isLeft = try asking(database) { () throws(DatabaseError) in
      guard try table.exists() else { return false }
      return try table.holder()?.isOurs == true
    }
    guard isLeft, try owner() == nil else { return }
    try asking(database) { () throws(DatabaseError) in
      _ = try attempt()
      try release()
    }
  }

  private struct Blocker {
    let name: String
    let since: String?
    let isOurs: Bool
  }

  private static func refusal(_ blocker: Blocker, _ waited: Int64) -> ChangelogError {
    ChangelogError(
      .locked,
      "\(blocker.name) has the lock\(blocker.since.map { " since \($0)" } ?? ""), and did not "
        + "give it back within \(waited / 1000) s.",
      write: blocker.isOurs
        ? "the command again when that run is over"
        : "reunion changelog release-locks, where no Liquibase is running; or --steal-lock-after 10m"
    )
  }

  /// The owner of the real lock; nil once it is ours.
  private func owner() throws(ChangelogError) -> Blocker? {
    try asking(database) { () throws(DatabaseError) in
      if try database.takeLock() { return nil }
      let owner = try database.lockOwner() ?? "another process"
      return Blocker(name: owner, since: nil, isOurs: true)
    }
  }

  /// Takes the row if that can be; nil once it is ours.
  private func attempt() throws(DatabaseError) -> Blocker? {
    do throws(DatabaseError) {
      if let blocker = try standing() { return blocker }
      try database.begin()
      try table.make()
      let blocker = try takeRow()
      try database.commit()
      return blocker
    } catch {
      try database.rollBack()
      guard error.isBusy(database.dialect) else { throw error }
      return Blocker(name: "another program, which writes,", since: nil, isOurs: false)
    }
  }

  /// Whom to wait for, as seen without a transaction: on SQLite one that may write would stop the
  /// other in the middle of its changesets.
  private func standing() throws(DatabaseError) -> Blocker? {
    guard try table.exists(), let holder = try table.holder(), try !mayTake(from: holder) else {
      return nil
    }
    return Blocker(name: holder.name, since: holder.since, isOurs: false)
  }

  private func mayTake(from holder: LockTable.Holder) throws(DatabaseError) -> Bool {
    // Whoever of us wrote it had the real lock, which is ours now: that process is dead.
    if holder.isOurs { return true }
    guard let after = options.stealAfterMilliseconds, let age = try table.age() else {
      return false
    }
    return age * 1000 >= Double(after)
  }

  private func takeRow() throws(DatabaseError) -> Blocker? {
    guard let holder = try table.holder() else {
      hasRow = try table.set(name, over: nil)
      return hasRow ? nil : Blocker(name: "somebody", since: nil, isOurs: false)
    }
    guard try mayTake(from: holder), try table.set(name, over: holder) else {
      return Blocker(name: holder.name, since: holder.since, isOurs: false)
    }
    hasRow = true
    report(.tookOver(holder: holder.name, since: holder.since))
    return nil
  }

  /// Whether the row is still ours, in the transaction under way.
  func isHeld() throws(DatabaseError) -> Bool { try table.isHeld(by: name) }

  /// Gives both back.
  func release() throws(DatabaseError) {
    if hasRow {
      hasRow = false
      try table.clear(of: name)
    }
    try database.releaseLock()
  }
}

/// Asks the database for something; what it answers instead is told with its name.
func asking<Value>(
  _ database: any ChangelogDatabase, _ body: () throws(DatabaseError) -> Value
) throws(ChangelogError) -> Value {
  do throws(DatabaseError) {
    return try body()
  } catch {
    throw ChangelogError(
      error.isDisconnected ? .unreachable : .failed, "\(database.name): \(error.message).")
  }
}
