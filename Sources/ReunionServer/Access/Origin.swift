import Foundation

/// Where pages are: a scheme and a host, such as `https://notes.example` or
/// `http://192.168.1.20:8080`.
///
/// ```swift
/// let origin = try Origin(publicURL: "https://notes.example")
/// print(origin.link("SECRET", page: "start.html"))
/// // https://notes.example/start.html#join=SECRET
/// ```
public struct Origin: Sendable, Hashable, CustomStringConvertible {
  /// Whether a proxy in front of the server encrypts what goes there and back.
  public let isSecure: Bool
  /// The host; without a port if that is the scheme's own.
  public let host: HostAddress

  /// The origin at a host, over plain HTTP or TLS.
  public init(_ host: HostAddress, isSecure: Bool = false) {
    self.isSecure = isSecure
    self.host = host.without(port: isSecure ? 443 : 80)
  }

  /// Reads the address that a proxy gives a server.
  ///
  /// - Throws: `invalidOption`, with a sentence that names the remedy.
  public init(
    publicURL text: String, label: String = "--public-url"
  ) throws(ServerError) {
    guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
      scheme == "https" || scheme == "http", let name = url.encodedHost, !name.isEmpty,
      url.port.map({ (1...65_535).contains($0) }) ?? true
    else {
      throw ServerError(
        .invalidOption,
        "\(label) takes the address that people open, such as https://notes.example, not \(text)."
      )
    }
    guard ["", "/"].contains(url.path), url.query == nil, url.fragment == nil, url.user == nil,
      url.password == nil
    else {
      throw ServerError(
        .invalidOption,
        "\(label) takes only a scheme and a host, such as \(scheme)://\(name). Give the server a"
          + " name of its own, or a port: it cannot be below a path.")
    }
    let port = url.port.map { ":\($0)" } ?? ""
    self.init(HostAddress(name + port), isSecure: scheme == "https")
  }

  /// Whether a Host header names it.
  func isNamed(by header: String?) -> Bool {
    header.map { Origin(HostAddress($0), isSecure: isSecure) == self } ?? false
  }

  /// The link with which the bearer of a secret joins, on one of its pages: what an app gives to
  /// `Replica.space(joining:)`. The secret is behind the `#`, so that browsers send it to nobody.
  public func link(_ secret: String, page: String = "") -> String {
    "\(self)/\(page)#join=\(secret)"
  }

  /// As a browser writes it.
  public var description: String { "\(isSecure ? "https" : "http")://\(host)" }
}
