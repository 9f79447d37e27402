import ReunionFlow

/// The database files that SQLite has open in this process, by path.
///
/// Nothing else may open one of them: POSIX ends every lock that a process has on a file when it
/// closes any descriptor of it, and other programs then take the database for unused. Its size and
/// number need none (`Disk.status`, `Disk.number`); its bytes are read as `DatabaseConnection.readFile` does.
/// Source: "How To Corrupt An SQLite Database File", section 2.2.
package enum OpenDatabases {
  private static let counts = Lock<[String: Int]>([:])

  static func add(_ path: String) { counts.withLock { $0[path, default: 0] += 1 } }

  static func remove(_ path: String) {
    counts.withLock { counts in
      let count = counts[path] ?? 0
      counts[path] = count > 1 ? count - 1 : nil
    }
  }

  package static func contains(_ path: String) -> Bool { counts.withLock { $0[path] != nil } }
}
