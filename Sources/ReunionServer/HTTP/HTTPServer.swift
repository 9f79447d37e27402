import ReunionFlow
import Dispatch
import ReunionSockets

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An HTTP/1.1 and WebSocket server on its own thread.
///
/// One closure decides about every request once its head is complete. It runs on the server's
/// thread, so it must not wait: use `HTTPAnswer.later` or `.receive` for what takes longer.
///
/// ```swift
/// let server = try HTTPServer(address: "127.0.0.1", port: 8080) { request in
///   .respond(.text(200, "Hello from \(request.path.raw)\n"))
/// }
/// ```
///
/// *Thread*: any. *Limits*: `HTTPLimits`; a head of 16 KiB with a first line of 8 KiB and 100 fields;
/// WebSocket messages of 1 MiB. Plain HTTP: TLS and HTTP/2 come from a proxy in front.
public final class HTTPServer: Sendable {
  /// The address that it listens on, as it was given.
  public let address: String
  /// The port that it listens on.
  public let port: UInt16
  private let loop: EventLoop
  private let core: LoopBound<HTTPServerCore>
  private let isStopped = Lock(false)

  /// Starts to listen, and returns once it serves clients.
  ///
  /// - Parameters:
  ///   - address: a numeric address of this machine, and only that one; `0.0.0.0` is every IPv4
  ///     address, `::` is every address.
  ///   - port: the port; 0 takes a free one.
  ///   - limits: how long clients may take.
  ///   - handler: decides about a request, on the server's thread.
  /// - Throws: `ServerError` if the port is in use, the address is not this machine's, a privilege is
  ///   missing, or the system has no room.
  public convenience init(
    address: String = "127.0.0.1", port: UInt16, limits: HTTPLimits = HTTPLimits(),
    handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
  ) throws(ServerError) {
    try self.init(
      ListeningSocket(address: address, port: port), limits: limits, handler: handler)
  }

  /// Serves a socket that listens already, and returns once it serves clients. Every answer to a
  /// request has the fields that `always` gives for it.
  public init(
    _ listener: ListeningSocket, limits: HTTPLimits = HTTPLimits(),
    always: @escaping @Sendable (HTTPRequest) -> HTTPHeaders = { _ in [:] },
    handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
  ) throws(ServerError) {
    Self.raiseDescriptorLimit()
    do {
      loop = try EventLoop()
    } catch {
      throw ServerError(.noResources, error.description)
    }
    address = listener.address
    port = listener.port
    core = LoopBound(
      HTTPServerCore(listener, on: loop, limits: limits, always: always, handler: handler), on: loop
    )
    loop.execute { [core] in core.value.start() }
  }

  deinit { stop() }

  /// Stops listening, closes WebSockets with 1001, lets answers that are under way finish within
  /// `HTTPLimits.stopTimeout`, closes the rest, and returns when the thread has ended.
  ///
  /// Stopping twice is fine. Called on the server's own thread it returns at once.
  public func stop() {
    let isFirst = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    guard isFirst else { return }
    if loop.isCurrent {
      core.value.stop { [loop] in loop.stop() }
      return
    }
    let done = DispatchSemaphore(value: 0)
    loop.execute { [core] in core.value.stop { done.signal() } }
    done.wait()
    loop.stop()
  }

  /// Lets the process hold as many sockets as the system allows, up to 65,536.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = min(limit.rlim_max, 65_536)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
