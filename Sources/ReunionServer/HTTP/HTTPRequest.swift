/// What a client asks: the head of a request, without its body.
public struct HTTPRequest: Sendable, Equatable {
  /// The methods that the server knows; any other gets 501.
  public enum Method: String, Sendable, CaseIterable {
    /// Read.
    case get = "GET"
    /// Read only the head.
    case head = "HEAD"
    /// Hand something over.
    case post = "POST"
    /// Store at this path.
    case put = "PUT"
    /// Change, or append to an upload.
    case patch = "PATCH"
    /// Remove.
    case delete = "DELETE"
    /// Ask what is allowed.
    case options = "OPTIONS"
  }

  /// The method.
  public let method: Method
  /// Which resource.
  public let path: RequestPath
  /// All header fields.
  public let headers: HTTPHeaders
  /// The length of the body; `nil` if the request has none.
  public let contentLength: UInt64?
  /// The numeric address of the client, without its port; the peer's, until a known proxy has named
  /// the client's.
  public internal(set) var remoteAddress: String
  /// True where the client keeps the connection for more requests.
  let keepsAlive: Bool
  let isHTTP11: Bool

  /// A request of a client that is in one process with its server.
  package init(
    _ method: Method, _ path: RequestPath, _ headers: HTTPHeaders = [:], bodyBytes: UInt64? = nil,
    from remoteAddress: String
  ) {
    self.init(
      method: method, path: path, headers: headers, contentLength: bodyBytes,
      remoteAddress: remoteAddress, keepsAlive: true, isHTTP11: true)
  }

  init(
    method: Method, path: RequestPath, headers: HTTPHeaders, contentLength: UInt64?,
    remoteAddress: String, keepsAlive: Bool, isHTTP11: Bool
  ) {
    (self.method, self.path, self.headers) = (method, path, headers)
    self.contentLength = contentLength
    self.remoteAddress = remoteAddress
    (self.keepsAlive, self.isHTTP11) = (keepsAlive, isHTTP11)
  }

  /// The value of a header field, by a name in any case.
  public func header(_ name: String) -> String? { headers[name] }

  /// True where the client waits for a go-ahead before it sends the body.
  var expectsContinue: Bool { isHTTP11 && headers.tokens("Expect").contains("100-continue") }
}
