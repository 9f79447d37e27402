import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer of a server that is not trusted: as long as an answer may be, and from nowhere else.
final class ShortAnswer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// More than any answer to somebody who joins.
  static let bytesMax = 64 << 10

  // Unchecked: the session's queue, which does one thing at a time, alone has these.
  private var bytes = Data()
  private var status = 0
  private var waiter: CheckedContinuation<(Data, Int), any Error>?

  /// Asks, and gives the body and the status.
  ///
  /// - Throws: `URLError`: `dataLengthExceedsMaximum` where it is too long.
  static func of(_ request: URLRequest) async throws -> (Data, Int) {
    let answer = ShortAnswer()
    return try await withCheckedThrowingContinuation { continuation in
      answer.waiter = continuation
      let session = URLSession(configuration: .ephemeral, delegate: answer, delegateQueue: nil)
      session.dataTask(with: request).resume()
      // The session lives until its task is done, and no longer.
      session.finishTasksAndInvalidate()
    }
  }

  private func end(_ result: Result<(Data, Int), any Error>) {
    waiter?.resume(with: result)
    waiter = nil
  }

  /// A server that a link names leads nowhere else.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) { completionHandler(nil) }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    status = (response as? HTTPURLResponse)?.statusCode ?? 0
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard waiter != nil else { return }
    bytes += data
    guard bytes.count > Self.bytesMax else { return }
    end(.failure(URLError(.dataLengthExceedsMaximum)))
    dataTask.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    end(error.map { .failure($0) } ?? .success((bytes, status)))
  }
}
