import Dispatch
import Foundation
import ReunionCore
import ReunionFlow
import ReunionSync

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A link over the system's own WebSocket, for platforms where an app links no libwebsockets: one
/// connection attempt, then it is used up.
///
/// It says what `WebSocketLink` says. *Thread*: any; events come on a queue of its own.
/// *Limits*: messages of 1 MiB, binary.
final class URLSessionLink: ServerSocket {
  private let address: String
  private let outbox = Lock(Outbox())
  private let refusal = Lock<Int?>(nil)
  private let queue = DispatchQueue(label: "reunion.link")
  private let course: Course

  /// Prepares a link to `url`, which presents `bearer` if one is given. Nothing happens before
  /// `start`.
  convenience init(url: String, bearer: String? = nil) {
    self.init(url: url) {
      guard let address = URL(string: url) else { return nil }
      var request = URLRequest(url: address)
      if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
      return URLSessionSocket(request, messageBytesMax: Message.bytesMax)
    }
  }

  /// Prepares a link over a socket that is made when it starts.
  init(url: String, socket: @escaping @Sendable () -> (any SystemSocket)?) {
    address = url
    course = Course(outbox, refusal, makeSocket: socket)
  }

  var refusalStatus: Int? { refusal.withLock { $0 } }
  var messageBytesMax: Int { Message.bytesMax }
  var queuedBytes: Int { outbox.withLock { $0.urgentBytes } }
  var queuedBlobBytes: Int { outbox.withLock { $0.blobBytes } }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    queue.async { [course, queue, address] in course.connect(address, on: queue, deliver) }
  }

  func send(_ message: [UInt8]) {
    if outbox.withLock({ $0.append(message) }) { queue.async { [course] in course.flush() } }
  }

  func pauseReceiving(_ isPaused: Bool) {
    queue.async { [course] in course.pauseReceiving(isPaused) }
  }

  func close() { queue.async { [course] in course.close() } }
}

/// What happens on the link's queue.
///
/// Unchecked: only that queue touches it.
private final class Course: @unchecked Sendable {
  private let outbox: Lock<Outbox>
  private let refusal: Lock<Int?>
  private let makeSocket: @Sendable () -> (any SystemSocket)?
  private var deliver: (@Sendable (LinkEvent) -> Void)?
  private var socket: (any SystemSocket)?
  private var ending = WebSocketEnding(authority: "")
  private var isOpen = false
  private var isPaused = false
  private var isReceiving = false
  private var isSending = false
  private var isFinished = false
  private var wasClosedHere = false

  init(
    _ outbox: Lock<Outbox>, _ refusal: Lock<Int?>,
    makeSocket: @escaping @Sendable () -> (any SystemSocket)?
  ) {
    self.outbox = outbox
    self.refusal = refusal
    self.makeSocket = makeSocket
  }

  func connect(
    _ address: String, on queue: DispatchQueue, _ deliver: @escaping @Sendable (LinkEvent) -> Void
  ) {
    guard self.deliver == nil else { return }
    self.deliver = deliver
    if wasClosedHere { return finish(nil) }
    guard let endpoint = WebSocketEndpoint(address), let socket = makeSocket() else {
      return finish(WebSocketEnding.badAddress(address))
    }
    ending = WebSocketEnding(authority: endpoint.authority)
    self.socket = socket
    socket.open { [self] event in queue.async { self.take(event) } }
  }

  func pauseReceiving(_ isPaused: Bool) {
    self.isPaused = isPaused
    receive()
  }

  func close() {
    guard !wasClosedHere else { return }
    wasClosedHere = true
    if deliver != nil { finish(nil) }
  }

  /// Hands the socket the next message, one at a time.
  func flush() {
    guard isOpen, !isSending, !isFinished else { return }
    guard let next = outbox.withLock({ $0.begin() }) else { return }
    guard next.count <= Message.bytesMax else { return finish(WebSocketEnding.tooLongToSend, 1009) }
    isSending = true
    socket?.send(next)
  }

  private func take(_ event: SystemSocketEvent) {
    guard !isFinished else { return }
    switch event {
    case .opened:
      guard !isOpen else { return }
      isOpen = true
      deliver?(.opened)
      receive()
      flush()
    case .received(let message):
      isReceiving = false
      guard message.count <= Message.bytesMax else {
        return finish(WebSocketEnding.tooLongToTake, 1009)
      }
      deliver?(.received(message))
      receive()
    case .receivedText:
      finish(WebSocketEnding.textTaken, 1003)
    case .sent: noteSent()
    case .closing(let code): finish(ending.closed(code))
    case .ended(let status, let reason):
      if isOpen { return finish(ending.closed(nil)) }
      if status >= 400 { refusal.withLock { $0 = status } }
      finish(ending.refused(status, reason: reason))
    }
  }

  private func noteSent() {
    isSending = false
    let rest = outbox.withLock { box in
      _ = box.popFirst()
      return box.endTurn()
    }
    if case .messages = rest { flush() } else { deliver?(.drained) }
  }

  private func receive() {
    guard isOpen, !isPaused, !isReceiving, !isFinished else { return }
    isReceiving = true
    socket?.receive()
  }

  /// Ends both: the socket says why, unless it has ended already.
  private func finish(_ failure: LinkFailure?, _ code: UInt16 = 1000) {
    guard !isFinished else { return }
    isFinished = true
    socket?.close(code)
    outbox.withLock { box in
      box.isClosed = true
      box.removeAll()
    }
    socket = nil
    let report = deliver
    deliver = { _ in }
    report?(.closed(failure))
  }
}
