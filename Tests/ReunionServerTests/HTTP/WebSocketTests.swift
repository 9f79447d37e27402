import Glibc
import ReunionSockets
import ReunionSync
import Testing
import Waiting

@testable import Reunion
@testable import ReunionServer

/// A comparable trace of link events.
enum LinkTrace: Equatable, Sendable {
  case opened
  case received([UInt8])
  case drained
  case closed(LinkFailure?)

  init(_ event: LinkEvent) {
    switch event {
    case .opened: self = .opened
    case .received(let bytes): self = .received(bytes)
    case .drained: self = .drained
    case .closed(let failure): self = .closed(failure)
    }
  }

  var isMessage: Bool { if case .received = self { true } else { false } }
  var isClosed: Bool { if case .closed = self { true } else { false } }
  var failure: LinkFailure? { if case .closed(let failure) = self { failure } else { nil } }
}

@Suite struct WebSocketTests {
  private let serverLog = Log<LinkTrace>()
  private let connections = Log<WebSocketConnection>()

  private func server(echoes: Bool = true, limits: HTTPLimits = HTTPLimits()) throws -> HTTPServer {
    try HTTPServer(port: 0, limits: limits) { [serverLog, connections] request in
      guard request.header("Authorization") == "Bearer key" else {
        return .respond(.text(request.path.components == ["forbidden"] ? 403 : 401, "No."))
      }
      return .webSocket { connection in
        connections.append(connection)
        connection.start { [weak connection] event in
          serverLog.append(LinkTrace(event))
          if echoes, case .received(let bytes) = event { connection?.send(bytes) }
        }
      }
    }
  }

  private func link(
    _ loop: EventLoop, _ port: UInt16, path: String = "/live", bearer: String? = "key"
  ) -> (WebSocketLink, Log<LinkTrace>) {
    let log = Log<LinkTrace>()
    let link = WebSocketLink(url: "ws://127.0.0.1:\(port)\(path)", bearer: bearer, on: loop)
    link.start { log.append(LinkTrace($0)) }
    return (link, log)
  }

