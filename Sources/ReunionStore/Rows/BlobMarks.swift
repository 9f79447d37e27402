package import ReunionCore
package import ReunionDisk

extension RecordReader {
  /// Whether a blob's row is there.
  func holdsBlob(_ hash: BlobHash) throws(StoreError) -> Bool {
    let statement = try connection.statement("SELECT 1 FROM reunion_blob WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    return try statement.step()
  }

  /// The length of the file of a blob that has a row; nil if the blob has no row.
  func byteCount(ofBlob hash: BlobHash) throws(StoreError) -> UInt64? {
    let statement = try connection.statement("SELECT byte_count FROM reunion_blob WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    return try statement.step() ? UInt64(bitPattern: statement.int(0)) : nil
  }

  /// The collector's age at which a blob was found unused; nil where it is not marked.
  func mark(of hash: BlobHash) throws(StoreError) -> UInt64? {
    let statement = try connection.statement("SELECT age FROM reunion_blob_mark WHERE hash = ?1")
    defer { statement.reset() }
    try statement.bind(1, hash.bytes)
    return try statement.step() ? UInt64(bitPattern: statement.int(0)) : nil
  }

  func markedBlobs() throws(StoreError) -> [BlobHash] {
    let statement = try connection.statement("SELECT hash FROM reunion_blob_mark ORDER BY hash")
    defer { statement.reset() }
    var hashes: [BlobHash] = []
    while try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's mark")
      }
      hashes.append(hash)
    }
    return hashes
  }
}

extension RecordWriter {
  /// Has the database say that a blob is held; who does so wants it kept.
  package func hold(_ reference: BlobReference) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_blob(hash, byte_count) VALUES(?1, ?2)")
    try insert.bind(1, reference.hash.bytes)
    try insert.bind(2, Int64(bitPattern: reference.byteCount))
    try insert.run()
    try unmark(reference.hash)
  }

  /// Has the database say no longer that a blob is held.
  func release(_ hash: BlobHash) throws(StoreError) {
    let delete = try reader.connection.statement("DELETE FROM reunion_blob WHERE hash = ?1")
    try delete.bind(1, hash.bytes)
    try delete.run()
  }

  func mark(_ hash: BlobHash, _ age: UInt64) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_blob_mark(hash, age) VALUES(?1, ?2)")
    try insert.bind(1, hash.bytes)
    try insert.bind(2, Int64(bitPattern: age))
    try insert.run()
  }

  func unmark(_ hash: BlobHash) throws(StoreError) {
    let delete = try reader.connection.statement("DELETE FROM reunion_blob_mark WHERE hash = ?1")
    try delete.bind(1, hash.bytes)
    try delete.run()
  }
}
