/// A connection to the database that a changelog changes.
///
/// *Thread*: whoever made it, one call at a time. *Durability*: what `commit` or a statement outside of
/// a transaction changed is on the disk when it returns. It knows SQL, and nothing of changelogs: which
/// statements, in which order and in which transactions is decided above it.
package protocol ChangelogDatabase: AnyObject {
  var dialect: Dialect { get }

  /// What messages call the database, without a password: "sqlite:app.db", "postgresql://host/app".
  var name: String { get }

  /// This connection, in words without blanks for the LOCKEDBY column, so that a person finds it:
  /// "pid=12" or "pid=12 session=4711@2026-11-24T12:00:00Z". One line, at most 100 bytes.
  var session: String { get }

  /// The schema that the history is in, as the connection found it; nil where a database has no
  /// schemas.
  var historySchema: String? { get }

  // MARK: Statements

  /// Runs one statement, without its delimiter, and drops the rows that it gives. Where the text has
  /// several, as one that was not to be split, all are run.
  ///
  /// Outside of a transaction it commits by itself. It takes no values: nothing in the text is a
  /// placeholder. A statement that would talk on, as `COPY … FROM STDIN` does, is refused.
  func execute(_ statement: ArraySlice<UInt8>) throws(DatabaseError)

  /// Runs one statement with values for `$1`, `$2` and so on, each of which stands in it once and in
  /// this order, and gives its rows, every value as the database writes it as text; nil is NULL.
  func query(_ statement: String, _ values: [String?]) throws(DatabaseError) -> [[String?]]

  // MARK: Transactions

  /// Begins a transaction that may write: SQLite takes the right to write at once.
  func begin() throws(DatabaseError)
  func commit() throws(DatabaseError)

  /// Ends a transaction as if it had never begun; does nothing if none is under way.
  func rollBack() throws(DatabaseError)

  /// Whether a transaction is under way, also one that failed or that a statement began.
  var isInTransaction: Bool { get }

  /// A name of the transaction under way that no other of this database has. Nil where `execute` stops
  /// by itself in a text that ends its transaction.
  func currentTransaction() throws(DatabaseError) -> String?

  // MARK: The real lock

  /// Takes the lock that only one connection to this database (on PostgreSQL: to this schema of it)
  /// has, without waiting; false where another has it.
  ///
  /// The operating system or the server gives it back when the process dies, however that is. It
  /// lasts over transactions, stops no reader, and is not the row of DATABASECHANGELOGLOCK.
  func takeLock() throws(DatabaseError) -> Bool

  /// Gives the lock back; does nothing where this connection does not have it.
  func releaseLock() throws(DatabaseError)

  /// The owner of the lock, in words as `session` gives them; nil if nobody has it or the owner is
  /// unknown.
  func lockOwner() throws(DatabaseError) -> String?

  // MARK: Copies and proofs

  /// Copies the database to a place where the copy is kept before something risky, and names that
  /// place; nil where this database has no such copies, as on a server. Not in a transaction.
  func keepCopy() throws(DatabaseError) -> String?

  /// A connection to a scratch copy with the same schema and data, which is removed by `close`, and
  /// by the next scratch copy where the process died. Not in a transaction.
  func scratchCopy() throws(DatabaseError) -> any ChangelogDatabase

  /// What the database holds, to compare before and after; the tables named are left out, with their
  /// indexes. It reads all data once, in a transaction of its own if none is under way.
  func state(without tables: Set<String>) throws(DatabaseError) -> DatabaseState

  /// What the database would complain of only when somebody uses it: references to what is not there, and
  /// views and triggers that cannot be run. None where a database lets none come about, as PostgreSQL does.
  /// `withRows` all rows are read, and those are among them that refer to none.
  func faults(withRows: Bool) throws(DatabaseError) -> Set<String>

  /// The statements that make the schema of this database in an empty one, in an order in which they
  /// run; the tables named are left out, with their indexes.
  func schemaStatements(without tables: Set<String>) throws(DatabaseError) -> [String]

  /// Ends the connection, with its lock; again it does nothing.
  func close()
}

/// What a database holds, in a form that two moments can be compared by.
package struct DatabaseState: Sendable, Equatable {
  /// By kind and name ("table book", "index book_title", "trigger …", "function f(integer)"), the
  /// definition as the database gives it, normalized so that equal schemas have equal texts: the
  /// order in which objects were made, their numbers and owners are not in it.
  package var schema: [String: String]
  /// By table, the number of rows and a digest of all values that does not depend on the order of
  /// rows. How far a sequence has counted is not in it: no inverse takes that back.
  package var data: [String: TableState]

  package struct TableState: Sendable, Equatable {
    package var rowCount: Int
    package var digest: String

    package init(rowCount: Int, digest: String) {
      self.rowCount = rowCount
      self.digest = digest
    }
  }

  package init(schema: [String: String], data: [String: TableState]) {
    self.schema = schema
    self.data = data
  }
}

extension ChangelogDatabase {
  package func faults(withRows: Bool) throws(DatabaseError) -> Set<String> { [] }

  package func execute(_ statement: String) throws(DatabaseError) {
    try execute(Array(statement.utf8)[...])
  }

  package func query(_ statement: String) throws(DatabaseError) -> [[String?]] {
    try query(statement, [])
  }
}
