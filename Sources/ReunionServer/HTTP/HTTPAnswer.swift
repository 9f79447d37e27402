/// What a handler decides about a request, once its head is complete and before its body is read.
public enum HTTPAnswer {
  /// Answer now. The server does not read a body that the client sends, and closes the connection
  /// afterwards.
  case respond(HTTPResponse)
  /// Answer from a file.
  case file(FileResponse)
  /// Read the body, up to that many bytes. A request that declares more gets 413 before any byte of
  /// its body. If the body is not whole `within` that time, the server closes the connection,
  /// however the bytes drip.
  case receive(any BodyReceiver, limitBytes: UInt64, within: Duration)
  /// Answer later, from any thread. The closure is called once, on the loop's thread.
  case later((HTTPResponder) -> Void)
  /// Accept a WebSocket. The closure is called once, on the loop's thread, and starts the
  /// connection within 10 s. A request that asks for no WebSocket gets 426. To refuse one, answer
  /// `respond` with 401 or 403.
  case webSocket((WebSocketConnection) -> Void)
}

/// Takes in the body of one request, piece by piece.
///
/// *Thread*: the loop's, so nothing here may wait: hand the bytes over, and hold the body back meanwhile
/// (`HTTPResponder.holdBody`).
/// *Ordering*: `began`, then `received` any number of times, then exactly one of `finished` and
/// `aborted`, or neither once the responder has answered.
public protocol BodyReceiver: AnyObject {
  /// The body will come. The answer goes through `responder`, during or after the body; an answer
  /// before its end closes the connection behind it.
  func began(_ responder: HTTPResponder)

  /// The next bytes, which are gone when the call returns.
  func received(_ bytes: UnsafeRawBufferPointer)

  /// All bytes came. Answer through the responder, now or later.
  func finished()

  /// The connection ended or stalled before the body did; what was received stands.
  func aborted()
}

extension HTTPAnswer {
  /// Reads a small body into memory and hands it over with the way to answer, on the loop's thread.
  public static func collect(
    limitBytes: Int, within limit: Duration = .seconds(10),
    _ then: @escaping ([UInt8], HTTPResponder) -> Void
  ) -> HTTPAnswer {
    .receive(BodyCollector(then), limitBytes: UInt64(max(0, limitBytes)), within: limit)
  }

  /// The longest that this many bytes may take: a minute, and their time over a bad network, which
  /// carries 2 KiB a second.
  static func patience(for byteCount: UInt64) -> Duration {
    .seconds(60 + Int64(clamping: byteCount / 2048))
  }
}

private final class BodyCollector: BodyReceiver {
  private let then: ([UInt8], HTTPResponder) -> Void
  private var responder: HTTPResponder?
  private var body: [UInt8] = []

  init(_ then: @escaping ([UInt8], HTTPResponder) -> Void) { self.then = then }

  func began(_ responder: HTTPResponder) { self.responder = responder }
  func received(_ bytes: UnsafeRawBufferPointer) { body.append(contentsOf: bytes) }
  func finished() { if let responder { then(body, responder) } }
  func aborted() { responder = nil }
}
