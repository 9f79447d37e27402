#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open file or folder of the system's disk.
package final class SystemFile: DiskFile {
  package let path: String
  private let descriptor: Int32

  package init(_ path: String, _ access: DiskAccess) throws(StoreError) {
    self.path = path
    let flags =
      switch access {
      case .reading: O_RDONLY
      case .writing: O_RDWR | O_CREAT
      case .creating: O_RDWR | O_CREAT | O_TRUNC
      }
    // A pipe, which is no file of a store, would wait for somebody at its other end.
    descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw StoreError(system: errno, "open", path: path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFIFO else {
      throw StoreError(.ioFailed, "\(path) is no file: move it away, then try again.")
    }
  }

  deinit {
    // A child process that is about to start may hold the file a moment longer, and its lock with it.
    _ = flock(descriptor, LOCK_UN)
    // What was written was synced, or is thrown away: nothing is left that could fail.
    close(descriptor)
  }

  package func byteCount() throws(StoreError) -> UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
    return UInt64(clamping: status.st_size)
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StoreError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let amount = pread(
        descriptor, rest.baseAddress, rest.count, off_t(clamping: offset) + off_t(filled))
      if amount < 0 && errno == EINTR { continue }
      guard amount >= 0 else { throw failure("read") }
      if amount == 0 { break }
      filled += amount
    }
    return filled
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let amount = pwrite(
        descriptor, rest.baseAddress, rest.count, off_t(clamping: offset) + off_t(written))
      if amount < 0 && errno == EINTR { continue }
      guard amount > 0 else { throw failure("write") }
      written += amount
    }
  }

  package func truncate(to byteCount: UInt64) throws(StoreError) {
    guard ftruncate(descriptor, off_t(clamping: byteCount)) == 0 else {
      throw failure("ftruncate")
    }
  }

  package func sync() throws(StoreError) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else {
        throw failure("fsync")
      }
    #else
      guard fsync(descriptor) == 0 else { throw failure("fsync") }
    #endif
  }

  package func tryLock() throws(StoreError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw failure("flock") }
    return false
  }

  /// Gives the lock back, also where a child process that is about to start holds the file too.
  package func unlock() throws(StoreError) {
    guard flock(descriptor, LOCK_UN) == 0 else { throw failure("flock") }
  }

  private func failure(_ operation: String) -> StoreError {
    StoreError(system: errno, operation, path: path)
  }
}
