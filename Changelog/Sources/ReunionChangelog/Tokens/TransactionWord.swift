/// What a statement does to the transaction that it is in.
enum TransactionWord: Equatable {
  case begins
  case commits
  /// It takes back all that was done so far, or hands it to somebody else.
  case takesBack

  /// The words of such statements. A block as BEGIN NULL; END; has others, and is none.
  static let words: Set<String> = [
    "ABORT", "AND", "BEGIN", "CHAIN", "COMMIT", "COMMITTED", "DEFERRABLE", "DEFERRED", "END",
    "EXCLUSIVE", "IMMEDIATE", "ISOLATION", "LEVEL", "NO", "NOT", "ONLY", "READ", "REPEATABLE",
    "ROLLBACK", "SERIALIZABLE", "START", "TRANSACTION", "UNCOMMITTED", "WORK", "WRITE",
  ]

  /// Reads the first words of a statement; `isAlone` if it has no words other than those above.
  init?(_ words: [String], _ isAlone: Bool) {
    switch words.first {
    case "BEGIN" where isAlone: self = .begins
    case "START" where isAlone && words.dropFirst().first == "TRANSACTION": self = .begins
    case "COMMIT" where isAlone, "END" where isAlone: self = .commits
    // Back to a savepoint the transaction goes on.
    case "ROLLBACK" where isAlone, "ABORT" where isAlone: self = .takesBack
    case "PREPARE" where words.dropFirst().first == "TRANSACTION": self = .takesBack
    default: return nil
    }
  }
}
