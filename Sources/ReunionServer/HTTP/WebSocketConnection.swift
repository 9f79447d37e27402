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
  private let loop: EventLoop
  private let exchange: LoopBound<WebSocketExchange>
  private let outbox: Lock<Outbox>

  init(_ exchange: WebSocketExchange, remoteAddress: String, on loop: EventLoop) {
    self.remoteAddress = remoteAddress
    self.loop = loop
    outbox = exchange.outbox
    self.exchange = LoopBound(exchange, on: loop)
  }

  /// Delivers what arrives from now on. A connection that is not started within 10 s closes.
  package func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    loop.execute { [exchange] in exchange.value.start(deliver) }
  }

  /// Queues one message of at most 1 MiB; a longer one closes the link with 1009.
  public func send(_ message: [UInt8]) {
    guard message.count <= WebSocketExchange.messageBytesMax else {
      return close(code: 1009, reason: "A message to send was over 1 MiB.")
    }
    let mustWake = outbox.withLock { box in
      guard box.append(message) else { return false }
      // Beyond the limit the loop must hear of it, although a turn has been asked for.
      let isOverfull = box.bytes > WebSocketExchange.queuedBytesMax
      defer { box.isScheduled = true }
      return !box.isScheduled || isOverfull
    }
    if mustWake { loop.execute { [exchange] in exchange.value.flush() } }
  }

  /// 1 MiB.
  public var messageBytesMax: Int { WebSocketExchange.messageBytesMax }

  /// The bytes of all messages that are waiting to go out.
  public var queuedBytes: Int { outbox.withLock { $0.bytes } }

  /// Stops or resumes reading from the client; TCP then holds it back.
  public func pauseReceiving(_ isPaused: Bool) {
    loop.execute { [exchange] in exchange.value.pauseReceiving(isPaused) }
  }

  /// Closes with 1000 after the waiting messages.
  public func close() { close(code: 1000, reason: "") }

  /// Closes after the waiting messages, with a code such as 1001 (going away) or 4401 (revoked).
  ///
  /// A reason of more than 123 bytes is cut. A client that does not answer is cut off after 5 s.
  public func close(code: UInt16, reason: String) {
    loop.execute { [exchange] in exchange.value.close(code, reason) }
  }
}
