import ReunionCore

/// The cookie that holds a browser's token.
///
/// Over TLS it is a `__Host-` cookie: no page of plain HTTP, and none of a name beside or above this one,
/// can set or read it. The plain one counts for nothing there: it may have been read, or be somebody
/// else's.
struct SessionCookie: Sendable {
  /// How long a browser keeps it; longer than a membership lasts without use, so that who comes back is
  /// known.
  static let secondsMax = 365 * 86_400

  private let name: String
  private let isSecure: Bool

  init(of space: SpaceID, isSecure: Bool) {
    name = "\(isSecure ? "__Host-" : "")reunion-\(space.description.prefix(8))"
    self.isSecure = isSecure
  }

  /// The token that a request brings.
  func token(of request: HTTPRequest) -> String? { request.cookie(name) }

  /// What has the browser keep a token.
  func keeping(_ token: String) -> String { setting(token, Self.secondsMax) }

  /// What has the browser forget it.
  var forgetting: String { setting("", 0) }

  private func setting(_ token: String, _ seconds: Int) -> String {
    "\(name)=\(token); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
      + (isSecure ? "; Secure" : "")
  }
}
