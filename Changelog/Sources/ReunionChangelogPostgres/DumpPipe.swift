#if canImport(Glibc)
  private import Glibc
#else
  private import Darwin
#endif
internal import ReunionChangelog

/// `pg_dump` of one database into `psql` of another, as two programs with a pipe between them.
enum DumpPipe {
  static func copy(from origin: PostgresAddress, to copy: PostgresAddress) throws(DatabaseError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw failure("no pipe could be made") }
    // Neither keeps the other's end, or the reader would wait for ever.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let words = ["--no-owner", "--no-publications", "--no-subscriptions"]
    let writer = start("pg_dump", words, origin, input: nil, output: ends[1])
    let reader = start(
      "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1"], copy, input: ends[0], output: nil)
    close(ends[0])
    close(ends[1])
    // Wait for both before either is told of.
    let dumped = wait(for: writer)
    let read = wait(for: reader)
    guard dumped, read else {
      throw failure(
        (dumped ? "psql" : "pg_dump")
          + " could not copy the database while others use it; install the "
          + "client programs of the server's version (postgresql-client), or let others disconnect")
    }
  }

  /// What `pg_dump` writes of the schema of a database, without owners and without some tables.
  static func schema(
    of origin: PostgresAddress, without tables: [String]
  ) throws(DatabaseError) -> [UInt8] {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw failure("no pipe could be made") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let words =
      ["--schema-only", "--no-owner", "--no-publications", "--no-subscriptions"]
      + tables.map { "--exclude-table=\"\($0)\"" }
    let writer = start("pg_dump", words, origin, input: nil, output: ends[1])
    close(ends[1])
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    close(ends[0])
    guard wait(for: writer) else {
      throw failure(
        "pg_dump could not read the schema; install the client programs of the server's version "
          + "(postgresql-client)")
    }
    return bytes
  }

  private static func failure(_ message: String) -> DatabaseError {
    DatabaseError(message, code: "58000")
  }

  /// Starts a program that finds its database in its environment, where no other user reads the password.
  private static func start(
    _ program: String, _ words: [String], _ address: PostgresAddress, input: Int32?, output: Int32?
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    var arguments = ([program] + words).map { strdup($0) } + [nil]
    var environment = Self.environment(address).map { strdup($0) } + [nil]
    defer { (arguments + environment).forEach { free($0) } }
    var child: pid_t = 0
    return posix_spawnp(&child, program, &actions, nil, &arguments, &environment) == 0 ? child : nil
  }

  /// This process's environment, with the settings of an address as libpq's variables.
  private static func environment(_ address: PostgresAddress) -> [String] {
    let names = [
      "host": "PGHOST", "hostaddr": "PGHOSTADDR", "port": "PGPORT", "dbname": "PGDATABASE",
      "user": "PGUSER", "password": "PGPASSWORD", "passfile": "PGPASSFILE", "sslmode": "PGSSLMODE",
      "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY", "sslrootcert": "PGSSLROOTCERT",
      "service": "PGSERVICE", "channel_binding": "PGCHANNELBINDING",
      "krbsrvname": "PGKRBSRVNAME", "gssencmode": "PGGSSENCMODE",
    ]
    var own: [String: String] = [:]
    for (word, value) in address.settings {
      if let name = names[word] { own[name] = value }
    }
    var lines = own.map { "\($0.key)=\($0.value)" }
    var next = environ
    while let line = next.pointee {
      let text = String(cString: line)
      if own[String(text.prefix { $0 != "=" })] == nil { lines.append(text) }
      next += 1
    }
    return lines
  }

  /// Whether a program ended well.
  private static func wait(for child: pid_t?) -> Bool {
    guard let child else { return false }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return false }
    }
    return status == 0
  }
}
