/// The SQL of a database, with the name that `dbms:` gives it.
package enum Dialect: String, Sendable, CaseIterable {
  case sqlite
  case postgresql

  /// What messages call it.
  package var title: String {
    switch self {
    case .sqlite: "SQLite"
    case .postgresql: "PostgreSQL"
    }
  }
}
