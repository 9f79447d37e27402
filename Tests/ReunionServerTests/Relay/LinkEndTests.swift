import Glibc
import ReunionSockets
import ReunionSync
import Testing
import Waiting

@testable import Reunion
@testable import ReunionServer

/// How links end whose servers go away before they answered.
@Suite struct LinkEndTests {
  /// What a server does with a client that has asked.
  enum Leaving: CaseIterable, Sendable {
    case closes, closesUnread, resets, finishesWriting, answersHalf
  }

  /// A server that takes connections and answers none.
  struct Silence {
    let listener: ListeningSocket

    init() throws { listener = try ListeningSocket(address: "127.0.0.1", port: 0) }

    /// Waits for a client, and for its request.
    func accept(reading: Bool = true) throws -> Int32 {
      let client = try find("a client comes") { listener.accept()?.descriptor }
      _ = fcntl(client, F_SETFL, 0)
      var request: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      while !request.suffix(4).elementsEqual([13, 10, 13, 10]) {
        let flags = reading ? 0 : Int32(MSG_PEEK)
        let count = recv(client, &bytes, bytes.count, flags)
        if count <= 0 { break }
        request = (reading ? request : []) + bytes.prefix(count)
      }
      return client
    }

    func leave(_ client: Int32, _ leaving: Leaving) {
      switch leaving {
      case .closes, .closesUnread: break
      case .resets:
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
          client, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
      case .finishesWriting:
        shutdown(client, Int32(SHUT_WR))
        return
      case .answersHalf:
        let half = Array("HTTP/1.1 101 Switching".utf8)
        _ = send(client, half, half.count, Int32(MSG_NOSIGNAL))
      }
      close(client)
    }
  }

  private func link(_ loop: EventLoop, _ port: UInt16) -> (WebSocketLink, Log<LinkTrace>) {
    let log = Log<LinkTrace>()
    let link = WebSocketLink(url: "ws://127.0.0.1:\(port)/live", on: loop)
    link.start { log.append(LinkTrace($0)) }
    return (link, log)
  }

  @Test(arguments: Leaving.allCases)
  func `a link hears of a server that leaves before it answers`(_ leaving: Leaving) throws {
    let server = try Silence()
    let loop = try EventLoop()
    defer { loop.stop() }
    let (link, log) = link(loop, server.listener.port)
    let client = try server.accept(reading: leaving != .closesUnread)
    server.leave(client, leaving)
    #expect(log.wait { !$0.isEmpty })
    #expect(log.all.count == 1 && log.all.first?.failure?.mayRetry == true)
    if leaving == .finishesWriting { close(client) }
    link.close()
  }

  @Test(arguments: Leaving.allCases)
  func `a link that ended takes none of the later ones along`(_ leaving: Leaving) throws {
    let connections = Log<WebSocketConnection>()
    let house = try HTTPServer(port: 0) { _ in
      .webSocket { connection in
        connections.append(connection)
        connection.start { [weak connection] event in
          if case .received(let bytes) = event { connection?.send(bytes) }
        }
      }
    }
    let silence = try Silence()
    let loop = try EventLoop()
    defer { loop.stop() }
    let (early, _) = link(loop, silence.listener.port)
    silence.leave(try silence.accept(reading: leaving != .closesUnread), leaving)
    // The memory of the one that ended is likely to become that of the next.
    for _ in 0..<3 {
      let (late, log) = link(loop, house.port)
      #expect(log.wait { $0 == [.opened] })
      early.close()
      for count in 1...20 {
        late.send([UInt8(count)])
        #expect(log.wait { $0.last(where: \.isMessage) == .received([UInt8(count)]) })
      }
      late.close()
      #expect(log.wait { $0.last == .closed(nil) })
    }
  }

  @Test func `every link hears its end when its loop stops, however far it came`() throws {
    let connections = Log<WebSocketConnection>()
    let house = try HTTPServer(port: 0) { _ in
      .webSocket { connection in
        connections.append(connection)
        connection.start { _ in }
      }
    }
    let silence = try Silence()
    for delay in [0, 100, 1000, 5000] {
      let loop = try EventLoop()
      let links = (0..<8).map { link(loop, $0 % 2 == 0 ? house.port : silence.listener.port) }
      pause(
        for: .microseconds(delay), because: "the loop stops while its links have come any distance")
      for (index, link) in links.enumerated() where index % 4 > 1 { link.0.close() }
      loop.stop()
      for (_, log) in links {
        #expect(log.all.last?.isClosed == true && log.all.filter(\.isClosed).count == 1)
      }
    }
  }
}
