import CScheduling
import Foundation
import ReunionFlow
import ReunionSync

/// Appends the body of one PATCH to an upload's file.
///
/// *Thread*: the loop's, which hands each piece on to be written elsewhere: a write waits where the file
/// system commits its journal for somebody's sync. The sender is held back while much waits for the disk.
/// What came before a connection died is in the file in the end, so that the upload goes on from there.
final class UploadReceiver: BodyReceiver {
  private let limit: UInt64
  private let sink: UploadSink
  private let write: Session.Executor
  private var offset: UInt64
  private var responder: HTTPResponder?
  private var isOver = false

  /// Where the bytes of a body go.
  struct Place {
    let path: String
    /// The first byte's place in the file.
    var offset: UInt64 = 0
    /// How many bytes the whole file may have.
    let limit: UInt64
    /// What takes the bytes, too.
    var hash: UploadHash?
    /// Whether the file is made here; otherwise it was made before, and is gone where the upload was given up.
    var isNew = false
  }

  /// `write` runs what waits for the disk, in order, and calls one of the two, once: `then` when the body has
  /// come whole, `release` when it will not. `tell` hears what the host should know where bytes cannot be
  /// written.
  init(
    to place: Place, on write: @escaping Session.Executor,
    tell: @escaping @Sendable (String) -> Void, release: @escaping @Sendable () -> Void,
    then: @escaping @Sendable (HTTPResponder) -> Void
  ) {
    offset = place.offset
    limit = place.limit
    self.write = write
    sink = UploadSink(place, tell: tell, release: release, then: then)
  }

  deinit { aborted() }

  func began(_ responder: HTTPResponder) { self.responder = responder }

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard !isOver, let responder else { return }
    guard offset + UInt64(bytes.count) <= limit else {
      let error = UploadError(413, "More bytes came than the upload declared.")
      return endOnce { $0.fail(error, responder) }
    }
    offset += UInt64(bytes.count)
    sink.waiting.add(bytes.count, of: responder)
    write { [sink, piece = [UInt8](bytes)] in
      sink.append(piece, responder)
      sink.waiting.remove(piece.count, of: responder)
    }
  }

  func finished() {
    guard let responder else { return }
    endOnce { $0.finish(responder) }
  }

  func aborted() { endOnce { $0.abort() } }

  private func endOnce(_ act: @escaping @Sendable (UploadSink) -> Void) {
    guard !isOver else { return }
    isOver = true
    write { [sink] in act(sink) }
  }
}

/// The file of an upload while the body of a request goes there.
///
/// *Thread*: one at a time, hence unchecked; `waiting` any.
private final class UploadSink: @unchecked Sendable {
  let waiting = WaitingBytes()
  private let path: String
  private let isNew: Bool
  private var offset: UInt64
  private let hash: UploadHash?
  private let tell: @Sendable (String) -> Void
  private let release: @Sendable () -> Void
  private let then: @Sendable (HTTPResponder) -> Void
  private var descriptor: Int32 = -1
  private var isOver = false
  /// So much goes to the disk at a time: a large file that is synced whole would keep others' syncs waiting.
  private static let writtenAtOnce: UInt64 = 1 << 20
  /// Up to where the file is on its way to the disk.
  private var written: UInt64

  init(
    _ place: UploadReceiver.Place, tell: @escaping @Sendable (String) -> Void,
    release: @escaping @Sendable () -> Void, then: @escaping @Sendable (HTTPResponder) -> Void
  ) {
    (path, isNew, offset, hash) = (place.path, place.isNew, place.offset, place.hash)
    written = place.offset
    (self.tell, self.release, self.then) = (tell, release, then)
  }

  func append(_ bytes: [UInt8], _ responder: HTTPResponder) {
    guard !isOver else { return }
    // Not before there are bytes: the file of an upload that is whole may have become a blob.
    if descriptor < 0 {
      descriptor = open(path, O_WRONLY | O_CLOEXEC | (isNew ? O_CREAT : 0), 0o600)
    }
    guard descriptor >= 0 else {
      return fail(errno == ENOENT && !isNew ? .unknown : .cannotWrite(errno), responder)
    }
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = pwrite(descriptor, piece.baseAddress, piece.count, off_t(offset))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return fail(.cannotWrite(errno), responder) }
        hash?.take(UnsafeRawBufferPointer(rebasing: piece[..<count]), at: offset)
        offset += UInt64(count)
        rest = rest.dropFirst(count)
      }
    }
    if !isOver, offset - written >= Self.writtenAtOnce {
      reunion_begin_writing(descriptor, Int64(written), Int64(offset - written))
      written = offset
    }
  }

  func finish(_ responder: HTTPResponder) {
    if end() { then(responder) }
  }

  func abort() {
    if end() { release() }
  }

  func fail(_ error: UploadError, _ responder: HTTPResponder) {
    abort()
    responder.respond(.failure(error, tell: tell))
  }

  /// Closes the file; false where that was done before.
  private func end() -> Bool {
    guard !isOver else { return false }
    isOver = true
    if descriptor >= 0 { close(descriptor) }
    return true
  }
}

/// How much of a body waits for the disk. Its sender is held back while that is much.
///
/// *Thread*: any.
private final class WaitingBytes: Sendable {
  private static let most = 64 << 10
  private let count = Lock(0)

  func add(_ byteCount: Int, of responder: HTTPResponder) {
    change(by: byteCount) { before, now in
      if before < Self.most, now >= Self.most { responder.holdBody(true) }
    }
  }

  func remove(_ byteCount: Int, of responder: HTTPResponder) {
    change(by: -byteCount) { before, now in
      if before >= Self.most, now < Self.most { responder.holdBody(false) }
    }
  }

  /// What is said is said under the lock, so that it arrives in the order in which it holds.
  private func change(by byteCount: Int, _ say: (_ before: Int, _ now: Int) -> Void) {
    count.withLock { count in
      let before = count
      count += byteCount
      say(before, count)
    }
  }
}
