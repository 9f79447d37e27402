import Foundation
import FoundationNetworking
import Synchronization

/// One request for a feed, whose bytes are handed on as they arrive.
final class FeedDownload: NSObject, URLSessionDataDelegate, Sendable {
  /// The most bytes of a feed.
  static let bytesMax = 64_000_000

  private struct Progress {
    var answer: CheckedContinuation<FeedAnswer, any Error>?
    var chunks: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    var failure: Failure?
    var byteCount = 0
  }

  private let host: String
  private let progress: Mutex<Progress>

  private init(host: String, answer: CheckedContinuation<FeedAnswer, any Error>) {
    self.host = host
    progress = Mutex(Progress(answer: answer))
  }

  /// Asks for a feed, if it is another than that version.
  static func answer(from url: URL, since version: FeedVersion?) async throws -> FeedAnswer {
    var request = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 30)
    request.setValue("application/atom+xml, application/xml;q=0.9", forHTTPHeaderField: "Accept")
    request.setValue("reunion-quakes", forHTTPHeaderField: "User-Agent")
    request.setValue(version?.entityTag, forHTTPHeaderField: "If-None-Match")
    request.setValue(version?.lastModified, forHTTPHeaderField: "If-Modified-Since")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    return try await withCheckedThrowingContinuation { answer in
      let download = FeedDownload(host: url.host() ?? "The feed", answer: answer)
      let session = URLSession(
        configuration: configuration, delegate: download, delegateQueue: nil)
      session.dataTask(with: request).resume()
      session.finishTasksAndInvalidate()
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let (answer, result) = progress.withLock { progress in
      let answer = progress.answer.take()
      return (answer, Self.result(of: response, host: host, &progress))
    }
    answer?.resume(with: result)
    if case .success(.changed) = result {
      completionHandler(.allow)
    } else {
      completionHandler(.cancel)
    }
  }

  private static func result(
    of response: URLResponse, host: String, _ progress: inout Progress
  ) -> Result<FeedAnswer, any Error> {
    guard let response = response as? HTTPURLResponse else {
      return .failure(Failure("\(host) does not speak HTTP."))
    }
    if response.statusCode == 304 { return .success(.unchanged) }
    guard response.statusCode == 200 else {
      let wait = response.value(forHTTPHeaderField: "Retry-After").flatMap { Double($0) }
      return .failure(Failure("\(host) answers \(response.statusCode).", retryAfter: wait))
    }
    let version = FeedVersion(
      entityTag: response.value(forHTTPHeaderField: "ETag"),
      lastModified: response.value(forHTTPHeaderField: "Last-Modified"))
    let (chunks, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    progress.chunks = continuation
    return .success(.changed(version == FeedVersion() ? nil : version, chunks))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let chunks = progress.withLock { progress in
      progress.byteCount += data.count
      if progress.byteCount > Self.bytesMax {
        progress.failure = Failure("\(host) sends more than \(Self.bytesMax / 1_000_000) MB.")
      }
      return progress.failure == nil ? progress.chunks : nil
    }
    guard let chunks else { return dataTask.cancel() }
    // Who reads has gone: what is left is of no use.
    if case .terminated = chunks.yield(Array(data)) { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let (answer, chunks, failure) = progress.withLock { progress in
      (progress.answer.take(), progress.chunks.take(), progress.failure)
    }
    guard let error else {
      answer?.resume(throwing: Failure("\(host) gave no answer."))
      chunks?.finish()
      return
    }
    let told =
      failure
      ?? Failure(
        chunks == nil ? Self.sentence(of: error, host) : "The connection to \(host) broke off.")
    answer?.resume(throwing: told)
    chunks?.finish(throwing: told)
  }

  private static func sentence(of error: any Error, _ host: String) -> String {
    switch (error as? URLError)?.code {
    case .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet:
      "\(host) is not found: this machine may be offline."
    case .cannotConnectToHost: "\(host) does not answer."
    case .timedOut: "\(host) takes too long to answer."
    case .some(let code) where code.rawValue <= -1200 && code.rawValue > -1300:
      "The connection to \(host) is not secure: check this machine's clock and certificates."
    default: "\(host) cannot be read: \(error.localizedDescription)."
    }
  }
}
