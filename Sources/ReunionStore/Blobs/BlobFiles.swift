import ReunionCore

/// Where the blobs of a folder are.
enum BlobFiles {
  /// The file that a blob has or will have.
  static func path(of hash: BlobHash, in folder: String) -> String {
    let name = hash.description
    return "\(folder)/blobs/\(name.prefix(2))/\(name)"
  }

  /// What a file of these first bytes is called by most programs; nil where they tell nothing.
  static func fileExtension(_ start: [UInt8]) -> String? {
    func has(_ text: String, at index: Int = 0) -> Bool {
      start.dropFirst(index).starts(with: text.utf8)
    }
    if start.starts(with: [0xff, 0xd8, 0xff]) { return "jpg" }
    if start.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return "png" }
    if has("GIF8") { return "gif" }
    if has("%PDF-") { return "pdf" }
    if has("RIFF"), has("WEBP", at: 8) { return "webp" }
    guard has("ftyp", at: 4) else { return nil }
    if has("avif", at: 8) { return "avif" }
    return has("hei", at: 8) || has("mif1", at: 8) ? "heic" : "mp4"
  }

  /// Copies a file into an empty one, and says what was copied. It is not synced yet.
  static func copy(_ source: any DiskFile, to target: any DiskFile) throws(StoreError)
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
