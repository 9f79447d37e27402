import ReunionCore
import ReunionSockets
import ReunionSync
import Testing
import Waiting

@testable import Reunion
@testable import ReunionServer

/// What somebody writes leaves before the pieces of a photo that wait, at a server and at a device.
@Suite struct BlobLaneTests {
  private static let count = 400
  private static let pieces = (0..<count).map { number in
    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Message.bytesSoftMax)
    let piece = BlobPiece(
      hash: BlobHash(of: []), byteCount: UInt64(count * bytes.count),
      offset: UInt64(number * bytes.count), bytes: bytes)
    return Message.blob(piece).encoded()
  }
  private static let text = Message.ping(7).encoded()

  @Test(arguments: [true, false])
  func `a text overtakes what waits of a photo, and no piece overtakes another`(
    _ serverSends: Bool
  ) throws {
    let connections = Log<WebSocketConnection>()
    let heard = Log<[UInt8]>()
    let hear: @Sendable (LinkEvent) -> Void = { event in
      if case .received(let bytes) = event { heard.append(bytes) }
    }
    let server = try HTTPServer(port: 0) { _ in
      .webSocket { connection in
        connection.start { if !serverSends { hear($0) } }
        connections.append(connection)
      }
    }
    let loop = try EventLoop()
    defer { loop.stop() }
    let link = WebSocketLink(url: "ws://127.0.0.1:\(server.port)/", on: loop)
    let opened = Log<Bool>()
    link.start { event in
      if case .opened = event { opened.append(true) }
      if serverSends { hear(event) }
    }
    #expect(connections.wait(for: 1) && opened.wait(for: 1))
    let connection = try #require(connections.all.first)
    let (sender, receiver): (any Link, any Link) =
      serverSends ? (connection, link) : (link, connection)

    receiver.pauseReceiving(true)
    for piece in Self.pieces { sender.send(piece) }
    let all = Self.pieces.reduce(0) { $0 + $1.count }
    try eventually("some pieces leave") { sender.queuedBlobBytes < all }
    // A push goes on where little but pieces waits.
    #expect(sender.queuedBytes == 0 && sender.queuedBlobBytes > 0)
    sender.send(Self.text)
    receiver.pauseReceiving(false)

    #expect(heard.wait(for: Self.count + 1))
    let place = try #require(heard.all.firstIndex(of: Self.text))
    // What the systems at both ends hold nothing overtakes; behind all pieces it would be the last.
    print("blobs: \(place) pieces before a text, \(serverSends)")
    #expect(place < 40, "\(place) pieces came first")
    #expect(heard.all.filter { $0 != Self.text } == Self.pieces)
  }
}
