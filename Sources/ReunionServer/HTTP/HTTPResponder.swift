import ReunionFlow
import ReunionSockets

/// The way to answer one request later: the first answer counts, the others do nothing.
///
/// *Thread*: any. If the client has gone meanwhile, an answer goes nowhere. If you drop a responder
/// without an answer, it answers 500, so that no client waits for ever.
public final class HTTPResponder: Sendable {
  /// An answer that was given.
  package enum Given: Sendable {
    /// From memory.
    case respond(HTTPResponse)
    /// From a file.
    case file(FileResponse)
  }

  private let deliver: @Sendable (Given) -> Void
  private let hold: @Sendable (Bool) -> Void
  private let isAnswered = Lock(false)

  /// A way to answer a client that is in one process with its server.
  package init(
    deliver: @escaping @Sendable (Given) -> Void,
    hold: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    (self.deliver, self.hold) = (deliver, hold)
  }

  convenience init(_ connection: HTTPConnection, exchange: UInt64, on loop: EventLoop) {
    let connection = LoopBound(WeakConnection(connection), on: loop)
    self.init { given in
      loop.execute {
        guard let connection = connection.value.connection else { return }
        switch given {
        case .respond(let response): connection.answerLater(.respond(response), exchange)
        case .file(let file): connection.answerLater(.file(file), exchange)
        }
      }
    } hold: { isHeld in
      loop.execute { connection.value.connection?.holdBody(isHeld, exchange) }
    }
  }

  deinit { answer(.respond(.error(500, "The server gave no answer. Try again."))) }

  /// Answers from memory.
  public func respond(_ response: HTTPResponse) { answer(.respond(response)) }

  /// Answers from a file.
  public func respond(_ file: FileResponse) { answer(.file(file)) }

  /// Stops or resumes the body, so that a slow disk holds back a fast sender. What is here already still comes.
  func holdBody(_ isHeld: Bool) { hold(isHeld) }

  private func answer(_ given: Given) {
    let isFirst = isAnswered.withLock { answered in
      defer { answered = true }
      return !answered
    }
    if isFirst { deliver(given) }
  }
}

private final class WeakConnection {
  weak var connection: HTTPConnection?

  init(_ connection: HTTPConnection) { self.connection = connection }
}
