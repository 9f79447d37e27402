import ReunionSockets

/// One connection of a client: requests one after another, and perhaps a WebSocket at the end.
///
/// *Thread*: the loop's.
final class HTTPConnection {
  /// What is going on.
  private enum Phase {
    /// Waiting for the head of a request.
    case head
    /// Taking in a body, of which `remaining` bytes are still to come, until a moment.
    case body(any BodyReceiver, remaining: UInt64, until: ContinuousClock.Instant)
    /// The handler works, or the answer leaves.
    case answering
    /// The socket belongs to a WebSocket.
    case webSocket(WebSocketExchange)
    /// The last answer has left; what the client still sends is thrown away, because closing on
    /// unread bytes would make its system drop the answer.
    case lingering
  }

  /// One write; more than a socket's buffer usually takes.
  static let writeBytesMax = 64 << 10
  /// Pipelined bytes that are held while an answer is under way.
  private static let inboxBytesMax = 64 << 10

  let number: UInt64
  private let core: HTTPServerCore
  private var socket: Socket?
  let remoteAddress: String
  private var phase = Phase.head
  private var inbox: [UInt8] = []
  /// Whether what came waits for its turn to be read.
  private(set) var waitsForTurn = false
  private var output = ByteQueue()
  private var file: FileSource?
  private var exchange: UInt64 = 0
  private var keepsAlive = true
  private var isAnswered = false
  /// When the connection is closed unless something happens first.
  private(set) var deadline: ContinuousClock.Instant?
  private var request: HTTPRequest?
  /// Whether the body is held back.
  private var isBodyHeld = false

  init(number: UInt64, remoteAddress: String, core: HTTPServerCore) {
    self.number = number
    self.remoteAddress = remoteAddress
    self.core = core
    deadline = .now + core.limits.headTimeout
  }

  func handle(_ socket: Socket, _ event: SocketEvent) {
    switch event {
    case .opened: self.socket = socket
    case .received(let bytes, _): received(bytes)
    case .writable: writable()
    case .closing: break
    case .closed: closed()
    }
  }

  /// Whether it waits for another whole request, or for its client to close: no answer is lost where it
  /// is closed.
  var isIdle: Bool {
    switch phase {
    case .head: !waitsForTurn
    case .lingering: true
    default: false
    }
  }

  /// Since when its answer has made no progress; nil if none is on its way.
  var standsStillSince: ContinuousClock.Instant? {
    guard case .answering = phase, isAnswered, let deadline else { return nil }
    return deadline - core.limits.progressTimeout
  }

  /// Since when it waits for its client: for the first request or the next, or for room for an answer. A bad
  /// network stands still, too, and has two seconds more.
  var restsSince: ContinuousClock.Instant? {
    guard case .head = phase else { return standsStillSince.map { $0 + .seconds(2) } }
    let timeout = exchange == 0 ? core.limits.headTimeout : core.limits.idleTimeout
    return waitsForTurn ? nil : deadline.map { $0 - timeout }
  }

  /// What counts as one client's: its address, or the half of one that a household has.
  private(set) lazy var network = RateLimit.network(of: remoteAddress)

  /// The deadline has passed.
  func expire() {
    if case .webSocket(let webSocket) = phase, webSocket.expire() {
      deadline = .now + .seconds(2)
    } else {
      socket?.close()
    }
  }

  /// The server stops: idle connections close, a WebSocket says so, an answer may finish.
  func stop() {
    keepsAlive = false
    switch phase {
    case .head, .body, .lingering: socket?.close()
    case .answering: break
    case .webSocket(let webSocket): webSocket.close(1001, "The server stops.")
    }
  }

  /// Closes at once.
  func abort() { socket?.close() }

  // MARK: Requests

