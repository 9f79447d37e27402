public import FoundationEssentials

#if canImport(FoundationNetworking)
  import FoundationNetworking
#else
  import Foundation
#endif

/// A document that is being downloaded: its bytes, piece by piece as they arrive.
///
/// ```swift
/// guard let download = try await FeedDownload.start(address, unless: validators) else { return }
/// for try await entry in download.feedEntries() { show(entry) }
/// validators = download.validators
/// ```
///
/// *Memory*: about 1 MB waits to be taken; what comes beyond that waits in a temporary file.
/// *Redirects* are followed; compressed answers are unpacked. To stop early, cancel the task or let go of it.
public final class FeedDownload: AsyncSequence, Sendable {
  /// What to show the server next time, once everything was taken.
  public let validators: FeedValidators
  /// The bytes that the server promised; nil where it did not, or sends them compressed.
  public let byteCountExpected: Int?
  private let transfer: FeedTransfer

  private init(_ answer: HTTPURLResponse, _ transfer: FeedTransfer) {
    validators = FeedValidators(
      entityTag: answer.value(forHTTPHeaderField: "ETag"),
      lastModified: answer.value(forHTTPHeaderField: "Last-Modified"))
    let isPlain = answer.value(forHTTPHeaderField: "Content-Encoding") == nil
    byteCountExpected =
      isPlain && answer.expectedContentLength >= 0 ? Int(answer.expectedContentLength) : nil
    self.transfer = transfer
  }

  deinit { transfer.cancel() }

  /// Asks for a document, until the answer begins.
  ///
  /// - Parameters:
  ///   - address: an `http` or `https` address.
  ///   - validators: what the server said last time.
  ///   - secondsMax: for how long nothing may arrive.
  /// - Returns: The document on its way; nil where it is the same as before.
  /// - Throws: ``FeedDownloadError``.
  public static func start(
    _ address: URL, unless validators: FeedValidators = FeedValidators(), secondsMax: Int = 60
  ) async throws -> FeedDownload? {
    guard ["http", "https"].contains(address.scheme?.lowercased()), address.host() != nil else {
      throw FeedDownloadError(.badAddress, "\(address) is no address of http or https.")
    }
    var request = URLRequest(url: address)
    request.timeoutInterval = Double(secondsMax)
    request.setValue(validators.entityTag, forHTTPHeaderField: "If-None-Match")
    request.setValue(validators.lastModified, forHTTPHeaderField: "If-Modified-Since")
    request.setValue(
      "application/atom+xml, application/rss+xml, application/gpx+xml, "
        + "application/vnd.google-earth.kml+xml, application/xml;q=0.9, */*;q=0.5",
      forHTTPHeaderField: "Accept")
    let transfer = FeedTransfer(request)
    do {
      let answer = try await transfer.answer()
      if answer.statusCode == 304 {
        transfer.cancel()
        return nil
      }
      guard (200..<300).contains(answer.statusCode) else {
        throw FeedDownloadError(refusalOf: address, answer)
      }
      return FeedDownload(answer, transfer)
    } catch {
      transfer.cancel()
      throw error
    }
  }

  /// Whether bytes have arrived that were not taken yet.
  public var hasBytesWaiting: Bool { transfer.hasBytesWaiting }

  /// Starts at the next piece; a document is taken once.
  public func makeAsyncIterator() -> Iterator { Iterator(download: self) }

  /// Goes through the pieces as they arrive.
  public struct Iterator: AsyncIteratorProtocol {
    let download: FeedDownload

    /// The next piece; nil at the document's end.
    ///
    /// - Throws: ``FeedDownloadError``.
    public mutating func next() async throws -> Data? { try await download.transfer.next() }
  }
}
