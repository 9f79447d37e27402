import ReunionCore
import ReunionDisk
import ReunionFlow

/// What writes: a connection, the clock, and the spaces as they are on the disk.
struct StoreWriter {
  /// Nil after a failure: the next write opens the database anew and checks it.
  var records: RecordWriter?
  var clock: HybridClock
  /// What is known of spaces; forgotten with each failure.
  var spaces: [SpaceID: SpaceState] = [:]
  /// The spaces that know the version of the model that their readers need, by this store's model.
  var readerSpaces: Set<SpaceID> = []
  var isClosed = false
  /// Whether the store has not written since it was opened: see `Identity`.
  var isNonceDue = false
  /// Whether a commit failed: the log may hold it all the same, and a copy of the folder with it. Its
  /// numbers name those changes there, so that what comes next is written under a new incarnation.
  private var isIncarnationDue = false
  /// A connection that failed. It goes when another one is open, so that what it could not commit
  /// is not taken from the log as if it had.
  private var failed: DatabaseConnection?
  /// Whether a failed commit is taken out of the log: a seeded bug leaves it.
  private var cutsLog = true
  /// The locked file that keeps other programs out; released when the store is closed.
  var lock: (any DiskFile)?

  init(
    records: RecordWriter?, clock: HybridClock, lock: any DiskFile, isNonceDue: Bool = false
  ) {
    self.records = records
    self.clock = clock
    self.lock = lock
    self.isNonceDue = isNonceDue
  }

  /// What writes records. Before the first write the store's nonce is drawn anew, and after a commit
  /// that failed, its incarnation too.
  mutating func ready(
    database: Database, layout: Layout, sites: Lock<Sites>
  ) throws(StoreError) -> RecordWriter {
    cutsLog = !database.options.seededBugs.failedCommitLeft
    let records = try connected(database: database, layout: layout)
    guard isNonceDue || isIncarnationDue else { return records }
    do throws(StoreError) {
      let identity = Identity(
        connection: records.reader.connection, folder: database.path.parentFolder,
        options: database.options)
      if isIncarnationDue {
        var renewed = sites.withLock { $0 }
        try identity.renew(&renewed)
        sites.withLock { [renewed] in $0 = renewed }
      } else {
        try identity.rotate()
      }
    } catch {
      recover(from: error)
      throw error
    }
    isNonceDue = false
    isIncarnationDue = false
    return records
  }

  static func closed(_ database: Database) -> StoreError {
    StoreError(.closed, "The store at \(database.path) was closed.")
  }

  /// What writes records, after a failure on a new connection to a checked file.
  private mutating func connected(
    database: Database, layout: Layout
  ) throws(StoreError) -> RecordWriter {
    guard !isClosed else { throw Self.closed(database) }
    if let records { return records }
    guard !database.options.isReadOnly else {
      throw StoreError(.notWritable, "The store at \(database.path) was opened read-only.")
    }
    let connection = try database.reopen()
    failed?.close()
    failed = nil
    try Database.verify(connection)
    connection.keepLocks(true)
    let records = try RecordWriter(RecordReader(connection, layout: layout))
    self.records = records
    return records
  }

  /// The state of a space.
  mutating func space(_ id: SpaceID, _ records: RecordWriter) throws(StoreError) -> SpaceState {
    if let space = spaces[id] { return space }
    let space = try records.space(id)
    spaces[id] = space
    return space
  }

  /// Forgets what a failed transaction may have left in memory; not that its changes may be in the
  /// log, where it failed while it was being committed. What a full disk refuses is not there whole:
  /// its last page goes last.
  mutating func recover(from cause: StoreError, wasCommitting: Bool = false) {
    if wasCommitting, cause.code != .diskFull { isIncarnationDue = true }
    spaces = [:]
    readerSpaces = []
    guard let records else { return }
    records.reader.numbers.forget()
    records.arrivals.rollBack()
    records.rises?.rollBack()
    do throws(StoreError) {
      try records.reader.connection.rollBack(after: cause)
      if cause.code == .ioFailed { poison() }
    } catch {
      poison()
    }
  }

  /// Closes a connection that failed, or on which something has just failed: the log goes without that.
  mutating func closeFailed(_ connection: DatabaseConnection? = nil) {
    guard let connection = connection ?? failed else { return }
    if cutsLog { DurabilityMode(connection).cutLog() }
    connection.close()
    failed = nil
  }

