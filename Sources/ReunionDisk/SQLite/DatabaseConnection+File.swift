import CSQLite

/// The database file as it lies on the disk, below the checks of pages.
extension DatabaseConnection {
  /// The size of the file in bytes.
  package func fileByteCount() throws(StoreError) -> UInt64 {
    var size: sqlite3_int64 = 0
    try check(reunion_file_size(handle, &size))
    return UInt64(clamping: size)
  }

  /// Reads up to `count` bytes from an offset; fewer only at the end of the file. It needs no
  /// descriptor but SQLite's: closing another one would end SQLite's locks.
  package func readFile(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
    let rest = try fileByteCount().subtractingReportingOverflow(offset)
    guard !rest.overflow else { return [] }
    let count = min(count, Int(clamping: rest.partialValue))
    // The standard library would write the count into the one empty array that all threads share.
    guard count > 0 else { return [] }
    var status = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      status = reunion_file_read(
        handle, buffer.baseAddress, Int32(clamping: count), Int64(clamping: offset))
      filled = status == SQLITE_OK ? count : 0
    }
    try check(status)
    return bytes
  }

  /// Copies the file's bytes into another one, and returns when they are on the disk.
  package func copyFile(to target: any DiskFile) throws(StoreError) {
    var offset: UInt64 = 0
    while true {
      let piece = try readFile(at: offset, count: 1 << 20)
      guard !piece.isEmpty else { break }
      try target.write(piece, at: offset)
      offset += UInt64(piece.count)
    }
    try target.sync()
  }

  /// Has pages read whatever their checksums say; before anything is read.
  package func trustPages() throws(StoreError) {
    var flag: Int32 = 1
    try check(sqlite3_file_control(handle, "main", REUNION_TRUST_PAGES, &flag))
  }
}
