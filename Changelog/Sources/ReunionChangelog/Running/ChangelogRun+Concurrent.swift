/// What statements leave that work in several transactions and fail.
extension ChangelogRun {
  /// Refuses to make an index where one that failed left what has its name, or stands on its table.
  func checkBefore(_ statement: SQLStatement) throws(ChangelogError) {
    guard let concurrent = concurrent(statement), concurrent.kind == .createIndex,
      let left = try invalid(concurrent).first
    else { return }
    throw Self.invalid(left, at: statement.place)
  }

  /// Refuses to count statements as run where an index that they are about is not valid.
  func checkAfter(_ statements: [SQLStatement]) throws(ChangelogError) {
    for statement in statements {
      guard let concurrent = concurrent(statement), concurrent.kind != .detachPartition,
        let left = try invalid(concurrent).first
      else { continue }
      throw Self.invalid(left, at: statement.place)
    }
  }

  /// Takes away what a statement that failed left, where it is surely its own; says what is still there.
  ///
  /// `before`: the indexes that were not valid before it began.
  func cleanUp(
    after statement: SQLStatement, before: [InvalidIndex]
  ) -> (sentence: String, remedy: String?)? {
    guard let concurrent = concurrent(statement) else { return nil }
    if concurrent.kind == .detachPartition { return pendingPartition(concurrent) }
    guard let now = try? database.invalidIndexes() else { return nil }
    let left = now.filter { concurrent.isAbout($0) && !before.contains($0) }
    guard concurrent.kind != .dropIndex else {
      return left.first.map { ("The index \($0.quoted) is not valid any more.", nil) }
    }
    for index in left {
      let isDropped =
        concurrent.namesIndex(index)
        && (try? database.execute("DROP INDEX CONCURRENTLY IF EXISTS \(index.quoted)")) != nil
      guard isDropped else {
        return ("It left the index \(index.quoted), which is not valid.", Self.drop(index))
      }
    }
    return left.first.map { ("It left the index \($0.quoted) not valid, which is dropped.", nil) }
  }

  /// The indexes that are not valid before a statement that may leave one.
  func invalidBefore(_ statement: SQLStatement) throws(ChangelogError) -> [InvalidIndex] {
    guard let concurrent = concurrent(statement), concurrent.kind != .detachPartition else {
      return []
    }
    return try invalid(concurrent)
  }

  private func concurrent(_ statement: SQLStatement) -> ConcurrentStatement? {
    database.dialect == .postgresql ? ConcurrentStatement(statement) : nil
  }

  private func invalid(_ concurrent: ConcurrentStatement) throws(ChangelogError) -> [InvalidIndex] {
    try asking(database) { () throws(DatabaseError) in
      try database.invalidIndexes().filter { concurrent.isAbout($0) }
    }
  }

  private static func drop(_ index: InvalidIndex) -> String {
    "DROP INDEX CONCURRENTLY \(index.quoted); in the database, and then the command again"
  }

  private static func invalid(_ index: InvalidIndex, at place: Place) -> ChangelogError {
    ChangelogError(
      .failed,
      "The index \(index.quoted) is there and not valid, as one is that failed half way: PostgreSQL does "
        + "not use it, and it keeps nothing unique.", at: place, write: drop(index))
  }

  private func pendingPartition(
    _ concurrent: ConcurrentStatement
  ) -> (sentence: String, remedy: String?)? {
    guard let pending = try? database.pendingPartitions() else { return nil }
    let own = pending.first { pair in
      let name = pair.partition.split(separator: ".").last.map(String.init) ?? ""
      return concurrent.names.contains(name.filter { $0 != "\"" })
    }
    return own.map { pair in
      (
        "The partition \(pair.partition) is half taken off.",
        "ALTER TABLE \(pair.table) DETACH PARTITION \(pair.partition) FINALIZE; in the database, "
          + "and then --resume next"
      )
    }
  }
}
