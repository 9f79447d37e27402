import CSQLite

/// Tables out of reach, for as long as a closure runs.
extension DatabaseConnection {
  /// Runs a closure during which SQLite refuses every statement that writes to some tables, drops or
  /// alters them, or reaches another file; statements that were prepared before are judged anew.
  ///
  /// - Throws: what the closure throws; `unexpected` from a statement that was refused.
  package func refusingWrites<Success>(
    to tables: Set<String>, _ body: () throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    let rules = RefusedTables(tables)
    try check(
      sqlite3_set_authorizer(
        handle, RefusedTables.judge, Unmanaged.passUnretained(rules).toOpaque()))
    let result = Result { () throws(StoreError) in try body() }
    try check(sqlite3_set_authorizer(handle, nil, nil))
    return try withExtendedLifetime(rules) { () throws(StoreError) in try result.get() }
  }
}

/// What SQLite is told when it asks whether a statement may do something.
private final class RefusedTables: Sendable {
  private let tables: Set<String>

  init(_ tables: Set<String>) { self.tables = Set(tables.map { $0.lowercased() }) }

  static let judge:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafePointer<CChar>?
    ) -> Int32 = { rules, action, first, second, _, _ in
      guard let rules else { return SQLITE_DENY }
      let isRefused = Unmanaged<RefusedTables>.fromOpaque(rules).takeUnretainedValue().refuses(
        action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
      return isRefused ? SQLITE_DENY : SQLITE_OK
    }

  private func refuses(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_DROP_TABLE:
      return tables.contains(first?.lowercased() ?? "")
    case SQLITE_ALTER_TABLE, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_TEMP_TRIGGER, SQLITE_DROP_INDEX:
      return tables.contains(second?.lowercased() ?? "")
    case SQLITE_ATTACH, SQLITE_DETACH: return true
    default: return false
    }
  }
}
