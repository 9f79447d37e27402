public import ReunionCore
package import ReunionDisk
public import ReunionFlow

extension BlobStore {
  /// Reads every blob and checks it, also what was checked before; returns those that were damaged
  /// or gone.
  ///
  /// ```swift
  /// let lost = try store.blobs.scrub { count in
  ///   if count.isMultiple(of: 1000) { print(count, "blobs read") }
  /// }
  /// print(lost.isEmpty ? "All blobs are whole." : "Lost: \(lost.count)")
  /// ```
  /// The damaged are in the folder `quarantine` now. All these count as missing: every session that
  /// is open fetches them again, and so does each that comes. A file that is back is taken back by
  /// the next collection.
  ///
  /// *Thread*: any; not inside a write. *Cost*: reads everything, and holds up no write meanwhile.
  /// - Parameter progress: told how many blobs were read so far, after each.
  /// - Returns: the blobs that are not here any more.
  /// - Throws: `ioFailed` if there is no file at all: then the disk of the blobs is away.
  @discardableResult
  public func scrub(progress: (Int) -> Void = { _ in }) throws -> [BlobHash] {
    try requireFiles()
    var (damaged, count, last): ([BlobHash], Int, [UInt8]) = ([], 0, [])
    while true {
      let page = try store.read { (reader) throws(StoreError) in
        try reader.blobs(after: last, count: 500)
      }
      guard let end = page.last else { return damaged }
      last = end.bytes
      for hash in page {
        _ = store.blobParts.verified.withLock { $0.remove(hash) }
        defer {
          count += 1
          progress(count)
        }
        do {
          try verify(hash)
        } catch let error as StoreError {
          guard error.code == .blobMissing else { throw error }
          damaged.append(hash)
          // Away, or too short: who asks for a repair wants it from others now.
          guard try isNoted(hash) else { continue }
          if try disk.exists(path(of: hash)) { try putAside(hash) } else { try forget(hash) }
        }
      }
    }
  }

  private func requireFiles() throws(StoreError) {
    let folder = store.folder + "/blobs"
    let first = try store.read { (reader) throws(StoreError) in
      try reader.blobs(after: [], count: 1)
    }
    guard !first.isEmpty else { return }
    if try disk.exists(folder), try !disk.names(in: folder).isEmpty { return }
    throw StoreError(
      .ioFailed, "\(folder) is empty, and holds blobs otherwise: mount its disk, then try again.")
  }

  /// Calls a closure when a blob was found to be damaged or gone, until the result is cancelled or
  /// released.
  ///
  /// *Thread*: that of whoever read it, which waits for the closure. A blob that is found missing
  /// again and again is told once, until it is back.
  public func observeLosses(_ body: @escaping @Sendable (BlobHash) -> Void) -> SignalSubscription {
    store.blobParts.lost.add(body)
  }
}

extension RecordReader {
  /// The blobs that are held, by rising hash.
  package func blobs(after hash: [UInt8], count: Int) throws(StoreError) -> [BlobHash] {
    let statement = try connection.statement(
      "SELECT hash FROM reunion_blob WHERE hash > ?1 ORDER BY hash LIMIT ?2")
    defer { statement.reset() }
    try statement.bind(1, hash)
    try statement.bind(2, Int64(count))
    var hashes: [BlobHash] = []
    while try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else {
        throw statement.damaged("a blob's hash")
      }
      hashes.append(hash)
    }
    return hashes
  }
}
