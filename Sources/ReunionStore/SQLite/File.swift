#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open file or folder, closed when it is released.
final class File: Sendable {
  let path: String
  private let descriptor: Int32

  /// Opens a file or a folder to read.
  init(reading path: String) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileSystem.failure("open", path) }
  }

  /// Opens a file to write, and makes it empty.
  convenience init(creating path: String) throws(StoreError) {
    try self.init(writing: path, flags: O_TRUNC)
  }

  /// Opens a file to read and write, and makes it where it is not there.
  init(writing path: String, flags: Int32 = 0) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else { throw FileSystem.failure("open", path) }
  }

  deinit {
    // What was written was synced, or is thrown away: nothing is left that could fail.
    close(descriptor)
  }

  /// The size in bytes.
  func byteCount() throws(StoreError) -> UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileSystem.failure("fstat", path) }
    return UInt64(clamping: status.st_size)
  }

  /// Reads up to `count` bytes from an offset; fewer only at the end of the file.
  func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let amount = pread(
          descriptor, rest.baseAddress, rest.count, off_t(clamping: offset) + off_t(filled))
        if amount < 0 && errno == EINTR { continue }
        if amount <= 0 {
          failed = amount < 0
          return
        }
        filled += amount
      }
    }
    if failed { throw FileSystem.failure("read", path) }
    return bytes
  }

  /// Writes bytes at an offset.
  func write(_ bytes: [UInt8], at offset: UInt64) throws(StoreError) {
    var written = 0
    while written < bytes.count {
      let amount = bytes.withUnsafeBytes { buffer in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
        return pwrite(
          descriptor, rest.baseAddress, rest.count, off_t(clamping: offset) + off_t(written))
      }
      if amount < 0 && errno == EINTR { continue }
      guard amount > 0 else { throw FileSystem.failure("write", path) }
      written += amount
    }
  }

  /// Cuts the file off.
  func truncate(to byteCount: UInt64) throws(StoreError) {
    guard ftruncate(descriptor, off_t(clamping: byteCount)) == 0 else {
      throw FileSystem.failure("ftruncate", path)
    }
  }

  /// Returns when everything is on the disk.
  func sync() throws(StoreError) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else {
        throw FileSystem.failure("fsync", path)
      }
    #else
      guard fsync(descriptor) == 0 else { throw FileSystem.failure("fsync", path) }
    #endif
  }

  /// Takes the lock that one open file at a time has, or returns false where another has it.
  func tryLock() throws(StoreError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw FileSystem.failure("flock", path) }
    return false
  }

  /// Gives the lock back, also where a child process that is about to start holds the file too.
  func unlock() throws(StoreError) {
    guard flock(descriptor, LOCK_UN) == 0 else { throw FileSystem.failure("flock", path) }
  }

  /// What tells this file from every other on the machine.
  func number() throws(StoreError) -> (device: UInt64, file: UInt64) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileSystem.failure("fstat", path) }
    return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
  }
}
