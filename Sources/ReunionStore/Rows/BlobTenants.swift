import ReunionCore
package import ReunionDisk

/// A note that bytes belong to a space where no record names them. The bytes were sent to the
/// space, or it named them last. The note lasts for a grace.
///
/// Where a record names bytes, the record says whose they are. What one space erases takes from no other
/// what is its (`BlobUse.isErased`).
package enum BlobTenant {
  /// In place of a space's number: who uses the store added them, and has named them nowhere yet.
  static let program: Int64 = 0
  /// In place of a space's number: whose they are was not noted, since an earlier version took them. Nobody
  /// but the grace ends that, and who erases them everywhere.
  static let unknown: Int64 = -1

  static let create = """
    CREATE TABLE reunion_tenant(hash BLOB, space INTEGER, age INTEGER NOT NULL, \
    PRIMARY KEY(hash, space)) WITHOUT ROWID
    """

  /// Notes the owner of all bytes that nothing names as `unknown`.
  package static func noteUnnamed(_ connection: DatabaseConnection) throws(StoreError) {
    let age = try CollectorAge(connection).milliseconds
    try connection.execute(
      """
      INSERT OR IGNORE INTO reunion_tenant(hash, space, age) SELECT hash, \(unknown), \(age) \
      FROM reunion_blob b WHERE NOT EXISTS \
      (SELECT 1 FROM reunion_blob_reference r WHERE r.hash = b.hash)
      """)
  }
}

extension RecordReader {
  /// Whether bytes belong to a space that has noted so at the collector's present age, or whose records
  /// name them.
  func isSurely(_ space: Int64, tenantOf hash: BlobHash) throws(StoreError) -> Bool {
    if try isTenant(space, of: hash, since: CollectorAge(connection).milliseconds) { return true }
    return try names(hash, in: space)
  }

  /// Whether a record of a space, alive or deleted, names a blob.
  func names(_ hash: BlobHash, in space: Int64) throws(StoreError) -> Bool {
    let statement = try connection.statement(
      "SELECT 1 FROM reunion_blob_reference WHERE hash = ?1 AND space = ?2 LIMIT 1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    try statement.bind(2, space)
    return try statement.step()
  }

  func isTenant(
    _ space: Int64, of hash: BlobHash, since age: UInt64 = 0
  ) throws(StoreError) -> Bool {
    let statement = try connection.statement(
      "SELECT 1 FROM reunion_tenant WHERE hash = ?1 AND space = ?2 AND age >= ?3")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    try statement.bind(2, space)
    try statement.bind(3, Int64(clamping: age))
    return try statement.step()
  }
}

extension RecordWriter {
  /// Gives unnamed bytes to a space for a grace from now on, in which they are not collected.
  func addTenant(_ space: Int64, of hash: BlobHash) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_tenant(hash, space, age) VALUES(?1, ?2, ?3)")
    try insert.bind(1, hash.bytes)
    try insert.bind(2, space)
    try insert.bind(3, Int64(clamping: try CollectorAge(reader.connection).milliseconds))
    try insert.run()
    try unmark(hash)
  }

  /// Takes bytes from all spaces except those whose records name them.
  func removeTenants(of hash: BlobHash) throws(StoreError) {
    let delete = try reader.connection.statement("DELETE FROM reunion_tenant WHERE hash = ?1")
    try delete.bind(1, hash.bytes)
    try delete.run()
  }

  /// Has a record say from now on whose bytes are.
  func removeTenant(_ space: Int64, of hash: BlobHash) throws(StoreError) {
    let delete = try reader.connection.statement(
      "DELETE FROM reunion_tenant WHERE hash = ?1 AND space = ?2")
    try delete.bind(1, hash.bytes)
    try delete.bind(2, space)
    try delete.run()
  }
}
