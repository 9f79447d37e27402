import Foundation

/// A file that somebody asked for, with the rights that they give to their files.
enum OutputFile {
  /// Writes a file, or what was in its place anew: it keeps its rights then.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
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
        "\(path) could not be written: this account has no right to, choose another place."
      case ENOSPC, EDQUOT: "\(path) could not be written: the disk is full, make room."
      default: "\(path) could not be written: \(String(cString: strerror(code)))."
      }
    return CommandFailure(1, sentence)
  }
}
