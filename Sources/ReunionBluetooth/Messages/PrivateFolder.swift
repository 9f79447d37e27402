#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder whose files are for its owner alone.
///
/// *Durability*: what `replace` wrote is on the disk, whole, when it returns. What was appended is there after
/// a kill of the process, and after a power cut perhaps not.
struct PrivateFolder: Sendable {
  let path: String

  init(_ path: String) { self.path = path }

  /// A file that is appended to; it is closed when it is released.
  final class OpenFile: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    /// Appends all of the bytes; where that fails, what was written of them is taken back if it can be.
    func append(_ bytes: [UInt8]) throws {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          let failure = PrivateFolder.failure("written")
          takeBack(bytes.count - rest.count)
          throw failure
        }
        rest = rest.dropFirst(count)
      }
    }

    private func takeBack(_ count: Int) {
      guard count > 0 else { return }
      let end = lseek(descriptor, 0, SEEK_END)
      if end >= off_t(count) { _ = ftruncate(descriptor, end - off_t(count)) }
    }

    func sync() throws {
      guard fsync(descriptor) == 0 else { throw PrivateFolder.failure("written") }
    }
  }

  /// That nobody else uses the folder; given up when it is released, and when the process ends.
  final class Claim: Sendable {
    private let descriptor: Int32
    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  /// Claims the folder by a lock on a file in it.
  ///
  /// - Throws: `BluetoothError` with `inUse` while another has it.
  func claim() throws -> Claim {
    let descriptor = open(full("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("opened") }
    let claim = Claim(descriptor)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK else { throw Self.failure("locked") }
      throw BluetoothError(
        .inUse,
        "Another program uses the folder \(path). End that one, or give this one another folder.")
    }
    return claim
  }

  private static func failure(_ what: String) -> BluetoothError {
    BluetoothError(
      .disk, "A file about peers could not be \(what): \(String(cString: strerror(errno))).")
  }

  /// Makes the folder, or one in it.
  func make(_ name: String = "") throws {
    var made = ""
    for part in full(name).split(separator: "/") {
      made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw Self.failure("made") }
    }
  }

  private func full(_ name: String) -> String { name.isEmpty ? path : path + "/" + name }

  /// The bytes of a file; nil if there is none.
  func contents(of name: String) throws -> [UInt8]? {
    let descriptor = open(full(name), O_RDONLY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Self.failure("read")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure("read") }
      if count == 0 { return bytes }
      bytes += part.prefix(count)
    }
  }

  /// Replaces a file as a whole.
  func replace(_ name: String, with bytes: [UInt8]) throws {
    let temporary = name + ".new"
    let file = try create(temporary)
    try file.append(bytes)
    try file.sync()
    try move(temporary, to: name)
    let parent = name.contains("/") ? full(String(name.prefix { $0 != "/" })) : path
    let folder = open(parent, O_RDONLY)
    guard folder >= 0 else { throw Self.failure("written") }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw Self.failure("written") }
  }

  /// Gives a file another name.
  func move(_ name: String, to other: String) throws {
    guard rename(full(name), full(other)) == 0 else { throw Self.failure("renamed") }
  }

  /// Makes an empty file, in place of one that is there.
  func create(_ name: String) throws -> OpenFile {
    _ = unlink(full(name))
    return try opened(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
  }

  func openToAppend(_ name: String) throws -> OpenFile { try opened(name, O_WRONLY | O_APPEND) }

  private func opened(_ name: String, _ flags: Int32) throws -> OpenFile {
    let descriptor = open(full(name), flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("opened") }
    return OpenFile(descriptor)
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws {
    guard unlink(full(name)) == 0 || errno == ENOENT else { throw Self.failure("removed") }
  }

  /// Removes a folder that is empty, if it is there.
  func removeFolder(_ name: String) throws {
    guard rmdir(full(name)) == 0 || errno == ENOENT else { throw Self.failure("removed") }
  }

  /// The names of the files in a folder; none where it is not there.
  func names(in name: String) throws -> [String] {
    guard let folder = opendir(full(name)) else {
      if errno == ENOENT { return [] }
      throw Self.failure("read")
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
