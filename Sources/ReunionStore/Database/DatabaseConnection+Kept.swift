import ReunionDisk

/// What a database keeps of itself: a value for each key.
extension DatabaseConnection {
  /// The bytes of a key; nil where nothing was kept.
  func kept(_ key: String) throws(StoreError) -> [UInt8]? {
    let select = try statement("SELECT value FROM reunion_meta WHERE key = ?1")
    defer { select.reset() }
    try select.bind(1, text: key)
    return try select.step() ? select.bytes(0) : nil
  }

  /// Keeps the bytes of a key in place of those before, in the transaction that is under way.
  func keep(_ bytes: [UInt8], as key: String) throws(StoreError) {
    let insert = try statement("INSERT OR REPLACE INTO reunion_meta(key, value) VALUES(?1, ?2)")
    try insert.bind(1, text: key)
    try insert.bind(2, bytes)
    try insert.run()
  }
}
