import CSQLite

/// SQLite's types of values.
enum SQLiteType {
  static let integer = SQLITE_INTEGER
  static let float = SQLITE_FLOAT
  static let text = SQLITE_TEXT
  static let blob = SQLITE_BLOB
  static let null = SQLITE_NULL
}
