import ReunionFlow
import ReunionSockets

/// The way to answer one request later: the first answer counts, the others do nothing.
///
/// *Thread*: any. If the client has gone meanwhile, an answer goes nowhere. If you drop a responder
/// without an answer, it answers 500, so that no client waits for ever.
public final class HTTPResponder: Sendable {
  private let loop: EventLoop
  private let connection: LoopBound<WeakConnection>
  private let exchange: UInt64
  private let isAnswered = Lock(false)

  init(_ connection: HTTPConnection, exchange: UInt64, on loop: EventLoop) {
    self.loop = loop
    self.connection = LoopBound(WeakConnection(connection), on: loop)
    self.exchange = exchange
  }

  deinit { answer(.respond(.error(500, "The server gave no answer. Try again."))) }

  /// Answers from memory.
  public func respond(_ response: HTTPResponse) { answer(.respond(response)) }

  /// Answers from a file.
  public func respond(_ file: FileResponse) { answer(.file(file)) }

  private enum Kind: Sendable {
    case respond(HTTPResponse)
    case file(FileResponse)
  }

  private func answer(_ kind: Kind) {
    let isFirst = isAnswered.withLock { answered in
      defer { answered = true }
      return !answered
    }
    guard isFirst else { return }
    onConnection { connection, exchange in
      switch kind {
      case .respond(let response): connection.answerLater(.respond(response), exchange)
      case .file(let file): connection.answerLater(.file(file), exchange)
      }
    }
  }

  private func onConnection(_ work: @escaping @Sendable (HTTPConnection, UInt64) -> Void) {
    loop.execute { [connection, exchange] in
      if let target = connection.value.connection { work(target, exchange) }
    }
  }
}

private final class WeakConnection {
  weak var connection: HTTPConnection?

  init(_ connection: HTTPConnection) { self.connection = connection }
}
