import CSQLite

/// SQLite's extended codes of errors of files, which the importer does not know.
package enum SQLiteIOError {
  static let read = code(1)
  static let shortRead = code(2)
  static let write = code(3)
  static let sync = code(4)
  static let syncFolder = code(5)
  static let truncate = code(6)
  static let status = code(7)
  static let delete = code(10)
  static let noMemory = code(12)
  static let access = code(13)
  static let deleteNoEntry = code(23)
  package static let data = code(32)
  static let fileSystemDamage = code(33)

  private static func code(_ number: Int32) -> Int32 { SQLITE_IOERR | number << 8 }
}
