extension Disk {
  /// The size of a file in bytes; nil if there is no such file.
  package func byteCount(_ path: String) throws(StoreError) -> UInt64? {
    guard case .file(let byteCount)? = try status(of: path) else { return nil }
    return byteCount
  }

  /// Whether something is at a path.
  package func exists(_ path: String) throws(StoreError) -> Bool { try status(of: path) != nil }

  /// Makes a folder, and those above it, where they are not there; their names are on the disk then.
  package func makeFolder(_ path: String) throws(StoreError) {
    switch try status(of: path) {
    case .folder: return
    case .file:
      throw StoreError(.notWritable, "\(path) is not a folder: move it away, then try again.")
    case nil:
      let parent = path.parentFolder
      if parent != path { try makeFolder(parent) }
      try createFolder(path)
      try syncFolder(parent)
    }
  }

  /// Sees to it that a folder's own name is on the disk, and the names of those above it: an earlier
  /// try to make them may have been broken off. Folders that may not be looked into were not ours.
  package func syncNames(of path: String) throws(StoreError) {
    let parent = path.parentFolder
    guard parent != path else { return }
    do throws(StoreError) {
      try syncFolder(parent)
    } catch {
      guard error.code == .notWritable else { throw error }
      return
    }
    // Relative paths end at ".", where somebody else's folders begin.
    if parent != "." { try syncNames(of: parent) }
  }

  /// All bytes of a small file; nil if there is no such file.
  package func read(_ path: String) throws(StoreError) -> [UInt8]? {
    guard try exists(path) else { return nil }
    let file = try open(path, .reading)
    return try file.read(at: 0, count: Int(clamping: try file.byteCount()))
  }

  /// Replaces a small file so that it is on the disk, whole, when this returns.
  package func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    let temporary = path + ".new"
    let file = try open(temporary, .creating)
    try file.write(bytes, at: 0)
    try file.sync()
    try rename(temporary, to: path)
    try syncFolder(path.parentFolder)
  }
}

extension DiskFile {
  /// Copies the bytes into an empty file, which is not synced yet.
  package func copy(to target: any DiskFile) throws(StoreError) {
    var offset: UInt64 = 0
    while true {
      let piece = try read(at: offset, count: 256 * 1024)
      if piece.isEmpty { return }
      try target.write(piece, at: offset)
      offset += UInt64(piece.count)
    }
  }
}

extension String {
  /// The folder of a path.
  package var parentFolder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