  private func received(_ bytes: UnsafeRawBufferPointer) {
    switch phase {
    case .lingering: break
    case .webSocket(let webSocket): webSocket.received(bytes)
    case .body: feed(bytes)
    case .head where waitsForTurn: hold(bytes)
    case .head:
      inbox.append(contentsOf: bytes)
      if bytes.contains(0x0a) || inbox.count > HTTPRequestReader.requestLineBytesMax {
        waitForTurn()
      }
    case .answering: hold(bytes)
    }
  }

  private func hold(_ bytes: UnsafeRawBufferPointer) {
    inbox.append(contentsOf: bytes)
    if inbox.count > Self.inboxBytesMax { socket?.pauseReading(true) }
  }

  private func waitForTurn() {
    waitsForTurn = true
    core.begin(self)
  }

  /// Its turn has come to read a request. Its client may have gone: what it asked for is done all the same.
  func begin() {
    waitsForTurn = false
    if case .head = phase, !inbox.isEmpty { readHead() }
    if socket == nil { closed() }
  }

  private func readHead() {
    switch HTTPRequestReader.read(inbox, from: remoteAddress) {
    case .needsMore: break
    case .refused(let status, let sentence):
      keepsAlive = false
      exchange += 1
      request = nil
      send(.error(status, sentence))
    case .request(let request, let count):
      inbox.removeFirst(count)
      core.didComplete(self)
      exchange += 1
      isAnswered = false
      deadline = nil
      self.request = request
      keepsAlive = request.keepsAlive && !core.isStopping
      phase = .answering
      perform(core.handler(request), for: request)
    }
  }

  private func perform(_ answer: HTTPAnswer, for request: HTTPRequest) {
    let length = request.contentLength ?? 0
    if case .receive(let receiver, let limit, let patience) = answer, length <= limit {
      if request.expectsContinue, length > 0 { write(HTTPResponseHead.mayContinue) }
      let end = ContinuousClock.now + patience
      phase = .body(receiver, remaining: length, until: end)
      isBodyHeld = false
      deadline = min(.now + core.limits.progressTimeout, end)
      receiver.began(HTTPResponder(self, exchange: exchange, on: core.loop))
      let early = inbox
      inbox = []
      // It may have been held back while the request waited for its turn.
      socket?.pauseReading(false)
      early.withUnsafeBytes { feed($0) }
      return
    }
    if length > 0 { keepsAlive = false }
    switch answer {
    case .receive(_, let limit, _):
      send(.error(413, "The body may have at most \(limit) bytes. Send fewer."))
    case .respond(let response): send(response)
    case .file(let file): send(file)
    case .later(let begin): begin(HTTPResponder(self, exchange: exchange, on: core.loop))
    case .webSocket(let begin): accept(begin, request)
    }
  }

