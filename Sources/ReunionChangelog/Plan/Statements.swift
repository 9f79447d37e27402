/// The statements of a changeset, one after the other.
///
/// They are cut anew each time: the statements of a large file are never held all at once.
struct Statements {
  private var changes: ArraySlice<Change>
  private var splitter: StatementSplitter?
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
      if let statement = try splitter?.next() {
        if isInTransaction, try isOurs(statement) { continue }
        count += 1
        return statement
      }
      guard let change = changes.popFirst() else { return nil }
      splitter = nil
      if case .tag = change.kind { continue }
      guard change.isFor(dialect) else { continue }
      splitter = try StatementSplitter(change.body.text(), change.options, dialect)
    }
  }

  /// Whether a statement begins or ends a transaction, which is done for all of the changeset anyway.
  private mutating func isOurs(_ statement: SQLStatement) throws(ChangelogError) -> Bool {
    let words = statement.words
    // A block such as BEGIN … END; is SQL, and must not pass for run where it is not.
    if words.first == "BEGIN", !Self.isPlain(statement.bytes) { return false }
    switch words.first {
    case "BEGIN", "COMMIT", "END", "START":
      if words.first == "START", words.dropFirst().first != "TRANSACTION" { return false }
      if words.contains("PREPARED") { return false }
      leftOut.append(
        Warning(
          statement.place,
          "\(words[0]) is left out: all of a changeset and its row in the history are one transaction."
        ))
      return true
    case "ROLLBACK", "ABORT":
      if words.contains("TO") { return false }
      throw ChangelogError(
        .refused, "\(words[0]) would take back what the changeset did so far.", at: statement.place,
        write: "the changeset without it, or runInTransaction:false in its line")
    default: return false
    }
  }

  /// Whether there are letters and blanks alone, as in BEGIN ISOLATION LEVEL SERIALIZABLE.
  private static func isPlain(_ statement: ArraySlice<UInt8>) -> Bool {
    statement.count <= 200
      && statement.allSatisfy { byte in
        byte <= 0x20 || byte == 0x2c || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
      }
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
