package import ReunionCore
import ReunionDisk
import ReunionFlow

/// Blobs that come in chunks of 64 KiB, in any order, from any number of peers.
///
/// Beside the bytes in `partial/HASH` is the file `HASH.have` with a byte a chunk, which is set once
/// the chunk's bytes were written: after the death of the program every chunk that it tells of is
/// there. After a power cut one may not be; `complete` finds it.
extension BlobTransfer {
  /// Which chunks have arrived.
  package func chunks() throws -> BlobChunks {
    try turn.work.withLock { (work) throws(StoreError) in
      try refuse(work)
      return try blobs.partialChunks(of: blob)
    }
  }

  /// Keeps a chunk; one that is here is written again.
  ///
  /// - Throws: `wrongOffset` if there is no such chunk, or it has another size.
  package func write(_ bytes: [UInt8], chunk index: Int) throws {
    let chunks = BlobChunks(of: blob, have: [])
    let range = chunks.range(of: index)
    guard index >= 0, index < chunks.count,
      UInt64(bytes.count) == range.upperBound - range.lowerBound
    else {
      throw StoreError(
        .wrongOffset, "The blob \(hash.description) has no chunk \(index) of that size.")
    }
    try turn.work.withLock { (work) throws(StoreError) in
      try refuse(work)
      if !work.isChunked {
        // Before the first chunk, what came in one piece from the start is noted.
        try blobs.keepHave(try blobs.partialChunks(of: blob).prefixCount, of: hash)
        work.isChunked = true
      }
      try file(&work).write(bytes, at: range.lowerBound)
      try disk.open(blobs.havePath(hash), .writing).write([1], at: UInt64(index))
    }
    turn.advance(to: store.blobParts.transfers.step())
  }

  /// Makes a blob of chunks that have all arrived. The transfer is over then.
  ///
  /// Where the list of the chunks' hashes is known, bytes that a power cut spoiled cost their chunk
  /// alone: the others stay.
  /// - Throws: `wrongOffset` where a chunk is missing. `blobMismatch` where bytes are others; the
  ///   chunks that are wrong are missing then, or all, where no list tells.
  package func complete(chunkHashes: [BlobHash]? = nil) throws {
    try whileAlone { (work) throws(StoreError) in
      try refuse(work)
      let chunks = try blobs.partialChunks(of: blob)
      guard chunks.missing.isEmpty else {
        throw StoreError(
          .wrongOffset, "\(chunks.missing.count) chunks of \(hash.description) are missing.")
      }
      if let chunkHashes { try forgetSpoiled(chunks, chunkHashes, &work) }
      try name(blob.byteCount, &work)
    }
    over(hasArrived: true)
  }

  private func forgetSpoiled(
    _ chunks: BlobChunks, _ hashes: [BlobHash], _ work: inout BlobTurn.Work
  ) throws(StoreError) {
    let file = try file(&work)
    var spoiledCount = 0
    for index in 0..<chunks.count {
      let range = chunks.range(of: index)
      let bytes = try file.read(
        at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
      guard index >= hashes.count || BlobHash(of: bytes) != hashes[index] else { continue }
      try disk.open(blobs.havePath(hash), .writing).write([0], at: UInt64(index))
      spoiledCount += 1
    }
    guard spoiledCount == 0 else {
      throw StoreError(
        .blobMismatch, "\(spoiledCount) chunks of \(hash.description) are wrong: send them again."
      )
    }
  }

  /// Keeps a piece of a blob that comes in chunks, where it is a chunk; a smaller one ends that, and
  /// what is beyond a gap goes.
  func appended(
    _ offset: UInt64, _ bytes: [UInt8], _ work: inout BlobTurn.Work
  ) throws(StoreError) -> Bool {
    let prefix = try blobs.chunkedPrefixBytes(hash) ?? 0
    guard offset <= prefix else { throw blobs.wrongOffset(hash, prefix) }
    guard offset % BlobChunks.bytesEach == 0, UInt64(bytes.count) == BlobChunks.bytesEach else {
      let file = try file(&work)
      if try file.byteCount() > prefix { try file.truncate(to: prefix) }
      try disk.remove(blobs.havePath(hash))
      work.isChunked = false
      return false
    }
    // A whole chunk: what came beyond it stays.
    try file(&work).write(bytes, at: offset)
    try disk.open(blobs.havePath(hash), .writing).write([1], at: offset / BlobChunks.bytesEach)
    return true
  }
}
