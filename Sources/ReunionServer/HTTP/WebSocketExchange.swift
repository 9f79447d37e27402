import ReunionCore
import ReunionSockets
import ReunionFlow
import ReunionSync

/// The side of a server's WebSocket that lives on the loop.
///
/// *Thread*: the loop's, but for `outbox`.
final class WebSocketExchange {
  static let messageBytesMax = 1 << 20
  /// A client for which more bytes than this wait reads too slowly to be kept.
  static let queuedBytesMax = 8 << 20
  /// As much as a piece of a blob, where there are any: a text that is written now leaves behind one or two.
  private static let unsentBytesMax = Int32(Message.bytesSoftMax)
  /// Bytes of pongs that wait for a client that asks and does not read.
  static let pongBytesMax = 4096

  let outbox = Lock(Outbox())
  private let socket: Socket
  private let progressTimeout: Duration
  private let setDeadline: (ContinuousClock.Instant?) -> Void
  private var reader = WebSocketReader(messageBytesMax: messageBytesMax)
  private var deliver: (@Sendable (LinkEvent) -> Void)?
  /// What came before `start`.
  private var early: [UInt8]
  /// Bytes that leave before the next message: the handshake, pongs.
  private var urgent = ByteQueue()
  /// The frame that is leaving; its message is still in the outbox.
  private var frame: (header: [UInt8], message: [UInt8], sent: Int)?
  /// The close frame, which leaves after the messages.
  private var farewell: [UInt8]?
  private var hasSentFarewell = false
  private var hasHeardFarewell = false
  private var failure: LinkFailure?
  private var isGone = false
  private var isUnsentLimited = false
  /// Whether the socket says when it takes more; until then nothing is written.
  private var awaitsRoom = false

  init(
    _ socket: Socket, greeting: [UInt8], early: [UInt8], progressTimeout: Duration,
    setDeadline: @escaping (ContinuousClock.Instant?) -> Void
  ) {
    self.socket = socket
    self.early = early
    self.progressTimeout = progressTimeout
    self.setDeadline = setDeadline
    urgent.append(greeting)
    socket.pauseReading(true)
    askForRoom()
  }

  private func askForRoom() {
    awaitsRoom = true
    socket.requestWritable()
  }

