/// The statements of a changeset, one after the other.
///
/// They are cut anew each time: the statements of a large file are never held all at once.
struct Statements {
  private var changes: ArraySlice<Change>
  private var splitter: StatementSplitter?
  /// Cuts what was to stay whole, where a transaction begins or ends in it.
  private var inner: StatementSplitter?
  private var options = SplitOptions()
  private let dialect: Dialect
  /// Whether they run in the transaction that their row is in, too.
  private let isInTransaction: Bool
  /// How many there were so far.
  private(set) var count = 0
  /// Statements that are left out, because the transaction is ours.
  private(set) var leftOut: [Warning] = []

  init(_ changes: [Change], of changeset: Changeset, _ dialect: Dialect) {
    self.changes = changes[...]
    self.dialect = dialect
    isInTransaction = changeset.attributes.isInTransaction
  }

  mutating func next() throws(ChangelogError) -> SQLStatement? {
    while true {
      if let statement = try inner?.next() {
        if try isOurs(statement) { continue }
        count += 1
        return statement
      }
      inner = nil
      if let statement = try splitter?.next() {
        if isInTransaction, try cut(statement) { continue }
        if isInTransaction, try isOurs(statement) { continue }
        count += 1
        return statement
      }
      guard let change = changes.popFirst() else { return nil }
      splitter = nil
      guard change.kind == .sql || change.kind == .sqlFile else { continue }
      guard change.isFor(dialect) else { continue }
      options = change.options
      splitter = try StatementSplitter(change.body.text(), options, dialect)
    }
  }

  /// Cuts a statement that the file leaves whole where a transaction begins or ends in the middle of
  /// it; whether one does.
  private mutating func cut(_ statement: SQLStatement) throws(ChangelogError) -> Bool {
    guard !options.splitsStatements || options.endDelimiter != nil else { return false }
    var parts = try StatementSplitter(statement, options, dialect)
    while let part = try parts.next() {
      guard part.transactionWord != nil else { continue }
      inner = try StatementSplitter(statement, options, dialect)
      return true
    }
    return false
  }

  /// Whether a statement begins or ends a transaction, which is done for all of the changeset anyway.
  private mutating func isOurs(_ statement: SQLStatement) throws(ChangelogError) -> Bool {
    guard let word = statement.transactionWord else { return false }
    let name = statement.words[0]
    guard word != .takesBack else {
      throw ChangelogError(
        .refused, "\(name) would take back what the changeset did so far.", at: statement.place,
        write: "the changeset without it, or runInTransaction:false in its line")
    }
    leftOut.append(
      Warning(
        statement.place,
        "\(name) is left out: all of a changeset and its row in the history are one transaction."))
    return true
  }

  /// Reads all statements to see that they can be; what is left out of them.
  static func check(
    _ changes: [Change], of changeset: Changeset, _ dialect: Dialect
  ) throws(ChangelogError) -> [Warning] {
    var statements = Statements(changes, of: changeset, dialect)
    while try statements.next() != nil {}
    return statements.leftOut
  }
}
