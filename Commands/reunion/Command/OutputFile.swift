import Foundation

/// A file that somebody asked for, with the rights that they give to their files.
enum OutputFile {
  /// Writes a file, or what was in its place anew: it keeps its rights then, and is whole whatever
  /// happens. A pipe or a device is written to.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
      return try fill(path, open(path, O_WRONLY | O_CLOEXEC), bytes)
    }
    // Through a link, to where it leads.
    let target = isThere ? URL(filePath: path).resolvingSymlinksInPath().path : path
    let draft = "\(target).\(getpid()).part"
    let descriptor =
      path.isEmpty ? -1 : open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if path.isEmpty { errno = ENOENT }
    do throws(CommandFailure) {
      if descriptor >= 0, isThere { fchmod(descriptor, status.st_mode & 0o7777) }
      try fill(path, descriptor, bytes)
      guard rename(draft, target) == 0 else { throw failure(path, errno) }
    } catch {
      unlink(draft)
      throw error
    }
  }

  private static func fill(
    _ path: String, _ descriptor: Int32, _ bytes: [UInt8]
  ) throws(CommandFailure) {
    guard descriptor >= 0 else { throw failure(path, errno) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { rest in
        Foundation.write(descriptor, rest.baseAddress?.advanced(by: written), rest.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        close(descriptor)
        throw failure(path, code)
      }
      written += count
    }
    // A full disk may be told only now.
    guard close(descriptor) == 0 || errno == EINTR else { throw failure(path, errno) }
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    let path = path.onOneLine
    let sentence =
      switch code {
      case ENOENT where path.isEmpty: "The name of the file to write is empty."
      case ENOENT, ENOTDIR:
        "\(path) could not be written: there is no such folder, make it first."
      case EISDIR: "\(path) could not be written: it is a folder, name a file in it."
      case EACCES, EPERM, EROFS:
        "\(path) could not be written: this account lacks the permission, choose another place."
      case ENOSPC, EDQUOT: "\(path) could not be written: the disk is full, make room."
      default: "\(path) could not be written: \(String(cString: strerror(code)))."
      }
    return CommandFailure(1, sentence)
  }
}