  private var isClosing: Bool { farewell != nil || hasSentFarewell }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    guard self.deliver == nil else { return }
    self.deliver = deliver
    if isGone { return report() }
    if !isClosing { setDeadline(nil) }
    deliver(.opened)
    socket.pauseReading(false)
    let bytes = early
    early = []
    bytes.withUnsafeBytes { received($0) }
    flush()
  }

  /// Bytes wait in the outbox, or should.
  func flush() {
    guard !isGone else { return }
    if outbox.withLock({ $0.bytes }) > Self.queuedBytesMax { return giveUp() }
    // What fits into the system's buffers leaves at once: to ask costs more than to write.
    if !awaitsRoom { return write() }
    if !isClosing, deliver != nil { setDeadline(.now + progressTimeout) }
  }

  /// What the client sends waits in the system's buffers while it is paused.
  func pauseReceiving(_ isPaused: Bool) {
    if deliver != nil, !isGone, !isClosing { socket.pauseReading(isPaused) }
  }

  /// Says goodbye after the messages that wait. The first close counts.
  func close(_ code: UInt16, _ reason: String) {
    guard !isGone, !isClosing else { return }
    outbox.withLock { $0.isClosed = true }
    farewell = WebSocketFrame.close(code, reason)
    socket.pauseReading(false)
    askForRoom()
    setDeadline(.now + .seconds(5))
  }

  /// No progress in time. True where a goodbye is worth a try before the end.
  func expire() -> Bool {
    guard !isClosing, deliver != nil else { return false }
    giveUp()
    return true
  }

  private func giveUp() {
    fail(1013, "This client reads too slowly.")
  }

  /// Closes without sending what waits, but for the frame that has begun to leave.
  private func fail(_ code: UInt16, _ reason: String) {
    guard !isClosing else { return }
    failure = LinkFailure(reason, mayRetry: code == 1013)
    outbox.withLock { box in
      box.isClosed = true
      box.removeAll()
    }
    close(code, reason)
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard deliver != nil || isClosing else {
      early.append(contentsOf: bytes)
      return
    }
    guard !hasHeardFarewell else { return }
    do throws(WebSocketReader.Violation) {
      try reader.read(bytes) { event in
        handle(event)
        return !hasHeardFarewell
      }
    } catch {
      fail(error.code, error.reason)
      // Nothing that follows can be understood; a goodbye cannot be heard any more.
      hasHeardFarewell = true
    }
  }

  private func handle(_ event: WebSocketReader.Event) {
    switch event {
    case .message(let message): if !isClosing { deliver?(.received(message)) }
    case .ping(let payload):
      // A client that asks and does not read gets no more than some answers.
      if urgent.byteCount < Self.pongBytesMax { urgent.append(WebSocketFrame.pong(payload)) }
      askForRoom()
    case .pong: break
    case .close(let code):
      hasHeardFarewell = true
      if hasSentFarewell { return end() }
      if let code, code != 1000, code != 1001, !isClosing {
        failure = LinkFailure("The client closed the connection (code \(code)).")
      }
      outbox.withLock { $0.removeAll() }
      close(code ?? 1000, "")
    }
  }

  func writable() {
    awaitsRoom = false
    write()
  }

  private func write() {
    var mayGoOn = true
    var turns = 0
    while mayGoOn, turns < 8, hasOutput {
      turns += 1
      mayGoOn = socket.write { room in
        fill(UnsafeMutableRawBufferPointer(rebasing: room[..<HTTPConnection.writeBytesMax]))
      }
    }
    if hasOutput || !mayGoOn {
      // Some of it may still lie with the socket.
      writeOn()
    } else if hasSentFarewell {
      if hasHeardFarewell { end() }
    } else {
      endTurn()
    }
  }

  private func writeOn() {
    askForRoom()
    if !isClosing, deliver != nil { setDeadline(.now + progressTimeout) }
  }

  private var hasOutput: Bool {
    !urgent.isEmpty || frame != nil || farewell != nil || !outbox.withLock { $0.isEmpty }
  }

  /// Nothing was left to write just now; another thread may have sent something since.
  private func endTurn() {
    let rest = outbox.withLock { $0.endTurn() }
    if case .messages = rest { return writeOn() }
    if deliver != nil { setDeadline(nil) }
    if case .drained = rest { deliver?(.drained) }
  }

  /// Puts as many frames into `room` as fit, so that they leave in one write.
  private func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < room.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
      if let (header, message, sent) = frame {
        let part =
          sent < header.count ? header[sent...] : message[(sent - header.count)...]
        let piece = part.prefix(rest.count)
        rest.copyBytes(from: piece)
        count += piece.count
        frame?.sent += piece.count
        guard sent + piece.count == header.count + message.count else { continue }
        frame = nil
        outbox.withLock { _ = $0.popFirst() }
      } else if !urgent.isEmpty {
        count += urgent.move(into: rest)
      } else if count > 0, outbox.withLock({ $0.isPieceNext }) {
        // What is written now nothing overtakes any more: a piece of a blob takes a write of its own.
        break
      } else if let message = outbox.withLock({ $0.begin() }) {
        if !isUnsentLimited, Message.isBlobPiece(message) {
          isUnsentLimited = true
          socket.limitUnsent(to: Self.unsentBytesMax)
        }
        frame = (WebSocketFrame.header(of: message.count), message, 0)
      } else if let last = farewell {
        farewell = nil
        hasSentFarewell = true
        urgent.append(last)
      } else {
        break
      }
    }
    return count
  }

  /// Both sides have said goodbye: the server closes first.
  private func end() {
    socket.finishWriting()
    setDeadline(.now + .seconds(2))
  }

  func socketClosed() {
    guard !isGone else { return }
    isGone = true
    if failure == nil, !hasSentFarewell, !hasHeardFarewell {
      failure = LinkFailure("The connection to the client was lost.")
    }
    outbox.withLock { box in
      box.isClosed = true
      box.removeAll()
    }
    if deliver != nil { report() }
  }

  private func report() {
    let last = deliver
    deliver = { _ in }
    last?(.closed(failure))
  }
}
