import ReunionCore
import ReunionFlow
package import ReunionSync

/// A link over a WebSocket that this side opens: one connection attempt, then it is used up.
///
/// *Thread*: any; events come on the thread of the event loop. *Limits*: messages of 1 MiB, binary.
/// *Errors*: `closed` carries a failure. Its `mayRetry` is false if the server answered 401 or 403, or
/// closed with 4401 or for a message that it cannot take, or if the address is not a WebSocket's. This
/// type does not decide whether and when to try again.
///
/// *Source*: RFC 6455, spoken by libwebsockets.
package final class WebSocketLink: Link {
  private let address: String
  private let headers: [(name: String, value: String)]
  private let loop: EventLoop
  private let outbox = Lock(Outbox())
  private let shell: LoopBound<Shell>
  private let refusal = Lock<Int?>(nil)

  /// Prepares a link to `url`, which presents `bearer` if one is given. Nothing happens before
  /// `start`.
  package init(
    url: String, bearer: String? = nil, headers: [(name: String, value: String)] = [],
    on loop: EventLoop
  ) {
    address = url
    self.headers = headers + (bearer.map { [("Authorization", "Bearer \($0)")] } ?? [])
    self.loop = loop
    shell = LoopBound(Shell(outbox, refusal), on: loop)
  }

  /// The status of an answer that was no WebSocket, once the link is closed.
  package var refusalStatus: Int? { refusal.withLock { $0 } }

  /// 1 MiB.
  package var messageBytesMax: Int { Message.bytesMax }

  /// The bytes of all messages that wait to leave, without pieces of blobs, which all others overtake.
  package var queuedBytes: Int { outbox.withLock { $0.urgentBytes } }

  /// The bytes of pieces of blobs that wait to leave.
  package var queuedBlobBytes: Int { outbox.withLock { $0.blobBytes } }

  /// Begins to connect; events follow, on the loop's thread.
  package func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    loop.execute { [shell, address, headers, loop] in
      shell.value.connect(address, headers, on: loop, deliver)
    }
  }

  /// Queues a message of at most 1 MiB; a longer one ends the link with a failure.
  package func send(_ message: [UInt8]) {
    if outbox.withLock({ $0.append(message) }) { loop.execute { [shell] in shell.value.flush() } }
  }

  /// Stops or resumes reading from the server; TCP then holds it back.
  package func pauseReceiving(_ isPaused: Bool) {
    loop.execute { [shell] in shell.value.pauseReceiving(isPaused) }
  }

  /// Closes the link; messages that still wait are dropped.
  package func close() { loop.execute { [shell] in shell.value.close() } }
}

/// The side of a link that lives on the loop.
private final class Shell {
  private let outbox: Lock<Outbox>
  private let refusal: Lock<Int?>
  private var deliver: (@Sendable (LinkEvent) -> Void)?
  private var socket: Socket?
  private var message: [UInt8] = []
  private var isOpen = false
  private var failure: LinkFailure?
  private var closeCode: UInt16?
  private var wasClosedHere = false
  private var isUnsentLimited = false
  /// As much as a piece of a blob, where there are any: a text that is written now leaves behind one or two.
  private static let unsentBytesMax = Int32(Message.bytesSoftMax)

  init(_ outbox: Lock<Outbox>, _ refusal: Lock<Int?>) {
    self.outbox = outbox
    self.refusal = refusal
  }

  func connect(
    _ address: String, _ headers: [(name: String, value: String)], on loop: EventLoop,
    _ deliver: @escaping @Sendable (LinkEvent) -> Void
  ) {
    guard self.deliver == nil else { return }
    self.deliver = deliver
    if wasClosedHere { return finish(nil) }
    guard let endpoint = WebSocketEndpoint(address) else {
      return finish(WebSocketEnding.badAddress(address))
    }
    socket = Socket.connect(to: endpoint, headers: headers, on: loop) { [self] event in
      switch event {
      case .opened:
        isOpen = true
        deliver(.opened)
        flush()
      case .received(let bytes, let piece): take(bytes, piece)
      case .writable: write()
      case .closing(let code): closeCode = code
      case .closed(let refusal): finish(refusal.map { explain($0, endpoint) } ?? ending(endpoint))
      }
    }
    if socket == nil { finish(LinkFailure("The event loop has stopped.", mayRetry: false)) }
  }

  func flush() { if isOpen { socket?.requestWritable() } }

  func pauseReceiving(_ isPaused: Bool) { if isOpen { socket?.pauseReading(isPaused) } }

  func close() {
    guard !wasClosedHere else { return }
    wasClosedHere = true
    if isOpen { socket?.leave(1000) } else { socket?.close() }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, _ piece: SocketPiece) {
    guard piece.isBinary, message.count + bytes.count <= EventLoop.writeBytesMax else {
      failure = piece.isBinary ? WebSocketEnding.tooLongToTake : WebSocketEnding.textTaken
      socket?.setCloseReason(piece.isBinary ? 1009 : 1003)
      socket?.close()
      return
    }
    message.append(contentsOf: bytes)
    guard piece.isLast else { return }
    let whole = message
    message = []
    deliver?(.received(whole))
  }

  private func write() {
    var hasMore = true
    while hasMore, let next = outbox.withLock({ $0.begin() }) {
      guard next.count <= EventLoop.writeBytesMax else {
        failure = WebSocketEnding.tooLongToSend
        socket?.close()
        return
      }
      if !isUnsentLimited, Message.isBlobPiece(next) {
        isUnsentLimited = true
        socket?.limitUnsent(to: Self.unsentBytesMax)
      }
      hasMore =
        socket?.write {
          $0.copyBytes(from: next)
          return next.count
        } ?? false
      outbox.withLock { _ = $0.popFirst() }
    }
    switch outbox.withLock({ $0.endTurn() }) {
    case .messages: socket?.requestWritable()
    case .drained: deliver?(.drained)
    case .nothing: break
    }
  }

  private func finish(_ failure: LinkFailure?) {
    outbox.withLock { box in
      box.isClosed = true
      box.removeAll()
    }
    isOpen = false
    socket = nil
    let report = deliver
    deliver = { _ in }
    report?(.closed(failure))
  }

  /// Why an open connection ended: `nil` where either side closed it in good order.
  private func ending(_ endpoint: WebSocketEndpoint) -> LinkFailure? {
    wasClosedHere || failure != nil
      ? failure : WebSocketEnding(authority: endpoint.authority).closed(closeCode)
  }

  private func explain(_ refusal: SocketRefusal, _ endpoint: WebSocketEndpoint) -> LinkFailure? {
    if wasClosedHere { return nil }
    if refusal.status >= 400 { self.refusal.withLock { $0 = refusal.status } }
    // What libwebsockets says of a server that is not there: the sentence says it already.
    let reason = refusal.reason == "closed before established" ? "" : refusal.reason
    return WebSocketEnding(authority: endpoint.authority).refused(refusal.status, reason: reason)
  }
}
