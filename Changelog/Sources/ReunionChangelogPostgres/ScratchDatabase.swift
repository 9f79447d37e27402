internal import ReunionChangelog

/// A copy of a database beside it on the same server, for a try; `drop` takes it away.
///
/// Its name tells whose it is: the server's process and start of the session that made it. One whose
/// session has ended is dropped before the next is made.
struct ScratchDatabase {
  let name: String
  /// The database that was copied.
  let origin: PostgresAddress

  private static let prefix = "reunion_scratch_"

  /// Copies the database of a connection, which keeps its locks, into a new one.
  ///
  /// The server copies its files if nobody else is connected to it. Otherwise `pg_dump` reads it
  /// and `psql` writes it, while others go on.
  init(of connection: PostgresConnection) throws(DatabaseError) {
    origin = connection.address
    try Self.dropStale(connection)
    let own = try connection.rows(
      """
      SELECT pg_backend_pid() || '_' || (extract(epoch FROM backend_start) * 1000000)::bigint,
        current_database()
      FROM pg_stat_activity WHERE pid = pg_backend_pid()
      """)
    guard let mark = own.first?[0], let database = own.first?[1] else {
      throw DatabaseError("the server does not tell this session's start", code: "XX000")
    }
    name = Self.prefix + mark
    do throws(DatabaseError) {
      try connection.run("CREATE DATABASE \"\(name)\" TEMPLATE \(Self.quoted(database))")
    } catch  where error.code == "55006" {
      try connection.run("CREATE DATABASE \"\(name)\" TEMPLATE template0")
      do throws(DatabaseError) {
        try DumpPipe.copy(from: origin, to: origin.database(name))
      } catch {
        drop()
        throw error
      }
    }
  }

  /// Takes the copy away, whoever is connected to it. Where that fails, the next copy does it.
  func drop() {
    guard
      let connection = try? PostgresConnection(
        origin, application: "reunion-changelog", notice: { _ in })
    else { return }
    _ = try? connection.run("DROP DATABASE IF EXISTS \"\(name)\" WITH (FORCE)")
    connection.close()
  }

  /// What this database sets for its sessions, and the copy does not have.
  static func settings(
    of connection: PostgresConnection
  ) throws(DatabaseError) -> [(name: String, value: String)] {
    try connection.rows(
      """
      SELECT split_part(line, '=', 1), substr(line, strpos(line, '=') + 1)
      FROM pg_db_role_setting, unnest(setconfig) AS line
      WHERE setrole = 0 AND setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    ).compactMap { row in
      guard let name = row[0], let value = row[1] else { return nil }
      return (name, value)
    }
  }

  /// Drops the copies of sessions that have ended. Of a session that this user may not see, only the
  /// number counts: its copy stays while any session has that number.
  private static func dropStale(_ connection: PostgresConnection) throws(DatabaseError) {
    let stale = try connection.rows(
      """
      SELECT d.datname FROM pg_database d
      WHERE d.datname ~ '^reunion_scratch_[0-9]+_[0-9]+$' AND pg_has_role(d.datdba, 'USAGE')
        AND NOT EXISTS (SELECT FROM pg_stat_activity a
          WHERE a.pid::text = split_part(d.datname, '_', 3)
            AND coalesce((extract(epoch FROM a.backend_start) * 1000000)::bigint::text,
              split_part(d.datname, '_', 4)) = split_part(d.datname, '_', 4))
      """)
    for row in stale {
      guard let name = row[0] else { continue }
      try connection.run("DROP DATABASE IF EXISTS \"\(name)\" WITH (FORCE)")
    }
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}
