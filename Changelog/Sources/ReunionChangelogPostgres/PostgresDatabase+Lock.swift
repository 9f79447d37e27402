package import ReunionChangelog

/// The real lock: an advisory one of the session, which the server gives back when the connection ends.
extension PostgresDatabase {
  /// The number of the lock, of the schema's name: such locks are a database's own already.
  private var lockNumber: Int64 {
    // FNV-1a, which is the same everywhere and always; a clash costs a wait.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "reunion changelog \(schema)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }

  package func takeLock() throws(DatabaseError) -> Bool {
    guard !hasLock else { return true }
    try refusePooler()
    let rows = try connection.rows(
      "SELECT pg_catalog.pg_try_advisory_lock($1::bigint)", ["\(lockNumber)"])
    hasLock = rows.first?.first == "t"
    guard hasLock else { return false }
    // A server that ends idle sessions would end the lock.
    _ = try connection.rows(
      """
      SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings
      WHERE name IN ('idle_session_timeout', 'idle_in_transaction_session_timeout')
      """)
    return true
  }

  package func releaseLock() throws(DatabaseError) {
    guard hasLock else { return }
    hasLock = false
    guard connection.isOpen else { return }
    _ = try connection.rows("SELECT pg_catalog.pg_advisory_unlock($1::bigint)", ["\(lockNumber)"])
  }

  package func lockOwner() throws(DatabaseError) -> String? {
    let number = UInt64(bitPattern: lockNumber)
    let rows = try connection.rows(
      """
      SELECT a.application_name, \(Self.sessionText(of: "l.pid"))
      FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
        AND l.classid = $1::bigint::oid AND l.objid = $2::bigint::oid
      """, ["\(number >> 32)", "\(number & 0xffff_ffff)"])
    guard let row = rows.first, let session = row[1] else { return nil }
    // "reunion-changelog pid=12", unless it is somebody else's session, or hidden from this user.
    let process = row[0]?.split(separator: " ").first { $0.hasPrefix("pid=") }
    return (process.map { $0 + " " } ?? "") + "session=" + session
  }

  /// Behind a pooler that changes the server's process with each transaction a lock would be somebody else's.
  ///
  /// The server tells each connection its process; a pooler tells its own number. Only then is it asked
  /// whether a second connection meets the same process.
  private func refusePooler() throws(DatabaseError) {
    let own = try Self.process(of: connection)
    guard own != connection.announcedProcess else { return }
    let second = try PostgresConnection(
      connection.address, application: "reunion-changelog", notice: { _ in })
    defer { second.close() }
    let other = try Self.process(of: second)
    let again = try Self.process(of: connection)
    guard own == again, own != other else {
      throw DatabaseError(
        "a pooler in transaction mode is in front of the server, and would lose the lock; give the "
          + "server's own address, or pool by session", code: "0A000")
    }
  }

  private static func process(of connection: PostgresConnection) throws(DatabaseError) -> Int32? {
    try connection.rows("SELECT pg_catalog.pg_backend_pid()").first?.first?.flatMap { Int32($0) }
  }
}
