package import ReunionChangelog

/// A PostgreSQL database that a changelog changes, over one connection of libpq.
///
/// *Thread*: whoever made it, one call at a time; calls block. *Durability*: what `commit` returned of is
/// as safe as the server's own `synchronous_commit` says. The password is in no message.
package final class PostgresDatabase: ChangelogDatabase {
  package let dialect = Dialect.postgresql
  package let name: String
  package let session: String
  let connection: PostgresConnection
  /// The schema in which a name without one is made, as the connection found it.
  package let schema: String
  package var historySchema: String? { schema }
  var hasLock = false
  /// What `close` drops: this is a scratch copy.
  var scratch: ScratchDatabase?
  let notice: (String) -> Void

  /// Connects to `postgresql://USER@HOST:PORT/DATABASE?…`, and passes on what the server remarks.
  ///
  /// libpq takes what the URL leaves out, the password above all, from PGPASSWORD, PGPASSFILE and its
  /// other variables. It throws if nobody answers within ten seconds, and if no schema is there.
  package convenience init(
    url: String, notice: @escaping (String) -> Void = { _ in }
  ) throws(DatabaseError) {
    try self.init(PostgresAddress(url: url), notice: notice)
  }

  /// Connects, and sets what a database sets for its sessions and a copy of it has not.
  init(
    _ address: PostgresAddress, settings: [(name: String, value: String)] = [],
    notice: @escaping (String) -> Void
  ) throws(DatabaseError) {
    name = address.name
    self.notice = notice
    let process = "pid=\(ProcessNumber.own)"
    connection = try PostgresConnection(
      address, application: "reunion-changelog \(process)", notice: notice)
    for (name, value) in settings {
      _ = try connection.rows("SELECT set_config($1, $2, false)", [name, value])
    }
    let found = try connection.rows("SELECT \(Self.sessionColumns), current_schema()").first ?? []
    session = "\(process) session=\(found.first.flatMap(\.self) ?? "?")"
    guard found.count == 2, let schema = found[1] else {
      throw DatabaseError(
        "no schema of the search_path exists; create one, or name one with ?currentSchema=",
        code: "3F000")
    }
    self.schema = schema
  }

  /// Process and start of the session of `pg_stat_activity`, or of this one.
  static let sessionColumns = sessionText(of: "pg_catalog.pg_backend_pid()")

  static func sessionText(of process: String) -> String {
    """
    \(process) || '@' || coalesce((SELECT to_char(backend_start AT TIME ZONE 'UTC', \
    'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM pg_catalog.pg_stat_activity WHERE pid = \(process)), '?')
    """
  }

  // MARK: Statements

  package func execute(_ statement: ArraySlice<UInt8>) throws(DatabaseError) {
    try connection.run(statement)
  }

  package func query(
    _ statement: String, _ values: [String?]
  ) throws(DatabaseError) -> [[String?]] {
    try connection.rows(statement, values)
  }

  // MARK: Transactions

  package func begin() throws(DatabaseError) { try connection.run("BEGIN") }

  package func commit() throws(DatabaseError) {
    // A transaction that failed ends with this word too, and is rolled back.
    guard try connection.run(Array("COMMIT".utf8)[...]) == "COMMIT" else {
      throw DatabaseError("the transaction had failed, and is rolled back", code: "25P02")
    }
  }

  package func rollBack() throws(DatabaseError) {
    // With its connection a transaction is gone as well.
    guard connection.isInTransaction, connection.isOpen else { return }
    try connection.run("ROLLBACK")
  }

  package var isInTransaction: Bool { connection.isInTransaction }

  package func currentTransaction() throws(DatabaseError) -> String? {
    try connection.rows("SELECT pg_catalog.pg_current_xact_id()").first?.first ?? nil
  }

  /// A server has copies of its own.
  package func keepCopy() throws(DatabaseError) -> String? { nil }

  package func close() {
    connection.close()
    hasLock = false
    scratch?.drop()
    scratch = nil
  }
}
