import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The addresses that a download goes through, from the one that a person named on.
///
/// What is on the internet leads nowhere inside: not by a redirect, and not by a name that is given
/// another address. A server of `https` has shown that the name is its own before it hears anything;
/// for `http` the connection goes to the address that was looked at.
struct FeedRoute {
  /// A request, and the address to which it goes.
  struct Attempt {
    let request: URLRequest
    let address: URL
  }

  static let redirectsMax = 5
  /// At most this many addresses of one host are tried.
  private static let addressesMax = 3

  private(set) var address: URL
  private let network: FeedNetwork
  private let mayLeadInside: Bool
  /// Whether a person named an address of one link.
  private let isNamedOnLink: Bool
  private var redirectCount = 0

  /// Begins at an address; one that names the inside, or is `allowed` to, may lead there.
  init(
    _ address: URL, mayLeadInside isAllowed: Bool, in network: FeedNetwork
  ) throws(FeedDownloadError) {
    self.address = address
    self.network = network
    isNamedOnLink = NetworkAddress(address.host() ?? "")?.isLinkLocal ?? false
    mayLeadInside = isAllowed || FeedNetwork.isNamedInside(address.host() ?? "")
    try Self.check(address)
  }

  private static func check(_ address: URL) throws(FeedDownloadError) {
    guard ["http", "https"].contains(address.scheme?.lowercased()),
      address.host()?.isEmpty == false
    else {
      throw FeedDownloadError(.badAddress, "\(address) is not an http or https address.")
    }
  }

  /// The same request at the place to which an answer redirects; false where it does not.
  mutating func follow(_ answer: HTTPURLResponse) throws(FeedDownloadError) -> Bool {
    guard [301, 302, 303, 307, 308].contains(answer.statusCode),
      let place = answer.value(forHTTPHeaderField: "Location")
    else { return false }
    redirectCount += 1
    guard redirectCount <= Self.redirectsMax else {
      throw FeedDownloadError(
        .unreachable, "\(name) redirects more than \(Self.redirectsMax) times: check the address.")
    }
    guard let next = URL(string: place, relativeTo: address)?.absoluteURL else {
      throw FeedDownloadError(.badAddress, "\(name) redirects to something that is not an address.")
    }
    do {
      try Self.check(next)
    } catch {
      throw FeedDownloadError(
        .badAddress, "\(name) redirects to \(next), which is not an http or https address.")
    }
    address = next
    return true
  }

  /// What to ask there, in the order in which to try it; each goes where the route may lead.
  func attempts(_ request: URLRequest) async throws(FeedDownloadError) -> [Attempt] {
    var request = request
    request.url = address
    let named = [Attempt(request: request, address: address)]
    guard let host = address.host() else { return named }
    if mayLeadInside {
      try await requireMeant(host)
      return named
    }
    if let number = NetworkAddress(host) {
      try requireOutside([number], host)
      return named
    }
    if network.hasProxy {
      guard !FeedNetwork.isNamedInside(host) else { throw Self.leadsInside(host, "its own name") }
      return named
    }
    let found = await network.resolve(host)
    try requireOutside(found, host)
    guard address.scheme?.lowercased() == "http", !found.isEmpty else { return named }
    return found.prefix(Self.addressesMax).compactMap { pinned(request, to: $0) }
  }

  /// Throws where a redirect leads to an address of one link, which nobody means who names a feed inside.
  private func requireMeant(_ host: String) async throws(FeedDownloadError) {
    guard redirectCount > 0, !isNamedOnLink else { return }
    let found =
      if let number = NetworkAddress(host) { [number] } else { await network.resolve(host) }
    guard let place = found.first(where: \.isLinkLocal) else { return }
    throw FeedDownloadError(
      .leadsInside,
      "The feed redirects to \(place), which only this machine's own link can reach. If you mean it, give"
        + " that address.")
  }

  private func requireOutside(
    _ addresses: [NetworkAddress], _ host: String
  ) throws(FeedDownloadError) {
    guard let inside = addresses.first(where: network.isInside) else { return }
    throw Self.leadsInside(host, "\(inside)")
  }

  private static func leadsInside(_ host: String, _ inside: String) -> FeedDownloadError {
    FeedDownloadError(
      .leadsInside,
      "\(host) leads to \(inside) in this machine's network, which an address on the internet may not "
        + "reach. If you mean it, allow it (--inside).")
  }

  /// The request to one address of its host, so that nobody gives the name another one meanwhile.
  private func pinned(_ request: URLRequest, to place: NetworkAddress) -> Attempt? {
    guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: true),
      let host = parts.percentEncodedHost
    else { return nil }
    var pinned = request
    pinned.setValue(parts.port.map { "\(host):\($0)" } ?? host, forHTTPHeaderField: "Host")
    parts.percentEncodedHost = "\(place)"
    pinned.url = parts.url
    return parts.url.map { _ in Attempt(request: pinned, address: address) }
  }

  private var name: String { address.host() ?? "The server" }
}