  @Test func `echoes messages of every size up to 1 MiB`() throws {
    let server = try server()
    let loop = try EventLoop()
    defer { loop.stop() }
    let (link, log) = link(loop, server.port)
    let sizes = [0, 1, 2, 3, 125, 126, 127, 4096, 65_535, 65_536, 131_073, 700_000, 1 << 20]
    for size in sizes { link.send((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ size) }) }
    #expect(log.wait { $0.filter(\.isMessage).count == sizes.count })
    let expected = sizes.map { size in
      LinkTrace.received((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ size) })
    }
    #expect(log.all.filter(\.isMessage) == expected)
    #expect(log.all.first == .opened)
    #expect(log.wait { $0.contains(.drained) })
    #expect(link.queuedBytes == 0)
    link.close()
    #expect(log.wait { $0.last == .closed(nil) })
    #expect(serverLog.wait { $0.last?.isClosed == true })
    #expect(serverLog.all.last?.failure == nil)
  }

  @Test func `carries many messages in order with back-pressure`() throws {
    let server = try server()
    let loop = try EventLoop()
    defer { loop.stop() }
    let (link, log) = link(loop, server.port)
    let count = 20_000
    for index in 0..<count {
      link.send(
        [9, UInt8(index & 255), UInt8(index >> 8)] + [UInt8](repeating: 9, count: index & 127))
      try eventually("the link sends what waits", every: .microseconds(500)) {
        link.queuedBytes <= 256 << 10
      }
    }
    #expect(log.wait { $0.filter(\.isMessage).count == count })
    let isInOrder = log.all.filter(\.isMessage).enumerated().allSatisfy { index, trace in
      guard case .received(let bytes) = trace else { return false }
      return bytes.count == 3 + index & 127 && Int(bytes[1]) | Int(bytes[2]) << 8 == index
    }
    #expect(isInOrder)
    link.close()
  }

  @Test func `tells a link that was refused not to try again`() throws {
    let server = try server()
    let loop = try EventLoop()
    defer { loop.stop() }
    for (path, status) in [("/live", "401"), ("/forbidden", "403")] {
      let (_, log) = link(loop, server.port, path: path, bearer: "wrong")
      #expect(log.wait(for: 1))
      #expect(log.all.last?.failure?.mayRetry == false)
      #expect(log.all.last?.failure?.description.contains(status) == true)
    }
  }

  @Test func `tells a link to try again where nobody listens`() throws {
    let server = try server()
    server.stop()
    let loop = try EventLoop()
    defer { loop.stop() }
    let (_, log) = link(loop, server.port)
    #expect(log.wait(for: 1))
    #expect(log.all.last?.failure?.mayRetry == true)
    #expect(
      log.all.last?.failure?.description
        == "The server at 127.0.0.1:\(server.port) cannot be reached.")
  }

  @Test func `a link that closes before it opened reports the end once`() throws {
    let server = try server()
    let loop = try EventLoop()
    defer { loop.stop() }
    for _ in 0..<50 {
      let (link, log) = link(loop, server.port)
      link.close()
      #expect(log.wait { $0.last?.isClosed == true })
      #expect(log.all.filter(\.isClosed) == [.closed(nil)])
    }
  }

  @Test func `a stopping server says that it goes away`() throws {
    let server = try server()
    let loop = try EventLoop()
    defer { loop.stop() }
    let (_, log) = link(loop, server.port)
    #expect(log.wait { $0 == [.opened] })
    server.stop()
    #expect(log.wait { $0.last?.isClosed == true })
    #expect(log.all.last?.failure?.description.contains("going away") == true)
    #expect(log.all.last?.failure?.mayRetry == true)
  }

  @Test func `a revoked link hears 4401 and does not try again`() throws {
    let server = try server()
    let loop = try EventLoop()
    defer { loop.stop() }
    let (_, log) = link(loop, server.port)
    #expect(connections.wait(for: 1))
    connections.all.first?.send([1, 2, 3])
    connections.all.first?.close(code: 4401, reason: "revoked")
    #expect(log.wait { $0.last?.isClosed == true })
    #expect(log.all.contains(.received([1, 2, 3])))
    #expect(log.all.last?.failure?.mayRetry == false)
  }

  @Test func `only a message that cannot be taken and a revoked membership are final`() throws {
    let server = try server()
    let loop = try EventLoop()
    defer { loop.stop() }
    let codes: [(UInt16, Bool)] = [
      (1011, true), (1012, true), (1013, true), (3000, true), (4500, true), (1003, false),
      (1007, false), (1009, false), (4401, false),
    ]
    for (index, (code, mayRetry)) in codes.enumerated() {
      let (_, log) = link(loop, server.port)
      #expect(connections.wait(for: index + 1))
      connections.all.last?.close(code: code, reason: "")
      #expect(log.wait { $0.last?.isClosed == true })
      #expect(log.all.last?.failure?.mayRetry == mayRetry, "\(code)")
    }
  }

  @Test func `both sides hear of a link whose loop stops`() throws {
    let server = try server()
    let loop = try EventLoop()
    let (_, log) = link(loop, server.port)
    #expect(log.wait { $0 == [.opened] })
    loop.stop()
    #expect(log.all.last?.isClosed == true)
    #expect(serverLog.wait { $0.last?.isClosed == true })
  }

  /// A message may come just when the loop has found nothing left to write, and asks for no turn itself.
  @Test func `what is sent just as the last message leaves follows it`() throws {
    let server = try server(echoes: false)
    let loop = try EventLoop()
    defer { loop.stop() }
    let (link, log) = link(loop, server.port)
    #expect(connections.wait(for: 1) && log.wait(for: 1))
    let connection = try #require(connections.all.first)
    let count = 4_000
    for number in 0..<count {
      connection.send([UInt8(truncatingIfNeeded: number)])
      let end = ContinuousClock.now + .seconds(60)
      while connection.queuedBytes > 0, ContinuousClock.now < end { sched_yield() }
      try #require(connection.queuedBytes == 0, "Message \(number) does not leave.")
      // Later by a little more each time: somewhere in between the loop looks for the last time.
      for _ in 0..<(number % 128) { _ = connection.queuedBytes }
    }
    #expect(log.wait { $0.count { $0.isMessage } == count })
    link.close()
  }

  @Test func `closes a client that reads nothing with the queue bounded`() throws {
    let server = try server(echoes: false)
    let client = try RawClient(port: server.port, receiveBufferBytes: 4096)
    client.upgrade()
    #expect(connections.wait(for: 1))
    let connection = try #require(connections.all.first)
    for _ in 0..<40 { connection.send([UInt8](repeating: 1, count: 1 << 20)) }
    #expect(serverLog.wait { $0.last?.isClosed == true })
    #expect(serverLog.all.last?.failure?.description.contains("slowly") == true)
    #expect(connection.queuedBytes == 0)
  }
}
