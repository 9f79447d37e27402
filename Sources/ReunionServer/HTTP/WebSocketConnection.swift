import ReunionFlow
import ReunionSockets
public import ReunionSync

/// A link to a client that opened a WebSocket to this server.
///
/// *Thread*: any; events come on the server's thread. *Limits*: binary messages of 1 MiB, larger
/// ones close with 1009, text with 1003; a client that lets 8 MiB wait, or takes nothing for 30 s,
/// is closed with 1013.
public final class WebSocketConnection: Link {
  /// The numeric address of the client.
  public let remoteAddress: String
  private let line: any WebSocketLine

  init(_ exchange: WebSocketExchange, remoteAddress: String, on loop: EventLoop) {
    self.remoteAddress = remoteAddress
    line = SocketLine(exchange, on: loop)
  }

  /// A connection over another line, for a server whose clients are in one process with it.
  package init(over line: any WebSocketLine, remoteAddress: String) {
    self.remoteAddress = remoteAddress
    self.line = line
  }

  /// Delivers what arrives from now on. A connection that is not started within 10 s closes.
  package func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) { line.start(deliver) }

  /// Queues one message of at most 1 MiB; a longer one closes the link with 1009.
  public func send(_ message: [UInt8]) {
    guard message.count <= WebSocketExchange.messageBytesMax else {
      return close(code: 1009, reason: "A message to send was over 1 MiB.")
    }
    line.send(message)
  }

  /// 1 MiB.
  public var messageBytesMax: Int { WebSocketExchange.messageBytesMax }

  /// The bytes of all messages that are waiting to go out, without pieces of blobs, which all others overtake.
  public var queuedBytes: Int { line.queuedBytes }

  /// The bytes of pieces of blobs that are waiting to go out.
  package var queuedBlobBytes: Int { line.queuedBlobBytes }

  /// Stops or resumes reading from the client; TCP then holds it back.
  public func pauseReceiving(_ isPaused: Bool) { line.pauseReceiving(isPaused) }

  /// Closes with 1000 after the waiting messages.
  public func close() { close(code: 1000, reason: "") }

  /// Closes after the waiting messages, with a code such as 1001 (going away) or 4401 (revoked).
  ///
  /// A reason of more than 123 bytes is cut. A client that does not answer is cut off after 5 s.
  public func close(code: UInt16, reason: String) { line.close(code: code, reason: reason) }
}

/// What carries a WebSocket's messages: a socket, or two ends in one process.
///
/// *Thread*: any; events come as a `Link` delivers them.
package protocol WebSocketLine: AnyObject, Sendable {
  /// Delivers what arrives from now on.
  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void)
  /// Queues one message of at most 1 MiB.
  func send(_ message: [UInt8])
  /// The bytes of all messages that are waiting to go out, without pieces of blobs.
  var queuedBytes: Int { get }
  /// The bytes of pieces of blobs that are waiting to go out.
  var queuedBlobBytes: Int { get }
  /// Stops or resumes reading from the client.
  func pauseReceiving(_ isPaused: Bool)
  /// Closes after the waiting messages.
  func close(code: UInt16, reason: String)
}

private final class SocketLine: WebSocketLine {
  private let loop: EventLoop
  private let exchange: LoopBound<WebSocketExchange>
  private let outbox: Lock<Outbox>

  init(_ exchange: WebSocketExchange, on loop: EventLoop) {
    self.loop = loop
    outbox = exchange.outbox
    self.exchange = LoopBound(exchange, on: loop)
  }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    loop.execute { [exchange] in exchange.value.start(deliver) }
  }

  func send(_ message: [UInt8]) {
    let mustWake = outbox.withLock { box in
      // Beyond the limit the loop must hear of it, although a turn is coming.
      box.append(message) || !box.isClosed && box.bytes > WebSocketExchange.queuedBytesMax
    }
    if mustWake { loop.execute(.patient) { [exchange] in exchange.value.flush() } }
  }

  var queuedBytes: Int { outbox.withLock { $0.urgentBytes } }

  var queuedBlobBytes: Int { outbox.withLock { $0.blobBytes } }

  func pauseReceiving(_ isPaused: Bool) {
    loop.execute { [exchange] in exchange.value.pauseReceiving(isPaused) }
  }

  func close(code: UInt16, reason: String) {
    loop.execute { [exchange] in exchange.value.close(code, reason) }
  }
}
