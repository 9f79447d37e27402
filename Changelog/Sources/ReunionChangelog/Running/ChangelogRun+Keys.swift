/// Foreign keys of SQLite while a changeset runs.
extension ChangelogRun {
  /// Runs a changeset, which looks before its end whether all of its rows refer to one that is there.
  ///
  /// To drop a table with keys on deletes its rows first, and with them what refers to it: a table that is
  /// made anew would lose its children. So a changeset that drops one runs with keys off, and is checked.
  func withKeys(
    for changes: [Change], of changeset: Changeset,
    _ body: (_ check: () throws(ChangelogError) -> Void) throws(ChangelogError) -> Void
  ) throws(ChangelogError) {
    guard let keys = database as? SQLiteDatabase, script == nil,
      changes.contains(where: Self.dropsTable)
    else { return try body({}) }
    let before = try asking(database) {
      () throws(DatabaseError) -> (isOn: Bool, faults: Set<String>) in
      let isOn = try keys.query("PRAGMA foreign_keys", []).first?.first == "1"
      if isOn { try keys.execute("PRAGMA foreign_keys = OFF") }
      return (isOn, Set(try keys.danglingKeys()))
    }
    defer {
      if before.isOn { try? keys.execute("PRAGMA foreign_keys = ON") }
    }
    try body { () throws(ChangelogError) in
      let after = try asking(database) { () throws(DatabaseError) in try keys.danglingKeys() }
      guard let fault = after.sorted().first(where: { !before.faults.contains($0) }) else { return }
      throw ChangelogError(
        .failed, "After the changeset a key leads nowhere: \(fault).", at: changeset.place,
        write:
          "CREATE TABLE new, INSERT INTO new SELECT, DROP TABLE old, ALTER TABLE new RENAME TO old")
    }
  }

  /// Commits, and names the rows where SQLite only says that a key failed.
  func commit() throws(ChangelogError) {
    let keys = database as? SQLiteDatabase
    var dangling: [String] = []
    try asking(database) { () throws(DatabaseError) in
      do throws(DatabaseError) {
        try database.commit()
      } catch  where error.code == "787" {
        dangling = try keys?.danglingKeys() ?? []
        guard !dangling.isEmpty else { throw error }
      }
    }
    guard let fault = dangling.sorted().first else { return }
    throw ChangelogError(
      .failed, "After the changeset a key leads nowhere: \(fault).",
      write: "statements that leave no row without the one that it refers to")
  }

  /// Whether the words DROP TABLE stand in a change, in whatever statement.
  private static func dropsTable(_ change: Change) -> Bool {
    let text = change.body.text()
    var tokenizer = Tokenizer(text, .sqlite)
    var isDrop = false
    while let token = try? tokenizer.next() {
      switch token.kind {
      case .blanks, .lineComment, .blockComment: continue
      case .word:
        let word = text.bytes[token.range]
        if isDrop, word.isWord("table") { return true }
        isDrop = word.isWord("drop")
      default: isDrop = false
      }
    }
    return false
  }
}
