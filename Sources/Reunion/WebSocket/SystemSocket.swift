import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A WebSocket of the system's, as a link sees it, so that a test can stand in for the system.
///
/// *Thread*: any; events may come on any thread, in order.
protocol SystemSocket: AnyObject, Sendable {
  /// Begins to connect, and reports from now on.
  func open(_ report: @escaping @Sendable (SystemSocketEvent) -> Void)
  /// Asks for one message; `received`, `receivedText` or the end follows.
  func receive()
  /// Sends one binary message; `sent` or the end follows.
  func send(_ message: [UInt8])
  /// Says with a code that this side closes, and ends.
  func close(_ code: UInt16)
}

/// What the system's socket reports.
enum SystemSocketEvent: Sendable {
  case opened
  case received([UInt8])
  case receivedText
  case sent
  /// The other side's close frame, with its code.
  case closing(UInt16)
  /// The end, with the status of an answer that was no WebSocket, or 0. It may come more than once.
  case ended(status: Int, reason: String)
}

/// `URLSessionWebSocketTask`, which Apple's platforms have.
///
/// Unchecked: `session`, `task` and `report` are set in `open`, before the first event, and not again.
final class URLSessionSocket: NSObject, SystemSocket, URLSessionWebSocketDelegate,
  @unchecked Sendable
{
  private let request: URLRequest
  private let messageBytesMax: Int
  private var session: URLSession?
  private var task: URLSessionWebSocketTask?
  private var report: (@Sendable (SystemSocketEvent) -> Void)?

  init(_ request: URLRequest, messageBytesMax: Int) {
    self.request = request
    self.messageBytesMax = messageBytesMax
  }

  func open(_ report: @escaping @Sendable (SystemSocketEvent) -> Void) {
    self.report = report
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    self.session = session
    let task = session.webSocketTask(with: request)
    // One byte more, so that a message that is too long is told from a lost connection.
    task.maximumMessageSize = messageBytesMax + 1
    self.task = task
    task.resume()
    // The session lives until its task is done, and no longer.
    session.finishTasksAndInvalidate()
  }

  func receive() {
    task?.receive { [self] result in
      switch result {
      case .success(.data(let data)): report?(.received([UInt8](data)))
      case .success: report?(.receivedText)
      case .failure(let error): end(error)
      }
    }
  }

  func send(_ message: [UInt8]) {
    task?.send(.data(Data(message))) { [self] error in
      if let error { end(error) } else { report?(.sent) }
    }
  }

  func close(_ code: UInt16) {
    task?.cancel(
      with: URLSessionWebSocketTask.CloseCode(rawValue: Int(code)) ?? .normalClosure, reason: nil)
  }

  private func end(_ error: (any Error)?) {
    if let code = task?.closeCode, code != .invalid {
      report?(.closing(UInt16(clamping: code.rawValue)))
    }
    let status = (task?.response as? HTTPURLResponse)?.statusCode ?? 0
    report?(.ended(status: status, reason: error?.localizedDescription ?? ""))
  }

  // MARK: The session's word

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?
  ) { report?(.opened) }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) { report?(.closing(UInt16(clamping: closeCode.rawValue))) }

  /// A server that a link names leads nowhere else.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) { completionHandler(nil) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) { end(error) }
}
