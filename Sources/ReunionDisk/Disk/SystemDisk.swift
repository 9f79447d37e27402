#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The system's disk, on which every store is unless it is told otherwise.
public final class SystemDisk: Disk {
  package init() {}

  /// Opens a file; what is made has mode 600.
  ///
  /// A database that SQLite has open in this process is refused: closing it would end SQLite's
  /// locks, and another program could then take the database for unused and remove its log.
  public func open(_ path: String, _ access: DiskAccess) throws(StoreError) -> any DiskFile {
    guard !OpenDatabases.contains(path) else {
      throw StoreError(
        .unexpected, "\(path) is open as a database, and was to be opened as a file: report this.")
    }
    return try SystemFile(path, access)
  }

  /// What is at a path; links are followed.
  public func status(of path: String) throws(StoreError) -> DiskStatus? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw StoreError(system: errno, "stat", path: path)
    }
    if status.st_mode & S_IFMT == S_IFDIR { return .folder }
    return .file(byteCount: UInt64(clamping: status.st_size))
  }

  /// The numbers of a file's device and of the file on it, by `stat`.
  public func number(of path: String) throws(StoreError) -> (device: UInt64, file: UInt64) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw StoreError(system: errno, "stat", path: path) }
    return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
  }

  /// Whether a path is a file itself: no link, no folder, no pipe.
  package func isPlainFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The names of what is in a folder, in any order.
  public func names(in folder: String) throws(StoreError) -> [String] {
    guard let directory = opendir(folder) else {
      throw StoreError(system: errno, "opendir", path: folder)
    }
    defer { closedir(directory) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw StoreError(system: errno, "readdir", path: folder) }
    return names
  }

  /// Makes a folder with mode 700; does nothing where it is there.
  public func createFolder(_ path: String) throws(StoreError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw StoreError(system: errno, "mkdir", path: path)
    }
  }

  /// Takes everybody else's rights to a folder away.
  public func makePrivate(_ folder: String) throws(StoreError) {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & 0o077 != 0 else { return }
    guard chmod(folder, status.st_mode & 0o700) == 0 else {
      let code = errno
      throw StoreError(
        .notWritable,
        "Other accounts can open \(folder), and it is not this account's to change: have its owner"
          + " run chmod 700 on it, or choose a folder of your own.",
        underlying: String(cString: strerror(code)))
    }
  }

  /// Renames a file, and replaces one that is at the target.
  public func rename(_ path: String, to target: String) throws(StoreError) {
    guard Self.renameFile(path, target) == 0 else {
      throw StoreError(system: errno, "rename", path: target)
    }
  }

  private static func renameFile(_ path: String, _ target: String) -> Int32 {
    #if canImport(Darwin)
      Darwin.rename(path, target)
    #else
      Glibc.rename(path, target)
    #endif
  }

  /// Removes a file; does nothing if there is none.
  public func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw StoreError(system: errno, "unlink", path: path)
    }
  }

  /// Calls `fsync` on a folder.
  public func syncFolder(_ path: String) throws(StoreError) {
    try SystemFile(path, .reading).sync()
  }
}

extension Disk where Self == SystemDisk {
  /// The system's disk.
  public static var system: SystemDisk { systemDisk }
}

private let systemDisk = SystemDisk()
