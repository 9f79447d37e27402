import CSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension StoreError {
  /// The error of a SQLite call on a database file.
  package init(sqlite status: Int32, system: Int32, message: String, path: String) {
    let code = Self.code(sqlite: status, system: system)
    let isForeign = status == SQLiteIOError.data
    self.init(
      code, isForeign ? Self.foreignSentence(path) : Self.sentence(code, path: path),
      underlying: isForeign
        ? "a page does not match its checksum" : "SQLite \(status): \(message)")
  }

  /// The error of a system call on a file, with the `errno` that it left.
  package init(system error: Int32, _ operation: String, path: String) {
    let code: Code
    switch error {
    case ENOSPC, EDQUOT: code = .diskFull
    case EACCES, EPERM, EROFS: code = .notWritable
    case EXDEV: code = .otherFileSystem
    default: code = .ioFailed
    }
    self.init(
      code,
      error == ENOENT || error == ENOTDIR
        ? "There is no file \(path): check the path." : Self.sentence(code, path: path),
      underlying: "\(operation): \(String(cString: strerror(error)))")
  }

  private static func code(sqlite status: Int32, system: Int32) -> Code {
    if system == ENOSPC || system == EDQUOT { return .diskFull }
    if status == SQLiteIOError.noMemory { return .outOfMemory }
    switch status & 0xff {
    case SQLITE_FULL: return .diskFull
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: return .notWritable
    case SQLITE_BUSY, SQLITE_LOCKED: return .inUse
    case SQLITE_TOOBIG: return .valueTooLarge
    case SQLITE_NOMEM: return .outOfMemory
    case SQLITE_IOERR: return damage.contains(status) ? .damaged : .ioFailed
    default: return .unexpected
    }
  }

  private static let damage: Set<Int32> = [
    SQLiteIOError.data, SQLiteIOError.fileSystemDamage, SQLiteIOError.shortRead,
  ]

  /// What to do about a damaged file.
  package static func damageSentence(_ path: String) -> String {
    "\(path) is damaged: keep it, and restore a backup, or copy what can be read into a new store"
      + " with reunion salvage. Other replicas then bring what is missing."
  }

  /// What to do about a file with pages that do not match their checksums.
  package static func foreignSentence(_ path: String) -> String {
    "\(path) has pages that this program did not write: another program, such as the sqlite3 shell,"
      + " wrote to it or checkpointed its log, or it is damaged. If another program did, reunion adopt"
      + " takes it over. Otherwise keep it, and restore a backup, or copy what can be read into a new"
      + " store with reunion salvage."
  }

  private static func sentence(_ code: Code, path: String) -> String {
    switch code {
    case .diskFull: "The disk of \(path) is full: make room, then try again."
    case .damaged:
      damageSentence(path)
    case .notWritable: "\(path) cannot be opened or written: check its permissions and its owner."
    case .inUse: "\(path) is in use by another program: close that program, then try again."
    case .valueTooLarge: "A value for \(path) is too large: keep large bytes as a blob."
    case .outOfMemory: "There is too little memory for \(path): end other programs, then try again."
    case .ioFailed: "The disk of \(path) failed: check it, then try again."
    default: "\(path) could not be used; please report this with the words that follow."
    }
  }
}
