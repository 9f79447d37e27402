import ReunionSync

#if os(Linux)
  import ReunionSockets
#endif

/// A link to a server, which knows how the server answered where it let nobody in.
protocol ServerSocket: Link {
  /// The status of an answer that was no WebSocket, once the link is closed.
  var refusalStatus: Int? { get }
}

#if os(Linux)
  extension WebSocketLink: ServerSocket {}

  /// Opens a replica's links to servers: on Linux by libwebsockets, on one loop.
  final class LinkOpener: Sendable {
    private let loop: EventLoop

    /// - Throws: `EventLoopError` where the system has no room for a loop.
    init() throws { loop = try EventLoop() }

    /// A link that nobody has started yet.
    func link(to url: String, bearer: String) -> any ServerSocket {
      WebSocketLink(url: url, bearer: bearer, on: loop)
    }

    /// Ends every link that is left, and returns when they have ended.
    func close() { loop.stop() }
  }
#else
  /// Opens a replica's links to servers: elsewhere by the system's own WebSocket.
  final class LinkOpener: Sendable {
    init() throws {}

    /// A link that nobody has started yet.
    func link(to url: String, bearer: String) -> any ServerSocket {
      URLSessionLink(url: url, bearer: bearer)
    }

    /// Each link ends with its connection; nothing else is left to end.
    func close() {}
  }
#endif
