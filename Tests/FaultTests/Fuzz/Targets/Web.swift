import Foundation
import ReunionCore
import ReunionStore

@testable import Reunion
@testable import ReunionServer

/// What comes over a socket from anybody: heads, frames, links.
extension FuzzTarget {
  static let heads = [
    "GET / HTTP/1.1\r\nHost: 192.168.1.20:8080\r\n\r\n",
    "GET /renditions/00ff/2048/0a0b?name=a%20b.jpg&x=+ HTTP/1.1\r\nHost: localhost\r\n"
      + "Range: bytes=100-200\r\nIf-None-Match: W/\"a\", \"b\"\r\nCookie: reunion-0=abc; b=c\r\n\r\n",
    "POST /join HTTP/1.1\r\nHost: a.local\r\nOrigin: http://a.local\r\n"
      + "Content-Type: application/json\r\nContent-Length: 19\r\nExpect: 100-continue\r\n\r\n"
      + "{\"invite\":\"secret\"}",
    "PATCH /uploads/abc HTTP/1.1\r\nHost: [fe80::1%25eth0]:80\r\nUpload-Offset: 7\r\n"
      + "Authorization: Bearer token\r\nContent-Length: 5\r\n\r\nbytes",
    "POST /uploads?use=preview HTTP/1.1\r\nHost: x\r\nUpload-Length: 9\r\n"
      + "Repr-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\r\n"
      + "Content-Length: 0\r\n\r\n",
    "GET /sync?space=0 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
      + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  ]
  static let fields = [
    "\r\n", "\r\n\r\n", "\r", "\n", " ", "\t", ":", "%", "%00", "%2e%2e%2f", "..", "//", "\u{0}",
    "Host: ", "Content-Length: ", "Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n",
    "Range: bytes=", "-", "HTTP/1.0", "DELETE ", "HEAD ", "é", "\u{feff}", "=:", "?", "#", ",",
    "\"",
    "Connection: close\r\n", "Expect: 100-continue\r\n",
  ]

  static let httpHeads = FuzzTarget(
    name: "http-heads", inputsInFull: 800_000, bytesMax: 20 << 10, words: fields,
    samples: { heads.map { [UInt8]($0) } }
  ) {
    let guardian = RequestGuard(names: ["a.local"])
    return { bytes in
      guard case .request(let request, let count) = HTTPRequestReader.read(bytes, from: "::1")
      else {
        return
      }
      try require(count <= bytes.count, "A head of \(count) bytes in \(bytes.count).")
      _ = guardian.refusal(of: request)
      _ = Route(request.method, request.path.components)
      _ = (request.cookie("reunion-0"), request.bearer, request.expectsContinue)
      _ = WebSocketHandshake.answer(request)
      _ = request.header("Repr-Digest").flatMap(Uploads.hash)
      _ = HostAddress(request.header("Host") ?? "")
      _ = ContentDisposition.attachment(request.path.query("name") ?? "")
      for size: UInt64 in [0, 1, 1_000, .max] {
        guard case .part(let range) = ByteRange(request.header("Range"), of: size) else { continue }
        try require(range.upperBound <= size && !range.isEmpty, "\(range) of \(size) bytes.")
      }
      for part in request.path.components {
        try require(
          !part.isEmpty && part != "." && part != ".." && !part.contains("/")
            && !part.utf8.contains(0), "A path leads elsewhere: \(request.path.raw)")
      }
    }
  }

  static let webSocketFrames = FuzzTarget(
    name: "websocket-frames", inputsInFull: 800_000,
    samples: {
      let long = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
      return [
        frame(2, [1, 2, 3]), frame(2, long), frame(2, [UInt8](repeating: 7, count: 70_000)),
        frame(2, [1], isFinal: false) + frame(9, [7]) + frame(0, long, isFinal: false)
          + frame(0, [2]) + frame(8, [3, 232] + [UInt8]("bye")),
        frame(10, []) + frame(8, []),
      ]
    }
  ) {
    { bytes in
      // In pieces, as a socket brings them; whatever the pieces, the events are the same.
      let whole = events(bytes, pieces: bytes.count)
      let some = events(bytes, pieces: 1 + bytes.count / 3)
      try require(whole == some, "Pieces read otherwise than the whole.")
      try require(!whole.contains("too long"), "A message is over the limit.")
    }
  }

  private static func events(_ bytes: [UInt8], pieces: Int) -> [String] {
    let limit = 100_000
    var reader = WebSocketReader(messageBytesMax: limit)
    var events: [String] = []
    var at = 0
    do {
      while at < bytes.count {
        let end = min(bytes.count, at + max(1, pieces))
        try bytes[at..<end].withUnsafeBytes {
          try reader.read($0) {
            guard case .message(let message) = $0 else {
              events.append("\($0)")
              return true
            }
            events.append("\(message.count) bytes, \(message.hashValue)")
            if message.count > limit { events.append("too long") }
            return true
          }
        }
        at = end
      }
    } catch {
      events.append("\(error)")
    }
    return events
  }

  static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    let mask: [UInt8] = [0x11, 0x22, 0x33, 0x44]
    let count = payload.count
    let length: [UInt8] =
      switch count {
      case ..<126: [0x80 | UInt8(count)]
      case ..<65_536: [0x80 | 126, UInt8(count >> 8), UInt8(count & 255)]
      default: [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
      }
    return [(isFinal ? 0x80 : 0) | opcode] + length + mask
      + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  /// Links that somebody sent, and codes that somebody printed.
  static let links = FuzzTarget(
    name: "links", inputsInFull: 250_000, bytesMax: 4 << 10,
    words: ["http://", "https://", "#join=", "[", "]", "%", ":", "@", "//", "\u{0}", "🦊", "xn--"],
    samples: {
      [
        "http://192.168.1.20:8080/#join=SECRET", "https://[2001:db8::1]/#join=a=b",
        "HTTP://user:pass@Example.com:80/path?x#join=x", "[fe80::1%25eth0]:8080", "localhost:1",
      ].map { [UInt8]($0) }
    }
  ) {
    { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      let host = HostAddress(text)
      _ = (host.name, host.isNumeric, "\(host)")
      _ = Membership(server: text, token: text, spaces: [text, String(text.prefix(32))]).spaceIDs
      _ = try Membership.server(of: text)
    }
  }
}
