import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request and its answer: what the session's queue brings, one task takes.
final class FeedTransfer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // All that changes is in here.
  private let lock = NSLock()
  private var state: State
  private let task: URLSessionDataTask
  /// What the session tells comes here, one piece after the other.
  private let queue = OperationQueue()
  private let relay = Relay()
  private let name: String

  /// How much may come of one document, and wait of it.
  struct Limits {
    /// Bytes in all, after they were unpacked.
    var bytesMax = FeedLimits().documentBytesMax
    /// Bytes that wait in a file, of a server that is faster than what is made of it.
    var spooledBytesMax = 1 << 30
  }

  private struct State {
    let limits: Limits
    var byteCount = 0
    var answer: HTTPURLResponse?
    var pieces: [Data] = []
    var next = 0
    var waitingBytes = 0
    /// What waits beyond that: a session on Linux cannot make the server wait.
    var spool: FeedSpool?
    var isOver = false
    /// Whether the session is done with the task, or was told to be: then it is not told again.
    var isDone = false
    var failure: FeedDownloadError?
    var waiter: CheckedContinuation<Void, Never>?

    var isSpooling: Bool { spool?.isEmpty == false }
    var hasBytes: Bool { next < pieces.count || isSpooling }

    /// Takes what arrived; gives what is wrong where it cannot.
    mutating func append(_ data: Data) -> Refusal? {
      byteCount += data.count
      guard byteCount <= limits.bytesMax else { return .tooLong }
      guard isSpooling || waitingBytes > FeedTransfer.waitingBytesMax else {
        pieces.append(data)
        waitingBytes += data.count
        return nil
      }
      if spool == nil { spool = FeedSpool() }
      guard (spool?.waitingBytes ?? 0) + data.count <= limits.spooledBytesMax else {
        return .tooFast
      }
      return spool?.append(data) == true ? nil : .noRoom
    }

    /// The next piece, and whether it was lost.
    mutating func takeNext() -> (piece: Data?, isLost: Bool) {
      guard next < pieces.count else {
        guard isSpooling else { return (nil, false) }
        let piece = spool?.next()
        return (piece, piece == nil)
      }
      let piece = pieces[next]
      next += 1
      waitingBytes -= piece.count
      if next == pieces.count {
        pieces.removeAll(keepingCapacity: true)
        next = 0
      }
      return (piece, false)
    }
  }

  /// Once more bytes than this wait, what arrives waits in a file.
  private static let waitingBytesMax = 1 << 20
  private static let noRoom = FeedDownloadError(
    .brokenOff, "There is no room for what was downloaded: make some in the temporary folder.")

  private enum Refusal { case tooLong, tooFast, noRoom }

  private func failure(_ refusal: Refusal, _ limits: Limits) -> FeedDownloadError {
    switch refusal {
    case .noRoom: Self.noRoom
    case .tooLong:
      FeedDownloadError(
        .tooLong, "\(name) sends more than \(limits.bytesMax >> 20) MiB: check the address.")
    case .tooFast:
      FeedDownloadError(
        .tooLong,
        "\(name) sends faster than it can be read, and \(limits.spooledBytesMax >> 20) MiB wait: "
          + "download it into a file, and read that.")
    }
  }

  /// Asks; `address` is what it is called before people.
  init(_ request: URLRequest, of address: URL, _ limits: Limits) {
    name = address.host() ?? "The server"
    state = State(limits: limits)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(configuration: configuration, delegate: relay, delegateQueue: queue)
    task = session.dataTask(with: request)
    super.init()
    relay.transfer = self
    task.resume()
    // The session lives until its task is done, and no longer.
    session.finishTasksAndInvalidate()
  }

  /// Cancels the task, unless it has ended.
  ///
  /// Foundation on Linux traps where a task is cancelled that its session has let go. So it is done in turn with what
  /// the session tells: its end has been told by then, or comes after the cancellation.
  func cancel() {
    queue.addOperation { [self] in
      let isWanted = lock.withLock {
        defer { state.isDone = true }
        return !state.isDone
      }
      if isWanted { task.cancel() }
    }
  }

  var isOver: Bool { lock.withLock { state.isOver } }

  var hasBytesWaiting: Bool { lock.withLock { state.hasBytes } }

  /// The head of the answer.
  func answer() async throws -> HTTPURLResponse {
    while true {
      let found = lock.withLock { (state.answer, state.isOver, state.failure) }
      if let answer = found.0 { return answer }
      if found.1 {
        throw found.2 ?? FeedDownloadError(.unreachable, "The server did not answer.")
      }
      try await wait { $0.answer != nil || $0.isOver }
    }
  }

  /// The next piece; nil at the end.
  func next() async throws -> Data? {
    while true {
      // Also while there are bytes at hand.
      try requireWanted()
      let (piece, isLost) = lock.withLock { state.takeNext() }
      if let piece { return piece }
      if isLost { throw Self.noRoom }
      let (isOver, failure) = lock.withLock { (state.isOver && !state.hasBytes, state.failure) }
      if isOver {
        if let failure { throw failure }
        return nil
      }
      try await wait { $0.hasBytes || $0.isOver }
    }
  }

  private func wait(until isReady: @escaping @Sendable (State) -> Bool) async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = lock.withLock {
          if isReady(state) { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      // Whenever the session says so.
      end(URLError(.cancelled))
      cancel()
    }
    try requireWanted()
  }

  private func requireWanted() throws {
    guard Task.isCancelled else { return }
    cancel()
    throw FeedDownloadError(.cancelled, "The download was cancelled.")
  }

  private func change(_ body: (inout State) -> Void) {
    let waiter = lock.withLock { () -> CheckedContinuation<Void, Never>? in
      body(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  // What the session tells

  fileprivate func begin(_ answer: HTTPURLResponse?) { change { $0.answer = answer } }

  fileprivate func take(_ data: Data) {
    var isTaken = true
    change { state in
      guard !state.isOver, let refusal = state.append(data) else { return }
      isTaken = false
      state.isOver = true
      state.failure = failure(refusal, state.limits)
    }
    if !isTaken { cancel() }
  }

  fileprivate func complete(_ error: (any Error)?) {
    lock.withLock { state.isDone = true }
    end(error)
  }

  private func end(_ error: (any Error)?) {
    change { state in
      guard !state.isOver else { return }
      state.isOver = true
      guard let error else { return }
      state.failure = FeedDownloadError(error, of: name, hasBegun: state.answer != nil)
    }
  }

  /// The session holds its delegate until it is over: this one, which holds nobody.
  private final class Relay: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Unchecked, since it is set once, before the task is resumed, and weak references are counted
    // atomically.
    weak var transfer: FeedTransfer?

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
      transfer?.begin(response as? HTTPURLResponse)
      completionHandler(transfer == nil ? .cancel : .allow)
    }

    /// Where an answer leads is looked at before anything is asked there (`FeedRoute`).
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      transfer?.take(data)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      transfer?.complete(error)
    }
  }
}
