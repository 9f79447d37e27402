import Foundation
import ReunionFlow

/// Appends the body of one PATCH to an upload's file.
///
/// *Thread*: the server's, which hashes each piece as it comes. Writes go to the page cache and seldom
/// wait; what came before a connection died stays in the file, so that the upload goes on from there.
final class UploadReceiver: BodyReceiver {
  private let path: String
  private let limit: UInt64
  private let hash: UploadHash?
  private let then: @Sendable (HTTPResponder) -> Void
  private let release: @Sendable () -> Void
  private let tell: @Sendable (String) -> Void
  private var responder: HTTPResponder?
  private var descriptor: Int32 = -1
  private var offset: UInt64
  private var failure: UploadError?
  private var isOver = false

  /// Bytes go to `offset` on, until the whole file has `limit`, and into the hash; `tell` hears what the
  /// host should know where they cannot be written. One of the two is
  /// called, once: `then` when the body has come whole, `release` when it will not.
  init(
    path: String, offset: UInt64, limit: UInt64, hash: UploadHash? = nil,
    tell: @escaping @Sendable (String) -> Void, release: @escaping @Sendable () -> Void,
    then: @escaping @Sendable (HTTPResponder) -> Void
  ) {
    self.path = path
    self.offset = offset
    self.limit = limit
    self.hash = hash
    self.release = release
    self.tell = tell
    self.then = then
  }

  deinit { aborted() }

  func began(_ responder: HTTPResponder) {
    self.responder = responder
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    guard offset + UInt64(bytes.count) <= limit else {
      fail(UploadError(413, "More bytes came than the upload declared."))
      return
    }
    // Not before there are bytes: the file of an upload that is whole may have become a blob.
    if descriptor < 0 { descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else {
      fail(.cannotWrite(errno))
      return
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = pwrite(descriptor, piece.baseAddress, piece.count, off_t(offset))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        fail(.cannotWrite(errno))
        return
      }
      hash?.take(UnsafeRawBufferPointer(rebasing: piece[..<count]), at: offset)
      offset += UInt64(count)
      rest = rest.dropFirst(count)
    }
  }

  func finished() {
    guard let responder, end() else { return }
    then(responder)
  }

  func aborted() {
    if end() { release() }
  }

  private func fail(_ error: UploadError) {
    failure = error
    aborted()
    responder?.respond(.failure(error, tell: tell))
  }

  /// Closes the file; false where that was done before.
  private func end() -> Bool {
    guard !isOver else { return false }
    isOver = true
    if descriptor >= 0 { close(descriptor) }
    return true
  }
}
