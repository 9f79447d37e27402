import CWebSockets

/// The answer to a request for a WebSocket.
///
/// *Source*: RFC 6455 section 4.2.
enum WebSocketHandshake {
  /// The whole 101 answer; `nil` where the request asks for no WebSocket of version 13.
  static func answer(_ request: HTTPRequest) -> [UInt8]? {
    guard request.method == .get, request.isHTTP11,
      request.asksForWebSocket,
      request.headers.tokens("Connection").contains("upgrade"),
      request.header("Sec-WebSocket-Version") == "13",
      let key = request.header("Sec-WebSocket-Key"), key.utf8.count == 24,
      let accept = accept(key)
    else { return nil }
    let headers: HTTPHeaders = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
    ]
    return HTTPResponseHead.encode(101, headers, length: nil, keepsAlive: true)
  }

  static let refusal = HTTPResponse.error(
    426, "This address is a WebSocket: ask for an upgrade, with version 13."
  )
  .with("Upgrade", "websocket").with("Connection", "Upgrade").with("Sec-WebSocket-Version", "13")

  static func accept(_ key: String) -> String? {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    lws_SHA1(text, text.count, &digest)
    var encoded = [CChar](repeating: 0, count: 32)
    let count = digest.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        lws_b64_encode_string($0.baseAddress, 20, &encoded, Int32(encoded.count))
      }
    }
    guard count == 28 else { return nil }
    return String(decoding: encoded.prefix(28).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
