#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A picture's file, which the host opens and sends: the worker can open none.
final class PictureFile {
  private static let pieceBytes = 256 << 10

  let byteCount: Int
  private let descriptor: Int32

  /// Opens a regular file of at most `bytesMax` bytes.
  init(_ path: String, bytesMax: Int, tooLarge: ImageError.Code) throws(ImageError) {
    guard !path.isEmpty, path.utf8.count <= 4096, !path.utf8.contains(0) else {
      throw ImageError(.badRequest)
    }
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let failure = errno
    var status = stat()
    let isFile =
      descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    byteCount = Int(status.st_size)
    // From here on it is closed by `deinit`.
    guard descriptor >= 0 else { throw ImageError(.unreadable, detail: "open: errno \(failure)") }
    guard isFile else { throw ImageError(.unreadable, detail: "not a regular file") }
    guard byteCount <= bytesMax else { throw ImageError(tooLarge, detail: "\(byteCount) bytes") }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sends as many bytes as the file had when it was opened; `unreadable` where it gives fewer now.
  func send(over socket: FrameSocket, patience: Patience) throws(FrameSocket.Failure) {
    var piece = [UInt8](repeating: 0, count: min(Self.pieceBytes, max(byteCount, 1)))
    var sent = 0
    while sent < byteCount {
      let got = read(descriptor, &piece, min(piece.count, byteCount - sent))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw .unreadable }
      try socket.send(piece[..<got], patience: patience)
      sent += got
    }
  }
}
