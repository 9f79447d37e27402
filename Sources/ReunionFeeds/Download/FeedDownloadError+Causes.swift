import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FeedDownloadError {
  /// What a status means that is none of success.
  init(refusalOf address: URL, _ answer: HTTPURLResponse) {
    let status = answer.statusCode
    let seconds = answer.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
    let meaning =
      switch status {
      case 404, 410: "There is nothing at \(address): check the address"
      case 401, 402, 403, 407: "The server does not give out \(address)"
      case 429: "The server of \(address) gets too many requests: try again later"
      case 500...: "The server of \(address) reports a fault: try again later"
      default: "The server does not answer for \(address): check the address"
      }
    self.init(
      status >= 500 ? .unreachable : .refused, "\(meaning) (status \(status)).", status: status,
      retryAfterSeconds: seconds)
  }

  /// What the end of a session with a host means, before or after its answer began.
  init(_ error: any Error, of host: String, hasBegun: Bool) {
    let error = error as? URLError
    if error?.code == .cancelled {
      self.init(.cancelled, "The download was cancelled.")
    } else if hasBegun {
      self.init(.brokenOff, "The download broke off.")
    } else {
      self.init(.unreachable, Self.meaning(error, host))
    }
  }

  private static func meaning(_ error: URLError?, _ host: String) -> String {
    switch error?.code {
    case .cannotFindHost?, .dnsLookupFailed?:
      "\(host) is not known: check the address, and whether this machine is online."
    case .notConnectedToInternet?: "This machine is offline."
    case .timedOut?: "\(host) did not answer in time: try again later."
    case .httpTooManyRedirects?: "\(host) redirects in circles: check the address."
    case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
      .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?:
      "\(host) has no secure connection that can be trusted: check the address and the clock."
    case .badServerResponse?, .cannotParseResponse?:
      "\(host) does not answer in HTTP: check the address."
    default: "\(host) cannot be reached: check the address, or try again later."
    }
  }
}
