#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A lock that the system gives back when the process dies: a file that one process at a time has.
///
/// It is a file of its own: an open of the database file by anybody but SQLite would end SQLite's locks
/// when it is closed.
final class FileLock {
  let path: String
  private var descriptor: Int32 = -1

  init(path: String) { self.path = path }

  deinit { release() }

  var isHeld: Bool { descriptor >= 0 }

  /// Takes the lock without waiting, and writes into the file who has it; false where another has it.
  func take(_ owner: String) throws(DatabaseError) -> Bool {
    guard !isHeld else { return true }
    while true {
      let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
      guard opened >= 0 else { throw failure(errno) }
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        let code = errno
        close(opened)
        guard code == EWOULDBLOCK || code == EINTR else { throw failure(code) }
        return false
      }
      // Whoever had it before may have removed the file meanwhile: then this is nobody's lock.
      var mine = stat()
      var there = stat()
      guard fstat(opened, &mine) == 0, stat(path, &there) == 0, mine.st_ino == there.st_ino,
        mine.st_dev == there.st_dev
      else {
        close(opened)
        continue
      }
      ftruncate(opened, 0)
      let bytes = Array(owner.utf8)
      _ = pwrite(opened, bytes, bytes.count, 0)
      descriptor = opened
      return true
    }
  }

  func release() {
    guard isHeld else { return }
    unlink(path)
    close(descriptor)
    descriptor = -1
  }

  /// What the owner wrote into the file; nil if nobody has the lock.
  func owner() -> String? {
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    defer { close(opened) }
    if flock(opened, LOCK_SH | LOCK_NB) == 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: 255)
    let count = pread(opened, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      "the lock \(path) could not be made: \(String(cString: strerror(code)))", code: "\(code)")
  }
}
