/// The SQL of a database, with the name that `dbms:` gives it.
package enum Dialect: String, Sendable, CaseIterable {
  case sqlite
  case postgresql
}
