import ReunionFlow
import Foundation
import Testing

@testable import Reunion
@testable import ReunionServer

/// What a receiver hears.
private enum Heard: Equatable, Sendable {
  case began
  case received(Int)
  case finished
  case aborted

  var byteCount: Int { if case .received(let count) = self { count } else { 0 } }
}

private final class Recorder: BodyReceiver {
  let log: Log<Heard>
  let bytes: Lock<[UInt8]>
  private var responder: HTTPResponder?

  init(_ log: Log<Heard>, _ bytes: Lock<[UInt8]>) {
    self.log = log
    self.bytes = bytes
  }

  func began(_ responder: HTTPResponder) {
    self.responder = responder
    log.append(.began)
  }

  func received(_ part: UnsafeRawBufferPointer) {
    bytes.withLock { $0.append(contentsOf: part) }
    log.append(.received(part.count))
  }

  func finished() {
    log.append(.finished)
    responder?.respond(.text(201, "\(bytes.withLock { $0.count })"))
  }

  func aborted() { log.append(.aborted) }
}

/// Holds its body back from the first bytes on, and tells how to go on.
private final class Holder: BodyReceiver {
  let log: Log<Heard>
  let held: Log<HTTPResponder>
  private var responder: HTTPResponder?
  private var byteCount = 0

  init(_ log: Log<Heard>, _ held: Log<HTTPResponder>) { (self.log, self.held) = (log, held) }

  func began(_ responder: HTTPResponder) {
    self.responder = responder
    responder.holdBody(true)
    held.append(responder)
  }

  func received(_ part: UnsafeRawBufferPointer) {
    byteCount += part.count
    log.append(.received(byteCount))
  }

  func finished() { responder?.respond(.text(201, "\(byteCount)")) }

  func aborted() { log.append(.aborted) }
}

@Suite struct HTTPBodyTests {
  private let log = Log<Heard>()
  private let bytes = Lock<[UInt8]>([])

  private func server(limit: UInt64 = 100 << 20) throws -> HTTPServer {
    try HTTPServer(port: 0) { [log, bytes] _ in
      .receive(Recorder(log, bytes), limitBytes: limit, within: .seconds(300))
    }
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
  func `takes in a body with custom fields and serves the next request`(_ method: String) throws {
    let fields = Log<String?>()
    let server = try HTTPServer(port: 0) { request in
      fields.append(request.header("Upload-Offset"))
      fields.append(request.header("repr-digest"))
      return .collect(limitBytes: 1000) { body, responder in
        responder.respond(.text(200, String(decoding: body.reversed(), as: UTF8.self)))
      }
    }
    let client = try RawClient(port: server.port)
    let head = request(
      method, "/up", ["Content-Length: 5", "Upload-Offset: 10", "Repr-Digest: sha-256=:x:"])
    #expect(client.ask(head + "hello").text == "olleh")
    #expect(client.ask(head + "12345").text == "54321")
    #expect(fields.all == ["10", "sha-256=:x:", "10", "sha-256=:x:"])
  }

  @Test func `streams a large body without a byte changed`() throws {
    let server = try server()
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let client = try RawClient(port: server.port)
    client.send(request("PUT", "/up", ["Content-Length: \(body.count)"]))
    client.send(body)
    #expect(client.receiveAnswer().text == "3000000")
    #expect(bytes.withLock { $0 } == body)
  }

  @Test func `tells the receiver when the client dies midway, with all bytes before`() throws {
    let server = try server()
    do {
      let client = try RawClient(port: server.port)
      client.send(request("PATCH", "/up", ["Content-Length: 1000000"]))
      client.send([UInt8](repeating: 7, count: 300_000))
    }
    #expect(log.wait { $0.last == .aborted })
    #expect(bytes.withLock { $0 } == [UInt8](repeating: 7, count: 300_000))
    #expect(log.all.first == .began)
    #expect(!log.all.contains(.finished))
  }

  @Test func `takes an empty body as finished at once`() throws {
    let server = try server()
    #expect(try ask(server.port, request("POST", "/up")).text == "0")
    #expect(try ask(server.port, request("POST", "/up", ["Content-Length: 0"])).text == "0")
    #expect(log.all == [.began, .finished, .began, .finished])
  }

  @Test func `refuses a declared length over the limit before any byte`() throws {
    let server = try server(limit: 100)
    for length in ["101", "3221225472"] {
      let client = try RawClient(port: server.port)
      #expect(client.ask(request("PUT", "/up", ["Content-Length: \(length)"])).status == 413)
      #expect(client.isEnded)
    }
    #expect(log.all.isEmpty)
  }

  @Test func `a client that is sending when it is refused still reads the answer`() throws {
    let server = try server(limit: 100)
    let client = try RawClient(port: server.port)
    client.send(request("PUT", "/up", ["Content-Length: 2000000"]))
    client.send([UInt8](repeating: 1, count: 2_000_000))
    #expect(client.receiveAnswer().status == 413)
  }

  @Test func `answers Expect with 100 Continue only where the body is wanted`() throws {
    let server = try server(limit: 100)
    let client = try RawClient(port: server.port)
    client.send(request("PUT", "/up", ["Content-Length: 3", "Expect: 100-continue"]))
    #expect(client.receiveAnswer().status == 100)
    #expect(client.ask("abc").text == "3")
    let refused = try RawClient(port: server.port)
    let head = request("PUT", "/up", ["Content-Length: 300", "Expect: 100-continue"])
    #expect(refused.ask(head).status == 413)
  }

  @Test func `a stalled body is aborted`() throws {
    var limits = HTTPLimits()
    limits.progressTimeout = .milliseconds(300)
    let server = try HTTPServer(port: 0, limits: limits) { [log, bytes] _ in
      .receive(Recorder(log, bytes), limitBytes: 100, within: .seconds(300))
    }
    let client = try RawClient(port: server.port)
    client.send(request("PUT", "/up", ["Content-Length: 10"]) + "abc")
    #expect(log.wait { $0 == [.began, .received(3), .aborted] })
    #expect(client.isEnded)
  }
  @Test func `a body that is held back is neither read nor slow, and comes whole in the end`()
    throws
  {
    var limits = HTTPLimits()
    limits.progressTimeout = .seconds(5)
    let (held, other) = (Log<HTTPResponder>(), Log<Heard>())
    let server = try HTTPServer(port: 0, limits: limits) { [log, bytes] request in
      .receive(
        request.path.raw == "/held" ? Holder(log, held) : Recorder(other, bytes),
        limitBytes: 100 << 20, within: .seconds(300))
    }
    let byteCount = 32 << 20
    let client = try RawClient(port: server.port)
    let descriptor = client.descriptor
    client.send(request("PUT", "/held", ["Content-Length: \(byteCount)"]))
    #expect(held.wait { !$0.isEmpty })
    Thread.detachNewThread {
      var piece = [UInt8](repeating: 7, count: 1 << 20)
      var rest = byteCount
      while rest > 0 {
        let count = send(descriptor, &piece, min(rest, piece.count), Int32(MSG_NOSIGNAL))
        guard count > 0 else { return }
        rest -= count
      }
    }
    // A client that began later, and is slow.
    let slow = try RawClient(port: server.port)
    slow.send(request("PUT", "/slow", ["Content-Length: 10"]) + "abc")
    #expect(other.wait { $0.last == .aborted })
    #expect(!log.all.contains(.aborted))
    // What was on its way; the rest waits at the client.
    #expect(log.all.allSatisfy { $0.byteCount < 1 << 20 })
    held.all.first?.holdBody(false)
    #expect(client.receiveAnswer().text == "\(byteCount)")
  }
}
