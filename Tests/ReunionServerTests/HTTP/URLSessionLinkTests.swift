import ReunionCore
import ReunionFlow
import ReunionSync
import Testing

@testable import Reunion
@testable import ReunionServer

/// The link over the system's WebSocket, with a socket that a test plays: which orders it gives, and what
/// it tells.
@Suite struct URLSessionLinkTests {
  /// What a link asks of its socket, and a way to report what a system would.
  private final class PlayedSocket: SystemSocket {
    enum Order: Equatable, Sendable {
      case open
      case receive
      case send([UInt8])
      case close(UInt16)
    }

    let orders = Log<Order>()
    private let report = Lock<(@Sendable (SystemSocketEvent) -> Void)?>(nil)

    func open(_ report: @escaping @Sendable (SystemSocketEvent) -> Void) {
      self.report.withLock { $0 = report }
      orders.append(.open)
    }
    func receive() { orders.append(.receive) }
    func send(_ message: [UInt8]) { orders.append(.send(message)) }
    func close(_ code: UInt16) { orders.append(.close(code)) }

    func say(_ events: SystemSocketEvent...) {
      let report = report.withLock { $0 }
      for event in events { report?(event) }
    }
  }

  private let socket = PlayedSocket()
  private let log = Log<LinkTrace>()

  private func link(_ url: String = "ws://notes.example:8080/sync") -> URLSessionLink {
    URLSessionLink(url: url) { [socket] in socket }
  }

  private func started() -> URLSessionLink {
    let link = link()
    link.start { [log] in log.append(LinkTrace($0)) }
    _ = socket.orders.wait { $0 == [.open] }
    return link
  }

  @Test func `messages leave one after the other, from when it is open, and it says when all have`()
  {
    let link = started()
    for byte in [1, 2, 3] as [UInt8] { link.send([byte, byte]) }
    #expect(link.queuedBytes == 6 && socket.orders.all == [.open])
    socket.say(.opened)
    #expect(socket.orders.wait { $0 == [.open, .receive, .send([1, 1])] })
    socket.say(.sent)
    #expect(socket.orders.wait { $0.last == .send([2, 2]) })
    #expect(link.queuedBytes == 4 && !log.all.contains(.drained))
    socket.say(.sent)
    #expect(socket.orders.wait { $0.last == .send([3, 3]) })
    socket.say(.sent)
    #expect(log.wait { $0 == [.opened, .drained] })
    link.send([4])
    #expect(socket.orders.wait { $0.last == .send([4]) })
    socket.say(.sent)
    #expect(log.wait { $0 == [.opened, .drained, .drained] })
    #expect(link.queuedBytes == 0)
  }

  @Test func `it asks for one message at a time, and for none while receiving is paused`() {
    let link = started()
    socket.say(.opened, .received([1]), .received([2]))
    #expect(log.wait { $0 == [.opened, .received([1]), .received([2])] })
    #expect(socket.orders.wait { $0 == [.open, .receive, .receive, .receive] })
    link.pauseReceiving(true)
    link.pauseReceiving(true)
    // What was asked for before may still come.
    socket.say(.received([3]))
    #expect(log.wait { $0.last == .received([3]) })
    link.send([9])
    #expect(socket.orders.wait { $0 == [.open, .receive, .receive, .receive, .send([9])] })
    link.pauseReceiving(false)
    link.pauseReceiving(false)
    link.close()
    #expect(socket.orders.wait { $0.last == .close(1000) })
    #expect(socket.orders.all.filter { $0 == .receive }.count == 4)
  }

  /// What the system reports of an open socket, the code that it is closed with, and how the link ends.
  private static let endings: [([SystemSocketEvent], UInt16, LinkFailure?)] = [
    ([.closing(1000)], 1000, nil),
    ([.ended(status: 101, reason: "reset")], 1000, failure("The connection to", "was lost.")),
    ([.closing(1001)], 1000, failure("The server at", "is going away.")),
    (
      [.closing(4401), .ended(status: 101, reason: "")], 1000,
      failure("The server at", "ended this membership: join again.", mayRetry: false)
    ),
    ([.closing(1012)], 1000, failure("The server at", "closed the connection (code 1012).")),
    (
      [.closing(1009)], 1000,
      failure("The server at", "closed the connection (code 1009).", mayRetry: false)
    ),
    (
      [.receivedText], 1003,
      LinkFailure("The server sent text instead of bytes.", mayRetry: false)
    ),
    (
      [.received([UInt8](repeating: 0, count: Message.bytesMax + 1))], 1009,
      LinkFailure("The server sent a message of more than 1 MiB.", mayRetry: false)
    ),
  ]

