import CWebSockets
import Glibc
package import ReunionSync

/// What a socket reports to its owner.
package enum SocketEvent {
  /// It can carry bytes (a stream) or messages (a WebSocket client).
  case opened
  /// Bytes of a stream, or a piece of a WebSocket message. They are gone when the call returns.
  case received(UnsafeRawBufferPointer, SocketPiece)
  /// The network takes more: write now.
  case writable
  /// The other side of a WebSocket said with this code that it closes.
  case closing(UInt16)
  /// It is closed, the last event; `nil` where it had been open, or what went wrong before that.
  case closed(SocketRefusal?)
}

/// Which piece of a WebSocket message some bytes are; bytes of a stream are always `.stream`.
package struct SocketPiece {
  package var isFirst = false
  package var isLast = false
  package var isBinary = true

  package static let stream = SocketPiece()
}

/// Why a WebSocket connection never opened: the HTTP status of the answer, if there was one.
package struct SocketRefusal {
  package let status: Int
  package let reason: String
}

/// One socket on an event loop: an accepted stream, or a WebSocket client.
///
/// *Thread*: the loop's, for everything. Events come one at a time, on the same thread.
package final class Socket {
  package let loop: EventLoop
  /// Hears every event. Dropped after `.closed`.
  var onEvent: ((SocketEvent) -> Void)?
  /// Header fields that a WebSocket client adds to its request.
  let requestHeaders: [(name: String, value: String)]
  private var wsi: OpaquePointer?
  private var number: UInt = 0
  private let isStream: Bool
  private var isDispatching = false
  private var isClosing = false
  private var isLeaving = false
  private var hasOpened = false

  private init(
    _ loop: EventLoop, isStream: Bool, headers: [(name: String, value: String)],
    onEvent: @escaping (SocketEvent) -> Void
  ) {
    self.loop = loop
    self.isStream = isStream
    self.onEvent = onEvent
    requestHeaders = headers
  }

  /// Takes over an accepted descriptor and reports `.opened` at once; `.closed` if that fails.
  @discardableResult
  package static func adopt(
    _ descriptor: Int32, on loop: EventLoop, onEvent: @escaping (Socket, SocketEvent) -> Void
  ) -> Socket? {
    guard let vhost = loop.vhost else {
      _ = Glibc.close(descriptor)
      return nil
    }
    let socket = Socket(loop, isStream: true, headers: []) { _ in }
    socket.onEvent = { [unowned socket] in onEvent(socket, $0) }
    if reunion_lws_adopt(vhost, descriptor, SocketProtocols.stream, socket.kept()) == nil {
      socket.didClose(nil)
      return nil
    }
    return socket
  }

  /// Begins to connect a WebSocket; `.opened` or `.closed` follows, the latter maybe at once.
  package static func connect(
    to endpoint: WebSocketEndpoint, headers: [(name: String, value: String)], on loop: EventLoop,
    onEvent: @escaping (SocketEvent) -> Void
  ) -> Socket? {
    guard let context = loop.context, let vhost = loop.vhost else { return nil }
    let socket = Socket(loop, isStream: false, headers: headers, onEvent: onEvent)
    let wsi = reunion_lws_connect(
      context, vhost, endpoint.host, Int32(endpoint.port), endpoint.isSecure ? 1 : 0,
      endpoint.path, endpoint.authority, SocketProtocols.client, socket.kept())
    if wsi == nil {
      socket.didClose(SocketRefusal(status: 0, reason: "no connection"))
    } else if !socket.isClosing {
      socket.wsi = wsi
    }
    return socket
  }

  /// What libwebsockets gives back with each call: a number, since it may call for one that is gone.
  private func kept() -> UnsafeMutableRawPointer? {
    number = loop.keep(self)
    return UnsafeMutableRawPointer(bitPattern: number)
  }

  /// The number of the descriptor, or -1.
  package var descriptor: Int32 { wsi.map { lws_get_socket_fd($0) } ?? -1 }

  /// Bounds the bytes that the system holds before it sends them: what it holds nothing overtakes any more. Where it
  /// has no such bound it takes no notice.
  package func limitUnsent(to byteCount: Int32) {
    #if os(Linux)
      var value = byteCount
      setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &value,
        socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Asks for one `.writable`.
  package func requestWritable() {
    if let wsi, !isClosing { lws_callback_on_writable(wsi) }
  }

  /// Writes what `fill` puts into the buffer (it returns the count): bytes of a stream, or one
  /// binary message. Call it from `.writable`, and again while this returns true.
  package func write(_ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
    guard let wsi, !isClosing else { return false }
    let room = UnsafeMutableRawBufferPointer(rebasing: loop.scratch[reunion_lws_pre()...])
    let count = fill(room)
    guard let start = room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
    if count > 0 || !isStream {
      guard reunion_lws_write(wsi, start, count, isStream ? 1 : 0) >= 0 else {
        close()
        return false
      }
    }
    return lws_send_pipe_choked(wsi) == 0
  }

  /// Stops or resumes reading, so that a slow consumer holds back a fast sender.
  package func pauseReading(_ isPaused: Bool) {
    if let wsi, !isClosing { _ = lws_rx_flow_control(wsi, isPaused ? 0 : 1) }
  }

  /// Says that nothing more will be written; reading goes on.
  package func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Says why a WebSocket client closes, before `close` from inside `.received`.
  package func setCloseReason(_ code: UInt16) {
    if let wsi { reunion_lws_close_reason(wsi, UInt32(code)) }
  }

  /// Says goodbye to the other side of an open WebSocket; `.closed` follows, within seconds. Not
  /// from inside an event.
  package func leave(_ code: UInt16) {
    guard let wsi, !isClosing, !isLeaving, !isDispatching else { return }
    isLeaving = true
    reunion_lws_leave(wsi, UInt32(code))
  }

  /// Closes the socket; `.closed` follows, at once for a client that has not opened.
  package func close() {
    guard let wsi, !isClosing else { return }
    isClosing = true
    if isDispatching { return }
    reunion_lws_kill(wsi)
    if !isStream, !hasOpened { didClose(nil) }
  }

  /// Delivers an event of libwebsockets and returns what it wants to hear: -1 closes.
  func dispatch(_ event: SocketEvent, from wsi: OpaquePointer?) -> Int32 {
    if self.wsi == nil { self.wsi = wsi }
    if isClosing { return -1 }
    if isLeaving { return 0 }
    hasOpened = true
    isDispatching = true
    onEvent?(event)
    isDispatching = false
    return isClosing ? -1 : 0
  }

  /// libwebsockets ends this socket, and may not have said before that it is closed.
  func didEnd() {
    didClose(
      isStream || hasOpened ? nil : SocketRefusal(status: 0, reason: "closed before established"))
  }

  func didClose(_ refusal: SocketRefusal?) {
    guard let report = onEvent else { return }
    // libwebsockets may give its memory to the next socket.
    wsi = nil
    isClosing = true
    onEvent = nil
    loop.forget(number)
    report(.closed(refusal))
  }
}