  /// Gives bytes to the receiver of a body; what follows the body waits as the next request.
  private func feed(_ bytes: UnsafeRawBufferPointer) {
    guard case .body(let receiver, let remaining, let end) = phase else { return }
    let count = Int(min(UInt64(bytes.count), remaining))
    inbox.append(contentsOf: bytes[count...])
    deadline = isBodyHeld ? end : min(.now + core.limits.progressTimeout, end)
    if count > 0 {
      phase = .body(receiver, remaining: remaining - UInt64(count), until: end)
      receiver.received(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
    if remaining == UInt64(count) {
      phase = .answering
      deadline = nil
      receiver.finished()
    }
  }

  /// Whoever takes the body in holds it back, or goes on. A client that is held back is not slow.
  func holdBody(_ isHeld: Bool, _ exchange: UInt64) {
    guard exchange == self.exchange, case .body(_, _, let end) = phase else { return }
    isBodyHeld = isHeld
    socket?.pauseReading(isHeld)
    deadline = isHeld ? end : min(.now + core.limits.progressTimeout, end)
  }

  // MARK: Answers

  func answerLater(_ answer: HTTPAnswer, _ exchange: UInt64) {
    guard exchange == self.exchange, !isAnswered, socket != nil else { return }
    switch phase {
    case .answering: break
    case .body: keepsAlive = false
    default: return
    }
    switch answer {
    case .respond(let response): send(response)
    case .file(let file): send(file)
    default: break
    }
  }

  private func send(_ response: HTTPResponse) {
    let isBodiless = response.status == 204 || response.status == 304 || response.status < 200
    begin(
      response.status, response.headers, length: isBodiless ? nil : UInt64(response.body.count))
    if request?.method != .head, !isBodiless { write(response.body) }
  }

  private func send(_ response: FileResponse) {
    guard let request, let source = FileSource(path: response.path) else {
      return send(.error(404, "There is no such file any more. Ask again later."))
    }
    let plan = response.plan(for: request, size: source.size)
    if let refusal = plan.refusal { return send(refusal) }
    source.select(plan.bytes)
    if source.remaining > 0 { file = source }
    begin(plan.status, plan.headers, length: plan.length)
  }

  private func begin(_ status: Int, _ headers: HTTPHeaders, length: UInt64?) {
    phase = .answering
    isAnswered = true
    deadline = .now + core.limits.progressTimeout
    if core.isStopping { keepsAlive = false }
    var headers = headers
    if let request {
      for field in core.always(request).fields { headers.set(field.name, field.value) }
    }
    write(HTTPResponseHead.encode(status, headers, length: length, keepsAlive: keepsAlive))
  }

  private func write(_ bytes: [UInt8]) {
    output.append(bytes)
    socket?.requestWritable()
  }

  private func writable() {
    if case .webSocket(let webSocket) = phase { return webSocket.writable() }
    // A bounded number of writes, so that one fast client leaves turns for the others.
    var mayGoOn = true
    var turns = 0
    var hasFailed = false
    while mayGoOn, turns < 8, !output.isEmpty || file != nil {
      turns += 1
      mayGoOn =
        socket?.write { room in
          let room = UnsafeMutableRawBufferPointer(rebasing: room[..<Self.writeBytesMax])
          let count = output.move(into: room)
          guard output.isEmpty, count < room.count, let file else { return count }
          let read = file.read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
          if file.remaining == 0 || read == nil { self.file = nil }
          hasFailed = read == nil
          return count + (read ?? 0)
        } ?? false
      if hasFailed { return abort() }
    }
    if isAnswered { deadline = .now + core.limits.progressTimeout }
    if !output.isEmpty || file != nil { socket?.requestWritable() } else { didWriteAll() }
  }

  private func didWriteAll() {
    guard case .answering = phase, isAnswered else { return }
    socket?.pauseReading(false)
    if keepsAlive {
      phase = .head
      isAnswered = false
      request = nil
      deadline = .now + core.limits.idleTimeout
      if !inbox.isEmpty { waitForTurn() }
    } else {
      phase = .lingering
      inbox = []
      deadline = .now + .seconds(2)
      socket?.finishWriting()
    }
  }

  // MARK: WebSocket and the end

  private func accept(_ begin: (WebSocketConnection) -> Void, _ request: HTTPRequest) {
    guard let socket, let answer = WebSocketHandshake.answer(request) else {
      keepsAlive = false
      return send(WebSocketHandshake.refusal)
    }
    let webSocket = WebSocketExchange(
      socket, greeting: answer, early: inbox, progressTimeout: core.limits.progressTimeout
    ) { [weak self] in self?.deadline = $0 }
    inbox = []
    deadline = .now + core.limits.headTimeout
    phase = .webSocket(webSocket)
    begin(WebSocketConnection(webSocket, remoteAddress: remoteAddress, on: core.loop))
  }

  private func closed() {
    socket = nil
    if waitsForTurn { return core.didClose(self) }
    switch phase {
    case .body(let receiver, _, _): receiver.aborted()
    case .webSocket(let webSocket): webSocket.socketClosed()
    default: break
    }
    phase = .lingering
    file = nil
    core.didClose(self)
  }
}
