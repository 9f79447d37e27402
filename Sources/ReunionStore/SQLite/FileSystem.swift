#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The system's calls on files and folders, each with its result checked.
enum FileSystem {
  /// Makes a folder for its owner alone, and those above it, where they are not there.
  static func makeFolder(_ path: String) throws(StoreError) {
    if mkdir(path, 0o700) == 0 { return try syncFolder(parent(path)) }
    if errno == ENOENT, status(parent(path)) == nil, parent(path) != path {
      try makeFolder(parent(path))
      return try makeFolder(path)
    }
    guard errno == EEXIST else { throw failure("mkdir", path) }
    guard let status = status(path), status.st_mode & S_IFMT == S_IFDIR else {
      throw StoreError(.notWritable, "\(path) is not a folder: move it away, then try again.")
    }
  }

  /// Sees to it that nobody but its owner can look into a folder, whose files hold secrets.
  static func makePrivate(_ path: String) throws(StoreError) {
    guard let mode = status(path)?.st_mode, mode & 0o077 != 0 else { return }
    guard chmod(path, mode & 0o700) == 0 else {
      let code = errno
      throw StoreError(
        .notWritable,
        "Other accounts can open \(path), and it is not this account's to change: have its owner run"
          + " chmod 700 on it, or choose a folder of your own.",
        underlying: String(cString: strerror(code)))
    }
  }

  /// What stands before the last slash.
  static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What the system knows of a file, nil where there is none.
  static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  /// Whether a path is a file itself: no link, no folder, no pipe.
  static func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The size of a file in bytes, nil where there is none.
  static func byteCount(_ path: String) -> UInt64? {
    status(path).map { UInt64(clamping: $0.st_size) }
  }

  /// What is in a folder; nothing where it is not there or cannot be read.
  static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The whole of a small file, nil where there is none.
  static func read(_ path: String) throws(StoreError) -> [UInt8]? {
    guard status(path) != nil else { return nil }
    let file = try File(reading: path)
    return try file.read(at: 0, count: Int(try file.byteCount()))
  }

  /// Replaces a small file so that it is on the disk, whole, when this returns.
  static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
    let temporary = path + ".new"
    let file = try File(creating: temporary)
    try file.write(bytes, at: 0)
    try file.sync()
    try rename(temporary, to: path)
    try syncFolder(parent(path))
  }

  /// Renames a file over another.
  static func rename(_ path: String, to target: String) throws(StoreError) {
    guard Self.renameFile(path, target) == 0 else { throw failure("rename", target) }
  }

  private static func renameFile(_ path: String, _ target: String) -> Int32 {
    #if canImport(Darwin)
      Darwin.rename(path, target)
    #else
      Glibc.rename(path, target)
    #endif
  }

  /// Removes a file where it is there.
  static func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("unlink", path) }
  }

  /// Sees to it that what was made and renamed in a folder is on the disk.
  static func syncFolder(_ path: String) throws(StoreError) {
    let file = try File(reading: path)
    try file.sync()
  }

  static func failure(_ operation: String, _ path: String) -> StoreError {
    StoreError(system: errno, operation, path: path)
  }
}
