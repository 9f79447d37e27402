/// Where a WebSocket is: the parts of a `ws:` or `wss:` URL.
package struct WebSocketEndpoint: Sendable, Equatable {
  package let isSecure: Bool
  /// The name or address, without the brackets of IPv6.
  package let host: String
  package let port: Int
  /// The path with its query, beginning with a slash.
  package let path: String

  /// Reads `ws://host[:port][/path][?query]`; `nil` for anything else, user names and blanks
  /// included.
  package init?(_ url: String) {
    let scheme = ["ws://", "wss://"].first { url.lowercased().hasPrefix($0) }
    guard let scheme, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
    isSecure = scheme == "wss://"
    let rest = url.dropFirst(scheme.count).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let tail = rest[authority.endIndex...]
    path = tail.hasPrefix("/") ? String(tail) : "/" + tail
    var digits = Substring()
    if authority.hasPrefix("[") {
      guard let bracket = authority.firstIndex(of: "]") else { return nil }
      host = String(authority[authority.index(after: authority.startIndex)..<bracket])
      digits = authority[authority.index(after: bracket)...]
    } else {
      let name = authority.prefix { $0 != ":" }
      host = String(name)
      digits = authority[name.endIndex...]
    }
    guard !host.isEmpty, !host.contains("@"), !digits.contains("@") else { return nil }
    if digits.isEmpty {
      port = isSecure ? 443 : 80
    } else {
      guard digits.hasPrefix(":"), let number = UInt16(digits.dropFirst()), number > 0 else {
        return nil
      }
      port = Int(number)
    }
  }

  /// What the Host field says.
  package var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }
}
