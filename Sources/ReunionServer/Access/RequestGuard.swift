import Foundation

/// Refuses requests that another site's page makes a browser send.
///
/// A page of another origin can send requests here, and by DNS rebinding even read the answers under
/// its own name. So the Host must be a name that this server goes by, and an Origin must be the
/// Host's own.
struct RequestGuard: Sendable {
  /// Where people reach the server through a proxy.
  let publicOrigin: Origin?
  /// Names that the server goes by, beside numeric addresses and localhost.
  let names: Set<String>

  init(names: [String], publicOrigin: Origin? = nil) {
    self.publicOrigin = publicOrigin
    var own = Set(names.map { $0.lowercased() })
    let host = ProcessInfo.processInfo.hostName.lowercased()
    own.formUnion(["localhost", host, "\(host).local"])
    self.names = own
  }

  /// Why the request is refused, or nil.
  func refusal(of request: HTTPRequest) -> String? {
    guard let host = request.header("Host"), isOwn(HostAddress(host)) else {
      return "This server does not go by that name. Use its address, or start it with HOST=."
    }
    // No browser sends two. If another client does, each one must be this server's.
    let foreign = request.headers.all("Origin").first { !isOwn($0, at: host) }
    if let origin = foreign, request.method != .get || request.asksForWebSocket {
      return origin == publicOrigin?.description
        ? "The proxy changed the Host header. Have it pass on the one that it gets: docs/hosting.md."
        : "A page of another site may not do this. Open this server's own page."
    }
    return nil
  }

  /// Whether a request came over TLS, by the name that the proxy has.
  func isSecure(_ request: HTTPRequest) -> Bool {
    publicOrigin.map { $0.isSecure && $0.isNamed(by: request.header("Host")) } ?? false
  }

  private func isOwn(_ origin: String, at host: String) -> Bool {
    if let publicOrigin, publicOrigin.isNamed(by: host) {
      return origin == publicOrigin.description
    }
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  private func isOwn(_ host: HostAddress) -> Bool { names.contains(host.name) || host.isNumeric }
}

extension HTTPRequest {
  /// Whether the client asks for a WebSocket, perhaps among other things (RFC 9110 §7.8).
  var asksForWebSocket: Bool { headers.tokens("Upgrade").contains("websocket") }

  /// The value of a cookie.
  func cookie(_ name: String) -> String? {
    for header in headers.all("Cookie") {
      for part in header.split(separator: ";") {
        let pair = part.split(separator: "=", maxSplits: 1)
        if pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces) == name {
          return String(pair[1])
        }
      }
    }
    return nil
  }

  /// The token of `Authorization: Bearer`.
  var bearer: String? {
    guard let value = header("Authorization"), value.hasPrefix("Bearer ") else { return nil }
    return String(value.dropFirst("Bearer ".count))
  }
}
