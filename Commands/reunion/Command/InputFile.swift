import Foundation

/// A file that somebody named, to be read; `-` is standard input. What goes wrong is said as the
/// person's own business: which file, and what to do.
final class InputFile {
  /// What is to come; nil for a pipe or a device.
  let byteCount: Int?
  /// Whether it is a device, which may have no end.
  let isDevice: Bool
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(CommandFailure) {
    self.path = path
    guard !path.isEmpty else { throw CommandFailure(1, "The name of a file is empty.") }
    // A pipe that nobody writes to would wait for ever.
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(path, errno) }
    let kind = status.st_mode & S_IFMT
    byteCount = kind == S_IFREG ? Int(status.st_size) : nil
    isDevice = kind == S_IFCHR || kind == S_IFBLK
    if kind == S_IFDIR { throw Self.failure(path, EISDIR) }
    // One that a shell made is open at its other end already.
    let isGiven = ["/dev/fd/", "/dev/stdin", "/proc/"].contains { path.hasPrefix($0) }
    if kind == S_IFIFO, path != "-", !isGiven {
      throw CommandFailure(
        1, "\(Self.name(of: path)) is a pipe: give its bytes on standard input, with - as the file."
      )
    }
    if path != "-" { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// The next bytes; nil at the end.
  func next() throws(CommandFailure) -> [UInt8]? {
    var failure: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      var got: Int
      repeat {
        got = read(descriptor, buffer.baseAddress, buffer.count)
      } while got < 0 && errno == EINTR
      if got < 0 { failure = errno }
      count = max(0, got)
    }
    guard failure == 0 else { throw Self.failure(path, failure) }
    return piece.isEmpty ? nil : piece
  }

  /// All that is to come, which may be at most `bytesMax` bytes.
  func rest(bytesMax: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try next() {
      guard bytes.count + piece.count <= bytesMax else {
        throw CommandFailure(
          1, "\(Self.name(of: path)) has more than \(bytesMax >> 20) MiB: is it the file you mean?")
      }
      bytes += piece
    }
    return bytes
  }

  private static func name(of path: String) -> String {
    path == "-" ? "standard input" : path.onOneLine
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    let name = name(of: path)
    let sentence =
      switch code {
      case ENOENT, ENOTDIR: "There is no file \(name): check the name."
      case EISDIR: "\(name) is a folder: name a file."
      case EACCES, EPERM: "This account may not read \(name): change its permissions."
      default: "\(name) could not be read: \(String(cString: strerror(code)))."
      }
    return CommandFailure(1, sentence)
  }
}
