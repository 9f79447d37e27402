package import ReunionCore
package import ReunionDisk

/// Where the blobs of a folder are.
package enum BlobFiles {
  /// The file that a blob has or will have.
  package static func path(of hash: BlobHash, in folder: String) -> String {
    let name = hash.description
    return "\(folder)/blobs/\(name.prefix(2))/\(name)"
  }

  /// Copies a file into an empty one, and says what was copied. It is not synced yet.
  package static func copy(_ source: any DiskFile, to target: any DiskFile) throws(StoreError)
    -> BlobReference?
  {
    var hash = SHA256()
    var byteCount: UInt64 = 0
    while true {
      let bytes = try source.read(at: byteCount, count: BlobStore.pieceBytes)
      if bytes.isEmpty { break }
      hash.update(bytes)
      try target.write(bytes, at: byteCount)
      byteCount += UInt64(bytes.count)
    }
    return BlobHash(bytes: hash.finish()).map { BlobReference(hash: $0, byteCount: byteCount) }
  }
}
