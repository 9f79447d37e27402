#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An answer from a file, in whole or in part, streamed as fast as the client takes it.
///
/// The server answers Range, If-Range, If-None-Match and HEAD from it. If the file cannot be
/// opened, the answer is 404. If it shrinks while it is sent, the server ends the connection, so
/// that the client sees a short body and not a false one.
public struct FileResponse: Sendable, Equatable {
  /// Where the file is.
  public var path: String
  /// Its Content-Type.
  public var contentType: String
  /// The tag of its exact content, if it has one.
  public var entityTag: EntityTag?
  /// Its Cache-Control, such as `private, max-age=31536000, immutable`.
  public var cacheControl: String
  /// The name under which a browser saves it, in any script; `nil` shows it in place.
  public var attachmentName: String?
  /// More header fields, such as Content-Encoding for a file that is compressed already.
  public var headers: HTTPHeaders

  /// Describes an answer from the file at `path`.
  public init(
    path: String, contentType: String, entityTag: EntityTag? = nil,
    cacheControl: String = "no-cache", attachmentName: String? = nil, headers: HTTPHeaders = [:]
  ) {
    self.path = path
    self.contentType = contentType
    self.entityTag = entityTag
    self.cacheControl = cacheControl
    self.attachmentName = attachmentName
    self.headers = headers
  }

  /// An answer from a file that came from people, or was made from one, for somebody who may have
  /// it.
  ///
  /// The browser keeps it for a day, so that a removed person does not keep it for long; after that
  /// the tag saves the bytes. The browser shows it as a picture or not at all.
  public static func ofPeople(
    path: String, contentType: String, entityTag: EntityTag, attachmentName: String? = nil
  ) -> FileResponse {
    FileResponse(
      path: path, contentType: contentType, entityTag: entityTag,
      cacheControl: "private, max-age=86400", attachmentName: attachmentName,
      headers: [
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
      ])
  }

  /// What to send for a request, once the size is known.
  struct Plan: Equatable {
    var status: Int
    var headers: HTTPHeaders
    /// The bytes of the file to send.
    var bytes: Range<UInt64>
    /// What Content-Length says; `nil` where it must be absent.
    var length: UInt64?
    /// An answer from memory in place of all that.
    var refusal: HTTPResponse?
  }

  func plan(for request: HTTPRequest, size: UInt64) -> Plan {
    var fields = headers
    if let entityTag { fields.set("ETag", entityTag.quoted) }
    fields.set("Cache-Control", cacheControl)
    if let entityTag, entityTag.isNamed(inIfNoneMatch: request.header("If-None-Match")) {
      return Plan(status: 304, headers: fields, bytes: 0..<0, length: nil)
    }
    fields.set("Content-Type", contentType)
    fields.set("Accept-Ranges", "bytes")
    if let attachmentName {
      fields.set("Content-Disposition", ContentDisposition.attachment(attachmentName))
    }
    let ifRange = request.header("If-Range")
    let mayRange =
      request.method == .get
      && (entityTag?.allowsRange(ifRange: ifRange) ?? (ifRange == nil))
    switch ByteRange(mayRange ? request.header("Range") : nil, of: size) {
    case .whole:
      let bytes = request.method == .head ? 0..<0 : 0..<size
      return Plan(status: 200, headers: fields, bytes: bytes, length: size)
    case .part(let bytes):
      fields.set("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(size)")
      return Plan(status: 206, headers: fields, bytes: bytes, length: UInt64(bytes.count))
    case .unsatisfiable:
      let refusal = HTTPResponse.error(416, "The file has \(size) bytes. Ask for a range of them.")
        .with("Content-Range", "bytes */\(size)")
      return Plan(status: 416, headers: refusal.headers, bytes: 0..<0, refusal: refusal)
    }
  }
}

/// An open file from which bytes are read in turn.
///
/// *Thread*: one at a time. Reading waits for the disk.
final class FileSource {
  let size: UInt64
  private let descriptor: Int32
  private var offset: UInt64 = 0
  private(set) var remaining: UInt64 = 0

  /// Opens a regular file; `nil` for anything else.
  init?(path: String) {
    // Not blocking, so that a named pipe cannot hold the loop.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    size = UInt64(status.st_size)
  }

  deinit { close(descriptor) }

  func select(_ bytes: Range<UInt64>) {
    offset = bytes.lowerBound
    remaining = UInt64(bytes.count)
  }

  /// Fills the start of `room` and returns the count; `nil` where the file ended too early.
  func read(into room: UnsafeMutableRawBufferPointer) -> Int? {
    let wanted = Int(min(UInt64(room.count), remaining))
    var count = 0
    repeat {
      count = pread(descriptor, room.baseAddress, wanted, off_t(offset))
    } while count < 0
      && errno == EINTR
    guard count > 0 || wanted == 0 else { return nil }
    offset += UInt64(count)
    remaining -= UInt64(count)
    return count
  }
}
