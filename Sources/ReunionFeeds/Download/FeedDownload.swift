public import FoundationEssentials

#if canImport(FoundationNetworking)
  import FoundationNetworking
#else
  import Foundation
#endif

/// A document that is being downloaded: its bytes, piece by piece as they arrive.
///
/// ```swift
/// func news(at address: URL, _ known: inout FeedValidators) async throws -> [FeedEntry] {
///   guard let download = try await FeedDownload.start(address, unless: known) else { return [] }
///   var entries: [FeedEntry] = []
///   for try await entry in download.feedEntries() { entries.append(entry) }
///   known = download.validators    // only now: all of it was taken
///   return entries
/// }
/// ```
///
/// *Memory*: about 1 MB waits for you; whatever comes beyond that waits in a temporary file.
/// *Limits*: 4 GiB in all, unpacked, and 1 GiB of it in that file. *Redirects*: it follows five. An
/// address on the internet cannot lead into this machine's networks, neither by a redirect nor by
/// its name. To stop early, cancel the task or release the download.
public final class FeedDownload: AsyncSequence, Sendable {
  /// What to show the server next time, once you have taken everything.
  public let validators: FeedValidators
  /// How many bytes the server promised; nil if it did not, or sends them compressed.
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

  /// Asks for a document, and returns when the answer begins.
  ///
  /// - Parameters:
  ///   - address: an `http` or `https` address.
  ///   - validators: what the server said last time.
  ///   - secondsMax: how long it waits while nothing arrives.
  ///   - mayLeadInside: whether a name on the internet may lead to this machine and its networks;
  ///     an address that itself names them, such as `http://localhost/` or `http://192.168.1.20/`,
  ///     always may.
  /// - Returns: The document on its way; nil if it is the same as before.
  /// - Throws: ``FeedDownloadError``. `badAddress` for what is no web address; `unreachable` if no
  ///   server answers, or it reports a fault. `refused` for a status of 400 to 499; `leadsInside`
  ///   if it would lead into this machine's networks. `cancelled` with the task.
  public static func start(
    _ address: URL, unless validators: FeedValidators = FeedValidators(), secondsMax: Int = 60,
    mayLeadInside: Bool = false
  ) async throws -> FeedDownload? {
    try await start(
      FeedRoute(address, mayLeadInside: mayLeadInside, in: .system), unless: validators, secondsMax,
      FeedTransfer.Limits())
  }

  static func start(
    _ route: FeedRoute, unless validators: FeedValidators, _ secondsMax: Int,
    _ limits: FeedTransfer.Limits
  ) async throws -> FeedDownload? {
    var route = route
    var request = URLRequest(url: route.address)
    request.timeoutInterval = Double(secondsMax)
    request.setValue(validators.entityTag, forHTTPHeaderField: "If-None-Match")
    request.setValue(validators.lastModified, forHTTPHeaderField: "If-Modified-Since")
    request.setValue(
      "application/atom+xml, application/rss+xml, application/gpx+xml, "
        + "application/vnd.google-earth.kml+xml, application/xml;q=0.9, */*;q=0.5",
      forHTTPHeaderField: "Accept")
    while true {
      let (answer, transfer) = try await begin(route.attempts(request), limits)
      do {
        if try route.follow(answer) {
          transfer.cancel()
          continue
        }
        if answer.statusCode == 304 {
          transfer.cancel()
          return nil
        }
        guard (200..<300).contains(answer.statusCode) else {
          throw FeedDownloadError(refusalOf: route.address, answer)
        }
        return FeedDownload(answer, transfer)
      } catch {
        transfer.cancel()
        throw error
      }
    }
  }

  /// The first of these that answers.
  private static func begin(
    _ attempts: [FeedRoute.Attempt], _ limits: FeedTransfer.Limits
  ) async throws -> (HTTPURLResponse, FeedTransfer) {
    for (index, attempt) in attempts.enumerated() {
      let transfer = FeedTransfer(attempt.request, of: attempt.address, limits)
      do {
        return (try await transfer.answer(), transfer)
      } catch let error as FeedDownloadError {
        transfer.cancel()
        guard error.code == .unreachable, index + 1 < attempts.count else { throw error }
      } catch {
        transfer.cancel()
        throw error
      }
    }
    throw FeedDownloadError(.unreachable, "There is no address to ask.")
  }

  /// Whether bytes have arrived that nobody has taken yet.
  public var hasBytesWaiting: Bool { transfer.hasBytesWaiting }

  /// Whether nothing more arrives.
  var isOver: Bool { transfer.isOver }

  /// Starts at the next piece; you can take a document once.
  public func makeAsyncIterator() -> Iterator { Iterator(download: self) }

  /// Goes through the pieces as they arrive.
  public struct Iterator: AsyncIteratorProtocol {
    let download: FeedDownload

    /// The next piece; nil at the document's end.
    ///
    /// - Throws: ``FeedDownloadError``: `brokenOff` if the answer ends too early, `tooLong` for
    ///   more than the limits, `cancelled` with the task.
    public mutating func next() async throws -> Data? { try await download.transfer.next() }
  }
}
