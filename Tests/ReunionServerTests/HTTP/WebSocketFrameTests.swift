import Glibc
import ReunionSync
import Testing

@testable import ReunionServer

extension RawClient {
  /// Opens a WebSocket and returns the status.
  @discardableResult
  func upgrade() -> Int {
    ask(
      get(
        "/live", "Authorization: Bearer key", "Upgrade: websocket",
        "Connection: keep-alive, Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"),
      hasBody: false
    ).status
  }

  /// The opcode and payload of the next frame of the server, which is short.
  func receiveFrame() -> (opcode: UInt8, payload: [UInt8])? {
    let header = receive(exactly: 2)
    guard header.count == 2 else { return nil }
    return (header[0] & 15, receive(exactly: Int(header[1] & 127)))
  }

  /// The code of the close frame that comes next.
  func receiveCloseCode() -> Int? {
    guard let frame = receiveFrame(), frame.opcode == 8, frame.payload.count >= 2 else {
      return nil
    }
    return Int(frame.payload[0]) << 8 | Int(frame.payload[1])
  }
}

/// A masked frame of a client.
private func frame(
  _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0
) -> [UInt8] {
  let mask: [UInt8] = [0x11, 0x22, 0x33, 0x44]
  let first = (isFinal ? 0x80 : 0) | reserved | opcode
  let count = payload.count
  let length: [UInt8] =
    switch count {
    case ..<126: [0x80 | UInt8(count)]
    case ..<65_536: [0x80 | 126, UInt8(count >> 8), UInt8(count & 255)]
    default: [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
  return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
}

@Suite struct WebSocketFrameTests {
  private func server() throws -> HTTPServer {
    try HTTPServer(port: 0) { _ in
      .webSocket { connection in
        connection.start { event in
          if case .received(let bytes) = event { connection.send(bytes) }
        }
      }
    }
  }

  private func events(_ chunks: [[UInt8]]) throws -> [WebSocketReader.Event] {
    var reader = WebSocketReader(messageBytesMax: 1 << 20)
    var events: [WebSocketReader.Event] = []
    for chunk in chunks {
      try chunk.withUnsafeBytes {
        try reader.read($0) {
          events.append($0)
          return true
        }
      }
    }
    return events
  }

  @Test func `reads fragments and control frames between them, cut at every byte`() throws {
    let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    let bytes =
      frame(2, [1, 2, 3], isFinal: false) + frame(9, [7]) + frame(0, [], isFinal: false)
      + frame(10, []) + frame(0, long) + frame(2, []) + frame(8, [3, 232])
    let expected: [WebSocketReader.Event] = [
      .ping([7]), .pong, .message([1, 2, 3] + long), .message([]), .close(1000),
    ]
    #expect(try events([bytes]) == expected)
    #expect(try events(bytes.map { [$0] }) == expected)
    for cut in bytes.indices {
      #expect(try events([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected)
    }
  }

  @Test(
    arguments: [
      ([0x82, 0x01, 0x00], 1002),  // unmasked
      (frame(2, [1], reserved: 0x40), 1002), (frame(3, []), 1002), (frame(11, []), 1002),
      (frame(0, [1]), 1002), (frame(2, [1], isFinal: false) + frame(2, [1]), 1002),
      (frame(9, [1], isFinal: false), 1002), (frame(9, [UInt8](repeating: 0, count: 126)), 1002),
      (frame(8, [1]), 1002), (frame(8, [0, 5]), 1002), (frame(8, [3, 237]), 1002),
      (frame(8, [3, 232, 0xff]), 1002), (frame(1, [104, 105]), 1003),
      // 125 and 65,535 bytes, in the form of longer ones
      ([0x82, 0xfe, 0, 125, 0, 0, 0, 0], 1002),
      ([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0], 1002),
      ([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0], 1009),  // 1 MiB and 1
      ([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], 1009),
    ] as [([UInt8], Int)])
  func `closes with the code that the RFC names, and lives`(_ bytes: [UInt8], _ code: Int) throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    #expect(client.upgrade() == 101)
    client.send(bytes)
    #expect(client.receiveCloseCode() == code)
    #expect(client.isEnded)
    let next = try RawClient(port: server.port)
    #expect(next.upgrade() == 101)
    next.send(frame(2, [42]))
    #expect(next.receiveFrame()?.payload == [42])
  }

  @Test func `takes each form of a length from its least on`() throws {
    for count in [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20] {
      let payload = [UInt8](repeating: 3, count: count)
      #expect(try events([frame(2, payload)]) == [.message(payload)])
    }
  }

  @Test func `adds up the lengths of fragments against the limit`() throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    client.upgrade()
    client.send(frame(2, [], isFinal: false))
    let part = [UInt8](repeating: 0, count: 65_000)
    for _ in 0..<16 { client.send(frame(0, part, isFinal: false)) }
    client.send(frame(0, part, isFinal: false))
    #expect(client.receiveCloseCode() == 1009)
  }

  @Test func `answers pings and closes, and takes what comes with the handshake`() throws {
    let server = try server()
    let client = try RawClient(port: server.port)
    let head = get(
      "/", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
    client.send(Array(head.utf8) + frame(2, [5]) + frame(9, [1, 2]))
    #expect(client.receiveAnswer(hasBody: false)["Sec-WebSocket-Accept"]?.isEmpty == false)
    var frames = [client.receiveFrame(), client.receiveFrame()].compactMap { $0 }
    frames.sort { $0.opcode < $1.opcode }
    #expect(frames.map(\.opcode) == [2, 10])
    #expect(frames.map(\.payload) == [[5], [1, 2]])
    client.send(frame(8, [3, 232]))
    #expect(client.receiveCloseCode() == 1000)
    #expect(client.isEnded)
  }

  @Test(arguments: [
    ["Upgrade: websocket"], [], ["Upgrade: h2c", "Connection: Upgrade"],
    [
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 8",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ],
    ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"],
  ])
  func `answers 426 to a request for something else`(_ fields: [String]) throws {
    let server = try server()
    let answer = try ask(server.port, request("GET", "/", fields))
    #expect(answer.status == 426)
    #expect(answer["Sec-WebSocket-Version"] == "13")
  }
}
