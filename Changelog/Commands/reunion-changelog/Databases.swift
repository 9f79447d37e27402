#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import ReunionChangelog
import ReunionChangelogPostgres
import ReunionCommandLine

/// The databases that a URL can name.
enum Databases {
  /// The dialect of a URL, before anything is opened.
  static func dialect(of url: String) throws(Misunderstood) -> Dialect {
    switch scheme(of: url) {
    case "sqlite": .sqlite
    case "postgresql", "postgres": .postgresql
    default:
      throw Misunderstood(
        "--url is sqlite:FILE or postgresql://USER@HOST/DATABASE, and not \(safe(url).onOneLine).")
    }
  }

  /// What is done where a file of SQLite is not there yet.
  enum Absence {
    case make
    /// It counts as an empty one, and is not made.
    case pretend
    case need
  }

  static func open(_ url: String, _ absence: Absence) throws -> any ChangelogDatabase {
    do {
      switch try dialect(of: url) {
      case .sqlite:
        let file = file(of: url)
        guard access(file, F_OK) != 0, errno == ENOENT, absence != .make else {
          return try SQLiteDatabase(file, mayCreate: absence == .make)
        }
        if absence == .pretend { return try SQLiteDatabase(":memory:", mayCreate: true) }
        throw CommandFailure(
          4, "There is no file \(file.onOneLine) yet. Check --url, or make it with update.")
      case .postgresql: return try PostgresDatabase(url: String(plain(url)))
      }
    } catch let error as DatabaseError {
      throw CommandFailure(
        4, "\(safe(url).onOneLine) could not be opened: \(error.message). Check --url.")
    }
  }

  /// Liquibase's URLs begin with jdbc.
  private static func plain(_ url: String) -> Substring {
    url.hasPrefix("jdbc:") ? url.dropFirst("jdbc:".count) : url[...]
  }

  private static func scheme(of url: String) -> String {
    String(plain(url).prefix { $0 != ":" })
  }

  private static func file(of url: String) -> String {
    let path = plain(url).dropFirst("sqlite:".count)
    return String(path.hasPrefix("//") ? path.dropFirst(2) : path)
  }

  /// A URL without the password that may be in it.
  static func safe(_ url: String) -> String {
    url.replacing(/:\/\/([^:@\/]*):[^@\/]*@/) { "://\($0.1):…@" }
      .replacing(/password=[^&\s]*/) { _ in "password=…" }
  }
}
