import CSQLite

/// SQLite's types of values.
package enum SQLiteType {
  package static let integer = SQLITE_INTEGER
  package static let float = SQLITE_FLOAT
  package static let text = SQLITE_TEXT
  package static let blob = SQLITE_BLOB
  package static let null = SQLITE_NULL
}