  private static func failure(
    _ start: String, _ end: String, mayRetry: Bool = true
  ) -> LinkFailure { LinkFailure("\(start) notes.example:8080 \(end)", mayRetry: mayRetry) }

  @Test(arguments: endings.indices)
  func `an open link ends once, with a sentence, and whether to try again`(index: Int) {
    let (events, code, failure) = Self.endings[index]
    let link = started()
    socket.say(.opened)
    for event in events { socket.say(event) }
    socket.say(.ended(status: 0, reason: "again"), .received([1]), .opened)
    #expect(log.wait { $0 == [.opened, .closed(failure)] })
    link.send([1])
    link.close()
    link.pauseReceiving(false)
    #expect(link.queuedBytes == 0 && link.refusalStatus == nil)
    #expect(socket.orders.wait { $0 == [.open, .receive, .close(code)] })
  }

  @Test(arguments: [
    (401, "", "The server at notes.example:8080 refused (401): join again.", false),
    (404, "", "The server at notes.example:8080 answered 404, not as a WebSocket.", true),
    (0, "no route", "The server at notes.example:8080 cannot be reached (no route).", true),
  ])
  func `a link that never opened says how the server answered`(
    status: Int, reason: String, sentence: String, mayRetry: Bool
  ) {
    let link = started()
    socket.say(.ended(status: status, reason: reason))
    #expect(log.wait { $0 == [.closed(LinkFailure(sentence, mayRetry: mayRetry))] })
    #expect(link.refusalStatus == (status == 0 ? nil : status))
  }

  @Test func `a message that is too long to send ends it`() {
    let link = started()
    socket.say(.opened)
    link.send([UInt8](repeating: 0, count: Message.bytesMax + 1))
    #expect(log.wait { $0.last?.failure?.description == "A message to send was over 1 MiB." })
    #expect(socket.orders.wait { $0 == [.open, .receive, .close(1009)] })
  }

  @Test func `it ends once where it is closed before it starts, before it opens, and twice`() {
    let early = link()
    early.close()
    early.start { [log] in log.append(LinkTrace($0)) }
    #expect(log.wait { $0 == [.closed(nil)] })
    #expect(socket.orders.all.isEmpty)
    let link = started()
    link.send([1])
    link.close()
    link.close()
    socket.say(.opened, .ended(status: 0, reason: "cancelled"))
    #expect(log.wait { $0 == [.closed(nil), .closed(nil)] })
    #expect(socket.orders.wait { $0 == [.open, .close(1000)] })
  }

  @Test func `what is no address of a WebSocket is said to be none`() {
    let link = link("http://notes.example")
    link.start { [log] in log.append(LinkTrace($0)) }
    #expect(log.wait { $0.last?.failure?.mayRetry == false })
    #expect(
      log.all.last?.failure?.description.contains("is not the address of a WebSocket") == true)
  }

  /// Debian's Foundation has `URLSessionWebSocketTask` and a libcurl that speaks no WebSocket.
  @Test func `over URLSession itself it echoes, or says that this system speaks no WebSocket`()
    throws
  {
    let server = try HTTPServer(port: 0) { _ in
      .webSocket { connection in
        connection.start { [weak connection] event in
          if case .received(let bytes) = event { connection?.send(bytes) }
        }
      }
    }
    defer { server.stop() }
    let link = URLSessionLink(url: "ws://127.0.0.1:\(server.port)/", bearer: "key")
    link.start { [log] in log.append(LinkTrace($0)) }
    link.send([1, 2, 3])
    #expect(log.wait { $0.last?.isMessage == true || $0.last?.isClosed == true })
    if log.all.first == .opened {
      #expect(log.all.filter { $0.isMessage } == [.received([1, 2, 3])])
      link.close()
      #expect(log.wait { $0.last == .closed(nil) })
    } else {
      let failure = try #require(log.all.first?.failure)
      #expect(failure.mayRetry && failure.description.contains("not supported by libcurl"))
      #expect(link.queuedBytes == 0 && log.all.count == 1)
    }
  }
}