  private mutating func poison() {
    failed = records?.reader.connection
    if cutsLog, let failed { DurabilityMode(failed).cutLog() }
    failed?.keepLocks(false)
    records = nil
  }
}

extension Store {
  /// Runs a closure in a transaction of the writer; observers are told of what it returns.
  func commit<Success>(
    _ body: (inout StoreWriter, RecordWriter) throws(StoreError) -> (Success, Commit?)
  ) throws(StoreError) -> Success {
    var success: Success?
    let commits = try commitAll { (writer, records) throws(StoreError) in
      let (result, commit) = try body(&writer, records)
      success = result
      return commit.map { [$0] } ?? []
    }
    if !commits.isEmpty { tell(commits) }
    guard let success else {
      throw StoreError(.unexpected, "A write ended without a result; please report this.")
    }
    return success
  }

  /// Runs a closure in a transaction of the writer: the one place where a store commits. `settled` runs
  /// when it took place, before the next write; the caller tells of the commits then.
  ///
  /// What may undo a part of it, by a savepoint, has it `inMemory` until it commits. SQLite may leave a
  /// log that nobody can take up after a kill where pages went there early, were written anew and are
  /// undone in part (seen with 3.40; `GroupedSpillTests`).
  func commitAll(
    inMemory: Bool = false,
    _ body: (inout StoreWriter, RecordWriter) throws(StoreError) -> [Commit],
    settled: (inout StoreWriter) -> Void = { _ in }
  ) throws(StoreError) -> [Commit] {
    try gate.pass { (writer) throws(StoreError) in
      let records = try writer.ready(database: database, layout: layout, sites: currentSites)
      records.rises = rises
      var isCommitting = false
      do throws(StoreError) {
        try commitReported(records.reader.connection)
        if inMemory { try setSpilling(false, records.reader.connection) }
        try records.reader.connection.run("BEGIN IMMEDIATE")
        let commits = try body(&writer, records)
        for commit in commits { parts.live.mark(commit) }
        if !options.seededBugs.reportBeforeCommit {
          isCommitting = true
          try records.reader.connection.run("COMMIT")
          isCommitting = false
          records.arrivals.settle()
          rises.settle()
        }
        if records.hasRemovedLiving {
          records.hasRemovedLiving = false
          recordSums.forget()
        }
        // It took place: what fails from here on is not told as if it had not.
        if inMemory { try? setSpilling(true, records.reader.connection) }
        settled(&writer)
        return commits
      } catch {
        writer.recover(
          from: error,
          wasCommitting: isCommitting && !options.seededBugs.failedNumbersGivenAgain)
        // Where this fails too, the next group sets it anew.
        if inMemory, let records = writer.records {
          try? setSpilling(true, records.reader.connection)
        }
        throw error
      }
    }
  }

  /// Lets transactions write pages before they commit, or has them stay in memory.
  private func setSpilling(_ isAllowed: Bool, _ connection: DatabaseConnection) throws(StoreError) {
    try connection.run("PRAGMA cache_spill = \(isAllowed ? "ON" : "OFF")")
  }

  /// Commits what the seeded bug has reported before.
  func commitReported(_ connection: DatabaseConnection) throws(StoreError) {
    guard options.seededBugs.reportBeforeCommit, connection.isInTransaction else {
      return
    }
    try connection.execute("COMMIT")
  }

  /// Has live queries and observers follow commits that have taken place.
  func tell(_ commits: [Commit]) {
    parts.blobs.follow(commits, in: self)
    parts.live.follow(commits, in: self)
    for commit in commits { observers.tell(commit) }
  }

  /// Runs a closure on a connection of the pool.
  func read<Success>(
    _ body: (RecordReader) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    let (isClosed, idle) = readers.withLock { ($0 == nil, $0?.popLast()) }
    guard !isClosed else { throw StoreWriter.closed(database) }
    let reader: RecordReader
    if let idle {
      reader = idle
    } else {
      reader = RecordReader(try database.reopen(readOnly: true), layout: layout)
    }
    let success = try body(reader)
    readers.withLock { readers in
      if let count = readers?.count, count < 4 { readers?.append(reader) }
    }
    return success
  }

  /// Runs a closure in one read transaction.
  func readTransaction<Success>(
    _ body: (RecordReader) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    try read { (reader) throws(StoreError) in
      try reader.connection.execute("BEGIN")
      let success = try body(reader)
      try reader.connection.execute("COMMIT")
      return success
    }
  }
}
