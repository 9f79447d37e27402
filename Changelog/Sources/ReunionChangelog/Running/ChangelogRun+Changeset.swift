/// The statements of one changeset.
extension ChangelogRun {
  /// Runs changes and what belongs to them in the history: in one transaction, or step by step where
  /// the changeset is not to be in one.
  func perform(
    _ changes: [Change], of changeset: Changeset, isInverse: Bool = false,
    record: () throws(ChangelogError) -> Void
  ) throws(ChangelogError) {
    script?.note("Changeset \(changeset.key)")
    try withKeys(for: changes, of: changeset) { (check) throws(ChangelogError) in
      try run(changes, of: changeset, isInverse: isInverse) { () throws(ChangelogError) in
        try check()
        try record()
      }
    }
  }

  private func run(
    _ changes: [Change], of changeset: Changeset, isInverse: Bool,
    _ record: () throws(ChangelogError) -> Void
  ) throws(ChangelogError) {
    guard changeset.attributes.isInTransaction || script != nil else {
      return try performInSteps(changes, of: changeset, isInverse: isInverse, record)
    }
    guard changeset.attributes.isInTransaction else {
      var statements = Statements(changes, of: changeset, database.dialect)
      while let statement = try statements.next() { try execute(statement) }
      return try record()
    }
    try transaction { () throws(ChangelogError) in
      let transaction = try currentTransaction()
      var statements = Statements(changes, of: changeset, database.dialect)
      while let statement = try statements.next() {
        try execute(statement)
        if !database.isInTransaction { throw Self.apart(at: statement.place) }
      }
      if try currentTransaction() != transaction { throw Self.apart(at: changeset.place) }
      for warning in statements.leftOut { report(.warning(warning)) }
      try record()
    }
  }

  private func currentTransaction() throws(ChangelogError) -> String? {
    try asking(database) { () throws(DatabaseError) in try database.currentTransaction() }
  }

  /// Somebody's words ended the transaction, though no statement of the file is seen to.
  private static func apart(at place: Place) -> ChangelogError {
    ChangelogError(
      .failed,
      "The changeset ended the transaction that it shares with its row. What it did before that stays, "
        + "and has no row.", at: place,
      write: "runInTransaction:false in the line of the changeset, and look what it did")
  }

  private func execute(_ statement: SQLStatement) throws(ChangelogError) {
    try options.checkStop()
    do throws(DatabaseError) {
      try database.execute(statement.bytes)
    } catch {
      throw failure(of: statement, error)
    }
  }

  /// What the database says of a statement, at the line that it speaks of.
  private func failure(of statement: SQLStatement, _ error: DatabaseError) -> ChangelogError {
    var line = statement.line
    if let offset = error.offset {
      line += statement.bytes.prefix(offset).count { $0 == 0x0a }
    }
    let place = error.offset == nil ? statement.place : Place(statement.place.file, line)
    let title = database.dialect.title
    if error.isDisconnected {
      return ChangelogError(
        .failed, "The connection to \(database.name) was lost: \(error.message).", at: place)
    }
    let needsNoTransaction =
      // Active transaction, and transactions that a procedure ends.
      ["25001", "2D000"].contains(error.code) || error.message.contains("from within a transaction")
      || error.message.contains("safety level may not be changed inside a transaction")
    return ChangelogError(
      .failed, "\(title) says: \(error.message).", at: place,
      write: needsNoTransaction ? "runInTransaction:false in the line of the changeset" : nil)
  }

  // MARK: Outside of a transaction

  /// Runs statements one by one. Which one begins is on the disk before it does, so that after a kill
  /// the next run knows where this one was.
  private func performInSteps(
    _ changes: [Change], of changeset: Changeset, isInverse: Bool,
    _ record: () throws(ChangelogError) -> Void
  ) throws(ChangelogError) {
    let table = StepTable(database)
    let key =
      isInverse
      ? ChangesetKey(
        id: changeset.id, author: changeset.author, path: changeset.path + " (rollback)")
      : changeset.key
    let checksum = changeset.checksum(9, database.dialect).description
    let done = try doneCount(of: key, changeset, checksum, table)
    var statements = Statements(changes, of: changeset, database.dialect)
    var all: [SQLStatement] = []
    while let statement = try statements.next() {
      if ConcurrentStatement(statement) != nil { all.append(statement) }
      guard statements.count > done else { continue }
      try checkBefore(statement)
      let invalid = try invalidBefore(statement)
      let step = StepTable.Step(
        number: statements.count, isDone: false, place: statement.place.description,
        statement: Self.beginning(of: statement), checksum: checksum)
      if database.isInTransaction {
        try asking(database) { () throws(DatabaseError) in try table.set(step, of: key) }
      } else {
        try transaction { () throws(ChangelogError) in
          try asking(database) { () throws(DatabaseError) in
            try table.make()
            try table.set(step, of: key)
          }
        }
      }
      do throws(ChangelogError) {
        try execute(statement)
      } catch {
        try takeBack(step, of: key, table)
        let left = cleanUp(after: statement, before: invalid)
        throw ChangelogError(
          error.kind,
          error.sentence + (left.map { " " + $0.sentence } ?? "")
            + " The changeset runs outside of a transaction: its statements before this one "
            + "are done, and the next run goes on with this one.", at: error.place,
          write: left?.remedy ?? error.remedy)
      }
      try asking(database) { () throws(DatabaseError) in try table.finish(key) }
    }
    guard !database.isInTransaction else {
      try? database.rollBack()
      throw ChangelogError(
        .failed, "The changeset begins a transaction and does not end it.", at: changeset.place,
        write: "COMMIT; as its last statement")
    }
    try checkAfter(all)
    try transaction { () throws(ChangelogError) in
      try asking(database) { () throws(DatabaseError) in try table.clear(key) }
      try record()
    }
  }

  /// A statement that failed was not done: the one before it is the last.
  private func takeBack(
    _ step: StepTable.Step, of key: ChangesetKey, _ table: StepTable
  ) throws(ChangelogError) {
    try? database.rollBack()
    var step = step
    step.number -= 1
    step.isDone = true
    try asking(database) { () throws(DatabaseError) in
      if step.number == 0 { try table.clear(key) } else { try table.set(step, of: key) }
    }
  }

  /// How many statements were done by a run that did not end.
  private func doneCount(
    of key: ChangesetKey, _ changeset: Changeset, _ checksum: String, _ table: StepTable
  ) throws(ChangelogError) -> Int {
    guard let step = try asking(database, { () throws(DatabaseError) in try table.step(of: key) })
    else { return 0 }
    guard step.checksum == checksum || options.resume != nil else {
      throw ChangelogError(
        .refused,
        "The changeset \(key) was begun and did not end, and was edited since: it got to statement "
          + "\(step.number), “\(step.statement)”, then at \(step.place).", at: changeset.place,
        write: "the changeset as it was, or --resume next where that statement keeps its number")
    }
    if step.isDone || options.resume == .next {
      report(.resumed(key, behind: step.number))
      return step.number
    }
    if options.resume == .again {
      report(.resumed(key, behind: step.number - 1))
      return step.number - 1
    }
    throw ChangelogError(
      .refused,
      "The process that ran the changeset \(key) died during statement \(step.number), "
        + "“\(step.statement)” at \(step.place). Whether it was done, only a look at the database tells.",
      at: changeset.place,
      write: "--resume next if it was done, --resume again if it was not")
  }

  private static func beginning(of statement: SQLStatement) -> String {
    let words = statement.bytes.prefix(400).text.split(whereSeparator: \.isWhitespace)
    return String(words.joined(separator: " ").prefix(100))
  }
}
