import CSQLite
import ReunionCore
import ReunionDisk
import ReunionStore

/// What SQL of somebody else may do: SELECT from the views, from JSON, and call harmless functions.
///
/// SQLite names the view on whose behalf a table is read; but it says as much of a WITH that somebody
/// calls like a view. So the views that read tables have names that nobody can guess.
final class SQLRules: Sendable {
  /// What the names of the views begin with that may read tables.
  let secret = "reunion_\(UInt64.random(in: 0 ... .max))_\(UInt64.random(in: 0 ... .max))_"
  private let readable: Set<String>

  /// Functions that reach beyond the query.
  private static let harmful: Set<String> = [
    "load_extension", "fts3_tokenizer", "fts5", "sqlite_log", "rtreecheck", "edit", "readfile",
    "writefile",
  ]

  init(views: [String]) {
    readable = Set(views.map { $0.lowercased() } + ["json_each", "json_tree"])
  }

  /// SQLite's question, and the answer.
  static let judge:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafePointer<CChar>?
    ) -> Int32 = { rules, action, first, second, _, view in
      guard let rules else { return SQLITE_DENY }
      let isAllowed = Unmanaged<SQLRules>.fromOpaque(rules).takeUnretainedValue().allows(
        action, first.map { String(cString: $0) }, second.map { String(cString: $0) },
        for: view.map { String(cString: $0) })
      return isAllowed ? SQLITE_OK : SQLITE_DENY
    }

  private func allows(
    _ action: Int32, _ first: String?, _ second: String?, for view: String?
  ) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: return true
    case SQLITE_FUNCTION: return !Self.harmful.contains(second?.lowercased() ?? "load_extension")
    case SQLITE_READ:
      guard let table = first else { return false }
      return readable.contains(table.lowercased()) || table.hasPrefix(secret)
        || view?.hasPrefix(secret) == true
    default: return false
    }
  }
}

/// Ends a query that takes too long, or whose task was cancelled.
final class SQLWatch {
  private let seconds: Double
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var wasCancelled = false

  init(seconds: Double) {
    self.seconds = seconds
    start = clock.now
  }

  /// What SQLite calls every thousand steps; other than 0 ends the query.
  static let look: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { watch in
    guard let watch else { return 1 }
    return Unmanaged<SQLWatch>.fromOpaque(watch).takeUnretainedValue().isOver() ? 1 : 0
  }

  private func isOver() -> Bool {
    wasCancelled = Task.isCancelled
    return wasCancelled || start.duration(to: clock.now) > .seconds(seconds)
  }

  /// Why it was ended.
  var error: StoreError {
    wasCancelled
      ? StoreError(.interrupted, "The query was cancelled.")
      : StoreError(
        .interrupted, "The query took longer than \(seconds) s: ask for less, or give it more time."
      )
  }
}
