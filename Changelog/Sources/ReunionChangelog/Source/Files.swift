#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder that the paths of a changelog begin in.
package struct Files: Sendable {
  package let folder: String
  /// A file with more bytes is refused: it is hardly the one that was meant.
  static let bytesMax = 1 << 30

  /// A folder; `.` is where the program was started.
  package init(folder: String = ".") { self.folder = folder }

  /// Where a path of a changelog leads.
  func location(of path: String) -> String {
    var path = path
    if path.hasPrefix("classpath:") { path.removeFirst("classpath:".count) }
    guard !path.hasPrefix("/"), folder != ".", !folder.isEmpty else { return path }
    return folder + "/" + path
  }

  func isThere(_ path: String) -> Bool { access(location(of: path), F_OK) == 0 }

  /// A path as it stands in the history: with slashes, also where backslashes are written. As in
  /// Liquibase, a path that begins with a slash is below this folder if such a file or folder is
  /// there. Otherwise it stays as it is.
  func below(_ path: String) -> String {
    var path = path.replacing("\\", with: "/")
    if path.hasPrefix("classpath:") { path.removeFirst("classpath:".count) }
    guard path.hasPrefix("/") else { return path }
    let relative = String(path.drop { $0 == "/" })
    return isThere(relative) ? relative : path
  }

  /// The bytes of a file. `place` is the line that names it, if a file does.
  ///
  /// Whatever is no file is refused at once: a pipe would be waited for, maybe for ever.
  func read(_ path: String, namedAt place: Place?) throws(ChangelogError) -> [UInt8] {
    let location = location(of: path)
    let descriptor = open(location, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(path, errno, place) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(path, errno, place) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw Self.failure(path, EISDIR, place) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ChangelogError(
        .refused, "\(path) is a pipe or a device, and no file.", at: place,
        write: "what comes out of it into a file first, and the name of that file")
    }
    guard status.st_size <= Self.bytesMax else { throw Self.failure(path, EFBIG, place) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(status.st_size) + 1)
    while true {
      var code: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
        var got = 0
        repeat {
          got = Self.read(descriptor, buffer)
        } while got < 0 && errno == EINTR
        if got < 0 { code = errno }
        count = max(0, got)
      }
      guard code == 0 else { throw Self.failure(path, code, place) }
      guard !piece.isEmpty else { return bytes }
      bytes += piece
      guard bytes.count <= Self.bytesMax else { throw Self.failure(path, EFBIG, place) }
    }
  }

  private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int
  {
    #if canImport(Darwin)
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  /// Makes a file, and refuses if there is one already. It is on the disk when this returns.
  package func create(_ path: String, _ text: String) throws(ChangelogError) {
    let descriptor = open(location(of: path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let sentence =
        errno == EEXIST
        ? "There is a file \(path) already: name a new one."
        : "\(path) could not be written: \(String(cString: strerror(errno)))."
      throw ChangelogError(.refused, sentence)
    }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = String(cString: strerror(errno))
        unlink(location(of: path))
        throw ChangelogError(.failed, "\(path) could not be written: \(reason).")
      }
      rest = rest.dropFirst(count)
    }
    fsync(descriptor)
  }

  /// The paths of all files in a folder and those below it, in order of their bytes; nil if there
  /// is no such folder.
  func list(_ path: String) -> [String]? {
    var paths: [String] = []
    guard list(path, depth: 0, into: &paths) else { return nil }
    return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func list(_ path: String, depth: Int, into paths: inout [String]) -> Bool {
    guard depth < 64, let folder = opendir(location(of: path)) else { return false }
    defer { closedir(folder) }
    let front = path.isEmpty || path.hasSuffix("/") ? path : path + "/"
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      guard name != ".", name != ".." else { continue }
      var status = stat()
      guard stat(location(of: front + name), &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        _ = list(front + name, depth: depth + 1, into: &paths)
      } else {
        paths.append(front + name)
      }
    }
    return true
  }

  private static func failure(_ path: String, _ code: Int32, _ place: Place?) -> ChangelogError {
    let sentence =
      switch code {
      case ENOENT, ENOTDIR: "There is no file \(path): check the name."
      case EISDIR: "\(path) is a folder: name a file."
      case ENXIO: "\(path) is a socket, and no file."
      case EACCES, EPERM: "This account may not read \(path): change its permissions."
      case EFBIG: "\(path) has more than \(bytesMax >> 20) MiB: is it the file you mean?"
      default: "\(path) could not be read: \(String(cString: strerror(code)))."
      }
    return ChangelogError(.refused, sentence, at: place)
  }
}
